package train

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"sotto/compute/nn"
	"sotto/learn/model"
)

// Method is a struct of hyper-parameters that can be fitted.
type Method interface {
	// Prepare refuses settings and data that the method does not take, before
	// anything is trained. It leaves its receiver and d as they are.
	Prepare(d Data) (*Fitting, error)
}

// Fitting is a method that has accepted its settings and its data. It is safe
// for concurrent use.
type Fitting struct {
	// Fit returns a model, the same bits for the same seed whatever the number
	// of workers. If ctx ends first, it returns an error that wraps ctx's, with
	// the model that it would keep so far, or nil if not one epoch was complete.
	// The same holds for a training that diverges, with an error that says so.
	Fit func(ctx context.Context, o Options) (*model.Model, error)
	// Search, where a method looks for another, returns what it found, to be
	// fitted in its place with any seed; nil for all methods but [Auto].
	Search func(ctx context.Context, o Options) (*Found, error)
	// Together returns the network as it begins, to be trained with an encoder that
	// makes the first so many columns of X; nil for a method that trains none on them.
	Together func(columns int, seed uint64) (*Together, error)
}

// Fit prepares a method and fits it.
func Fit(ctx context.Context, m Method, d Data, o Options) (*model.Model, error) {
	f, err := m.Prepare(d)
	if err != nil {
		return nil, err
	}
	return f.Fit(ctx, o)
}

// Options say how, not what, to train. The zero value trains from the start,
// silently, on one worker.
type Options struct {
	Seed uint64   // of weights, order of rows, dropout and the noise of training
	Pool *nn.Pool // nil means one worker

	// Teachers, if not nil, keeps models of the trusted side for others that would
	// train the same. The result does not depend on it.
	Teachers *Teachers
	// Borrowed, if not nil, is set to how long what Teachers had took to train.
	Borrowed *time.Duration
	// Progress, if not nil, is called after each epoch.
	Progress func(model.Progress)
	// Trial, if not nil, is called after each trial of a search with the share of
	// the search that is done.
	Trial func(t Trial, done float64)
	// Save, if not nil, is called after each epoch, before Progress, with what
	// is needed to resume. That changes when the next epoch is complete, and
	// no more once Fit has returned. An error of Save ends the training.
	Save func(*State) error
	// Resume, if not nil, is where to go on: what Save was given in a training
	// with the same method, data and seed. A state of another is an error, as
	// far as settings, seed, labels, split and the first rows of the data tell. It is only read.
	Resume *State
}

func (o Options) pool() *nn.Pool {
	if o.Pool == nil {
		return nn.NewPool(1)
	}
	return o.Pool
}

func (o Options) tell(p model.Progress) {
	if o.Progress != nil {
		o.Progress(p)
	}
}

// Keep says which epoch's weights become the model.
type Keep string

const (
	// Best keeps the epoch of highest validation accuracy, the first of equals.
	Best Keep = "best"
	// Last keeps the last epoch. It is the default with an adversary, whose
	// weight grows from 0: the most accurate epoch is then often one in which
	// it had no say.
	Last Keep = "last"
)

// Training holds what all methods that train a network share. The zero value
// uses FEDERATE's published settings.
type Training struct {
	Shape
	Epochs int `json:"epochs,omitempty"` // 0 means 30, or 45 with noise
	// Batch is the number of rows a step; 0 means 2000, or less where an epoch
	// would have fewer than 16 steps.
	Batch int     `json:"batch,omitempty"`
	Rate  float64 `json:"rate,omitempty"` // of Adam; 0 means 0.001
	Keep  Keep    `json:"keep,omitempty"` // "" means Best, or Last with an adversary
	// Anneal, where there is noise, is how many times ε the training begins
	// with. It falls evenly in its logarithm to ε, which the second half of the
	// epochs has; 0 means 1.
	Anneal float64 `json:"anneal,omitempty"`
	// Standardise shifts and scales each column to mean 0 and deviation 1 over
	// the rows that are fitted on.
	Standardise bool `json:"standardise,omitempty"`
}

const leastSteps = 16 // of an epoch, where Batch is not given

// filled returns t with its defaults for that many rows, or the first fault.
func (t Training) filled(rows int, noisy, adversarial bool) (Training, error) {
	var err error
	if t.Shape, err = t.Filled(model.MaxWidth); err != nil {
		return t, err
	}
	epochs, keep := 30, Best
	if noisy {
		epochs = 45
	}
	if adversarial {
		keep = Last
	}
	t.Epochs, t.Batch, t.Keep = cmp.Or(t.Epochs, epochs), cmp.Or(t.Batch, min(2000, max(1, rows/leastSteps))), cmp.Or(t.Keep, keep)
	switch {
	case t.Epochs < 1 || t.Epochs > 1_000_000:
		return t, fmt.Errorf("train: epochs is %d, must be from 1 to 1,000,000", t.Epochs)
	case t.Batch < 1:
		return t, fmt.Errorf("train: batch is %d, must be at least 1", t.Batch)
	case !(t.Rate >= 0):
		return t, fmt.Errorf("train: rate is %v, must be positive", t.Rate)
	case t.Anneal != 0 && !(t.Anneal >= 1 && t.Anneal <= 1000):
		return t, fmt.Errorf("train: anneal is %v, must be from 1 to 1000", t.Anneal)
	case t.Keep != Best && t.Keep != Last:
		return t, fmt.Errorf("train: keep is %q, must be %q or %q", t.Keep, Best, Last)
	}
	return t, nil
}
