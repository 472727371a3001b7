package train

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sotto/compute/channel"
	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/promise/mech"
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
	// Channel says what the answers are chosen by: all classes if it is public, and
	// else, or if it is "", those that serve the validation rows best.
	Channel channel.Kind `json:"channel,omitempty"`
	// Objective is what the answers are to be best at.
	Objective Objective `json:"objective,omitempty"`
}

// Prepare implements [Method].
func (h Label) Prepare(d Data) (*Fitting, error) {
	if len(d.More) > 0 {
		return nil, errors.New("train: data has several labels, must have one to be released; for several use codes, which serve all with one release")
	}
	if selected := mech.OwnOf[mech.CodesParams](h.Release).Selected; selected > 1 || h.Release.Dim != 0 {
		return nil, fmt.Errorf("train: release has selected %d and dim %d, must leave both to the method", selected, h.Release.Dim)
	}
	if err := (Codes{Training: h.Training, Release: h.Release, Channel: h.Channel, Objective: h.Objective}).check(); err != nil {
		return nil, err
	}
	return taught(h.lesson, d, h.encode)
}

// encode returns the model that releases what a teacher answers, with what it costs
// that the channel is public.
func (h Label) encode(ctx context.Context, t *teacher, o Options) (*model.Model, error) {
	c, err := h.best(ctx, t, o)
	if err == nil && h.Channel == channel.Public {
		h.Channel = channel.Fitted
		if fitted, failed := h.best(ctx, t, o); failed == nil {
			c.compared = &model.Compared{Public: c.value, Fitted: fitted.value}
		}
	}
	return modelOf(c, err)
}

// best returns the release of the highest objective.
func (h Label) best(_ context.Context, t *teacher, _ Options) (coding, error) {
	return t.best(h.Objective, h.respond)
}

// respond returns the best randomised response among the commonest classes, or that
// among all where nobody is to learn which these are.
func (h Label) respond(t *teacher) (coding, error) {
	if h.Channel == channel.Public {
		return t.open(mech.Params{Epsilon: h.Release.Epsilon, Own: mech.CodesParams{Selected: 1}}, nn.Matrix{})
	}
	order := nn.Indices(t.classes[0])
	slices.SortStableFunc(order, func(a, b int) int { return t.counts[0][b] - t.counts[0][a] })
	best := coding{value: -1}
	for m := 2; m <= min(len(order), mostResponses); m++ {
		var answers [][]int
		for _, class := range order[:m] {
			answers = append(answers, []int{class})
		}
		c, err := t.coding(mech.Params{Mechanism: "codes", Epsilon: h.Release.Epsilon, Own: mech.CodesParams{Selected: 1}}, answers, nn.Matrix{})
		if err != nil {
			return coding{}, err
		}
		if c.value > best.value {
			best = c
		}
	}
	return best, nil
}

// mostResponses bounds the classes that are tried.
const mostResponses = 256
