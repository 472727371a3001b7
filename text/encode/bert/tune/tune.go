// Package tune trains the encoders of package bert further, on texts with labels,
// so that their vectors tell the labels apart: the whole transformer, or some
// layers from the top. It runs on the trusted side, and what it makes is a folder
// like the one that it began with.
//
// Vectors of a tuned encoder are raw and not private, and the texts that it was
// tuned on are covered by no guarantee: see package encode. The smallest use is
//
//	f, err := bert.Read(dir)
//	t, err := tune.New(f, data, tune.Settings{})
//	err = t.Run(ctx, tune.Options{Pool: nn.NewPool(2)})
//	err = t.Write(out, bert.Manifest{…})
//
// A training has the same bits for every number of workers, and wherever it was
// stopped and resumed.
package tune

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"sotto/compute/nn"
	"sotto/text"
)

// Settings decide a training. The zero value uses the defaults, with which small
// transformers are usually tuned.
type Settings struct {
	// Layers is how many layers learn, from the top; 0 means all, and the embeddings
	// with them. What lies below is computed once.
	Layers  int     `json:"layers,omitempty"`
	Rate    float64 `json:"rate"`    // of the encoder at its highest; 0 means 1e-4
	Epochs  int     `json:"epochs"`  // at most; 0 means 3, and up to 15 where those are few steps: below 1,000, or 15 a class
	Length  int     `json:"length"`  // most tokens of a sequence, special ones included; 0 means 128, or what the folder asks for if that is less
	Batch   int     `json:"batch"`   // texts in each step; 0 means 32
	Dropout float64 `json:"dropout"` // 0 means 0.1
	Decay   float64 `json:"decay"`   // of weights; 0 means 0.01
	Seed    uint64  `json:"seed"`
	// Long is the rule for texts that are longer, one of [bert.Rules]; "" means the
	// folder's. [ChooseLong] says which is best.
	Long string `json:"long,omitempty"`
	// Patience is after how many epochs without a better validation accuracy the
	// training ends; 0 means 2, or a third of the epochs if that is more.
	Patience int `json:"patience"`
	// Last keeps the last epoch in place of the best one, and trains all of them.
	Last bool `json:"last,omitempty"`
}

const (
	clipNorm  = 1    // most length of a gradient
	warmShare = 0.1  // of the steps, in which the rate rises
	headTimes = 10   // the rate of the head, which begins at random, over that of the encoder
	mostSize  = 1e6  // of epochs and batches
	maxTokens = 128  // default of Length
	fewEpochs = 3    // default of Epochs where rows are many
	maxEpochs = 15   // and where they are few
	fewSteps  = 1000 // that a training should have
	perClass  = 15   // steps that it should have for each class
	pieces    = 2048 // tokens that are computed together: a larger batch comes in pieces
)

// filled returns s with its defaults for some data and an encoder of so many layers,
// whose folder asks for a length.
func (s Settings) filled(d Data, layers, length int) (Settings, error) {
	s.Rate, s.Batch = cmp.Or(s.Rate, 1e-4), cmp.Or(s.Batch, 32)
	s.Epochs = cmp.Or(s.Epochs, d.epochs(s.Batch))
	s.Dropout, s.Decay, s.Patience = cmp.Or(s.Dropout, 0.1), cmp.Or(s.Decay, 0.01), cmp.Or(s.Patience, max(2, s.Epochs/3))
	s.Length = cmp.Or(s.Length, min(maxTokens, length))
	switch {
	case s.Layers < 0 || s.Layers > layers:
		return s, fmt.Errorf("tune: layers is %d, must be from 1 to %d, or 0 for all", s.Layers, layers)
	case !(s.Rate > 0 && s.Rate <= 1):
		return s, fmt.Errorf("tune: rate is %v, must be positive and at most 1", s.Rate)
	case s.Epochs < 1 || s.Epochs > mostSize || s.Batch < 1 || s.Batch > mostSize || s.Patience < 1:
		return s, fmt.Errorf("tune: epochs is %d, batch %d and patience %d, must be at least 1", s.Epochs, s.Batch, s.Patience)
	case !(s.Dropout >= 0 && s.Dropout < 1):
		return s, fmt.Errorf("tune: dropout is %v, must be in [0, 1)", s.Dropout)
	case !(s.Decay >= 0 && s.Decay <= 1):
		return s, fmt.Errorf("tune: decay is %v, must be from 0 to 1", s.Decay)
	}
	return s, nil
}

// Data is what is learnt from.
type Data struct {
	Texts []string
	// Masked are the spans of each text that are masked; nil masks none.
	Masked [][]text.Span
	// Second, unless nil, makes each text the first of a pair. The encoder is the same
	// for both, and a pair's vector is what [encode.Pairs] makes of theirs.
	Second       []string
	SecondMasked [][]text.Span

	// Words, unless nil, are sentences in place of texts, word by word, and Tags the
	// class of each word: what is learnt is a label a word, from the vector of its first
	// piece. Labels is then nil, and Classes has one number.
	Words [][]string
	Tags  [][]int

	// Tokens, unless nil, are the texts as tokens already, special ones included, and
	// Places which tokens of each are given to Head, which must not be nil: a row each,
	// texts one behind the other, as they leave the last layer.
	Tokens []text.Tokens
	Places [][]int

	Labels  [][]int   // of each label the class of each text, −1 where it is not known
	Classes []int     // of each label
	Weights []float64 // of each label, with sum 1

	Train      []int // texts to learn from
	Validation []int // texts that tell which epoch is the best

	// Head is what is trained behind the encoder; nil means a linear layer for the
	// labels.
	Head Head
}

// masked returns what is masked of a text.
func (d Data) masked(row int) []text.Span {
	if d.Masked == nil {
		return nil
	}
	return d.Masked[row]
}

// epochs returns how many to train if nobody says: of few rows more, since what a
// transformer learns depends on its steps.
func (d Data) epochs(batch int) int {
	steps := max(1, len(d.Train)/max(1, batch))
	want := max(fewSteps, perClass*slices.Max(d.Classes))
	return min(max(fewEpochs, (want+steps-1)/steps), maxEpochs)
}

// told returns the classes of some texts for a label, or of all words of some
// sentences.
func (d Data) told(dst []int, label int, rows []int) []int {
	for _, i := range rows {
		if d.Words != nil {
			dst = append(dst, d.Tags[i]...)
		} else {
			dst = append(dst, d.Labels[label][i])
		}
	}
	return dst
}

// size returns how many texts there are.
func (d Data) size() int {
	if d.Tokens != nil {
		return len(d.Tokens)
	}
	return len(d.Texts)
}

func (d Data) validate() error {
	if d.Words != nil {
		return d.validateWords()
	}
	if d.Tokens != nil {
		if err := d.validateTokens(); err != nil {
			return err
		}
	}
	switch {
	case len(d.Train) == 0 || len(d.Validation) == 0:
		return fmt.Errorf("tune: there are %d texts to learn from and %d to validate, must be at least one each", len(d.Train), len(d.Validation))
	case len(d.Labels) == 0 || len(d.Classes) != len(d.Labels) || len(d.Weights) != len(d.Labels):
		return fmt.Errorf("tune: there are %d labels with %d numbers of classes and %d weights, must be as many and at least one", len(d.Labels), len(d.Classes), len(d.Weights))
	case d.Second != nil && len(d.Second) != len(d.Texts):
		return fmt.Errorf("tune: there are %d first and %d second texts, must be as many", len(d.Texts), len(d.Second))
	}
	for _, masked := range [][][]text.Span{d.Masked, d.SecondMasked} {
		if masked != nil && len(masked) != d.size() {
			return fmt.Errorf("tune: there are masks of %d texts, must be of %d", len(masked), d.size())
		}
	}
	for l, y := range d.Labels {
		if len(y) != d.size() || d.Classes[l] < 2 || !(d.Weights[l] > 0) {
			return fmt.Errorf("tune: label %d has %d texts, %d classes and weight %v, must have %d texts, at least 2 classes and a positive weight", l+1, len(y), d.Classes[l], d.Weights[l], d.size())
		}
	}
	for _, part := range [][]int{d.Train, d.Validation} {
		for _, i := range part {
			if i < 0 || i >= d.size() {
				return fmt.Errorf("tune: there is no text %d, must be below %d", i, d.size())
			}
			for l, y := range d.Labels {
				if y[i] < -1 || y[i] >= d.Classes[l] || y[i] < 0 && len(d.Labels) == 1 {
					return fmt.Errorf("tune: label %d of text %d is out of range, must be below %d", l+1, i, d.Classes[l])
				}
			}
		}
	}
	return nil
}

// Options say how, not what, to train.
type Options struct {
	Pool *nn.Pool // nil means one worker
	// Progress, if not nil, is called after each step, and after each epoch.
	Progress func(Progress)
	// Save, if not nil, is called with what is needed to resume: after each epoch,
	// every few minutes, and when ctx ends. An error of it ends the training.
	Save func(*State) error
	// Resume, if not nil, is where to go on: what Save was given in a training with
	// the same folder, data and settings.
	Resume *State
}

// Progress is where a training stands.
type Progress struct {
	Epoch, Epochs int     // the epoch at work, from 1
	Step, Steps   int     // of the whole training
	Loss          float64 // the mean of this epoch so far
	// Accuracy is that of the last whole epoch on the validation texts, 0 before.
	Accuracy float64
	Ended    bool // that an epoch has just ended
	// Trying is the rule for long texts that is being tried, before the training; it
	// has no epoch yet.
	Trying string
}

// Epoch is how an epoch did.
type Epoch struct {
	Loss     float64 `json:"loss"`
	Accuracy float64 `json:"accuracy"` // on the validation texts
}

// ErrDiverged is wrapped by the error of a training that has left the finite numbers.
var ErrDiverged = errors.New("tune: the training diverged: a loss or a gradient is not finite; lower the rate")

func finite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }
