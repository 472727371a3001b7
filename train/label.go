package train

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sotto/mech"
	"sotto/nn"
	"sotto/train/model"
)

// Label classifies on the trusted side and releases the answer, by randomised
// response over the m commonest classes, m being the best on the validation
// rows. For one label of two classes that is known beforehand nothing does
// better. Of more classes the commonest need not be the ones worth answering:
// [Codes] chooses among all, and serves several labels too.
type Label struct {
	Training
	// Release is the mechanism codes with selected 1, which is randomised
	// response; only epsilon is to be given.
	Release mech.Params `json:"release"`
}

// Fit implements [Method].
func (h Label) Fit(ctx context.Context, d Data, o Options) (*model.Model, error) {
	if len(d.More) > 0 {
		return nil, errors.New("train: data has several labels, must have one to be released; for several use codes, which serve all with one release")
	}
	codes := Codes{Training: h.Training, Release: h.Release}
	if h.Release.Selected > 1 || h.Release.Dim != 0 {
		return nil, fmt.Errorf("train: release has selected %d and dim %d, must leave both to the method", h.Release.Selected, h.Release.Dim)
	}
	if err := codes.check(); err != nil {
		return nil, err
	}
	t, err := teach(ctx, h.Training, d, o)
	if err != nil {
		return nil, err
	}
	return h.encode(t, d)
}

// encode returns the model that releases what a teacher answers.
func (h Label) encode(t *Teacher, d Data) (*model.Model, error) {
	counts := make([]int, d.Classes)
	order := make([]int, d.Classes)
	for c := range order {
		order[c] = c
	}
	for _, row := range d.Train {
		counts[d.Y[row]]++
	}
	slices.SortStableFunc(order, func(a, b int) int { return counts[b] - counts[a] })
	best := coding{accuracy: -1}
	for m := 2; m <= min(d.Classes, mostResponses); m++ {
		var answers [][]int
		for _, class := range order[:m] {
			answers = append(answers, []int{class})
		}
		c, err := t.coding(mech.Params{Mechanism: "codes", Epsilon: h.Release.Epsilon, Selected: 1}, answers, nn.Matrix{})
		if err != nil {
			return nil, err
		}
		if c.accuracy > best.accuracy {
			best = c
		}
	}
	return t.model(best)
}

// mostResponses bounds the classes that are tried.
const mostResponses = 256
