package experiment

import (
	"context"
	"fmt"
	"time"

	"sotto/compute/channel"
	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/learn/train"
	"sotto/promise/dp"
)

// Frontier is what the method auto says of itself, beside the [Headline] that
// every method has: what it found, and how.
type Frontier struct {
	// Bound holds whatever anybody knows: it follows from ε and the shares of
	// the classes alone.
	Bound     measure.Number `json:"bound"`
	True      dp.Epsilon     `json:"true"`
	Unit      dp.Unit        `json:"unit"`
	Mechanism string         `json:"mechanism"`
	Dim       int            `json:"dim"` // numbers of a release; for codes, how many there are
	Searched  []train.Trial  `json:"searched"`
	Seconds   float64        `json:"seconds"` // of search, training and measuring
	// Objective is what was sought, where it is not accuracy.
	Objective train.Objective `json:"objective,omitempty"`
	// Advice is there where another method serves as well.
	Advice string `json:"advice,omitempty"`
}

// referenceMethod is what the yardstick is computed from: the first that a method
// names as what it is judged by.
func (s Spec) referenceMethod() string {
	for _, name := range s.Methods {
		if f, err := findMethod(name); err == nil && f.reference != "" {
			return f.reference
		}
	}
	return "unconstrained"
}

// search lets the methods that look for others do so, on all cores. What the
// first of them is judged by becomes the reference.
func (r *runner) search(ctx context.Context, jobs []job) error {
	pool := nn.NewPool(r.opt.Workers)
	judged := false
	for _, j := range jobs {
		if j.fitting.Search == nil {
			continue
		}
		name := j.point.Name()
		o := train.Options{Seed: r.spec.FirstSeed, Pool: pool, Teachers: r.taught, Trial: func(t train.Trial, done float64) {
			if r.opt.Progress != nil {
				r.opt.Progress(Event{Job: name, Trial: &t, Done: done / 2})
			}
		}}
		found, err := j.fitting.Search(ctx, o)
		if err != nil && ctx.Err() != nil {
			return fmt.Errorf("%w: %w", ErrInterrupted, err)
		} else if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		j.found = found
		if err := j.use(found.Method, r.data.Data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if !judged && jobs[0].config < 0 {
			if err := jobs[0].use(found.Reference, r.data.Data); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			judged = true
		}
	}
	return nil
}

// frontier fills in what the first search found.
func (r *runner) frontier(jobs []job, took time.Duration) {
	for _, j := range jobs {
		if j.found == nil {
			continue
		}
		c := r.result.Configurations[j.config]
		if !c.Selected || len(c.Seeds) == 0 || c.Mean.True == nil {
			continue
		}
		f := &Frontier{True: *c.Mean.True, Unit: c.Mean.Unit, Bound: c.Mean.Limit, Searched: j.found.Trials, Seconds: took.Seconds(), Objective: train.Objective(r.spec.Objective)}
		if c.Statement != nil {
			f.Mechanism, f.Dim = c.Statement.Mechanism, c.Statement.Parameters.Dim
		}
		if len(r.data.Unknown) == 0 { // else a release for all that is to come is what was asked for
			f.Advice = j.found.Advice
		}
		r.result.Frontier = f
		return
	}
}

// maxDeciding bounds the test texts from which limits are computed: what takes
// time is their product with the answers.
const maxDeciding = 6000

// learn returns what the reference knows of test texts.
func (s *scorer) learn() *channel.Known {
	places := train.Evenly(nn.Indices(s.reference.Rows), maxDeciding)
	var classes []int
	var labels [][]int
	for _, c := range s.data.Labels {
		classes = append(classes, len(c.Classes))
		labels = append(labels, dataset.Select(c.IDs, dataset.Select(s.data.Test, places)))
	}
	return channel.Know(s.reference.Gather(places), classes, labels)
}

// severalBound returns what bounds the accuracy of every release at ε, if the
// reference's posteriors of the test texts are right.
func (s *scorer) severalBound(ctx context.Context, epsilon dp.Epsilon) measure.Number {
	if s.known == nil {
		return measure.Undefined
	}
	return numberOf(s.known().Bound(ctx, epsilon))
}

// severalYardstick returns the accuracy on the test labels of the best channel
// for the reference's posteriors.
func (s *scorer) severalYardstick(epsilon dp.Epsilon) measure.Number {
	return numberOf(s.known().Accuracy(context.Background(), epsilon))
}

// numberOf is undefined where something could not be computed.
func numberOf(v float64, err error) measure.Number {
	if err != nil {
		return measure.Undefined
	}
	return measure.Number(v)
}
