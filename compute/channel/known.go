package channel

import (
	"context"
	"sync"

	"sotto/compute/nn"
	"sotto/promise/dp"
)

// Known is what a model without protection knows of texts whose labels are
// known: what a release of these texts is to be judged by. It is safe for
// concurrent use.
type Known struct {
	classes    []int
	labels     [][]int
	posteriors nn.Matrix
	answers    [][]int // all there are, or the commonest of too many
	all        bool    // that there are
	scores     nn.Matrix

	mu     sync.Mutex
	solved map[dp.Epsilon]Solution // which takes long
}

// Know takes a model's scores of texts, as for [Posteriors], and the texts'
// labels, a list for each label. What the model knows is to be judged, not how
// sure it is of it, so that the scores are calibrated by the labels, in place.
func Know(scores nn.Matrix, classes []int, labels [][]int) *Known {
	Calibrate(scores, classes, labels)
	k := &Known{classes: classes, labels: labels, posteriors: Posteriors(scores, classes), solved: map[dp.Epsilon]Solution{}}
	answers, err := Answers(classes, 0)
	k.answers, k.all = answers, err == nil
	if !k.all {
		k.answers = Common(k.posteriors, classes, 0)
	}
	k.scores = Scores(k.posteriors, classes, nil, k.answers)
	return k
}

// solve returns the best channel at ε, and keeps it.
func (k *Known) solve(ctx context.Context, epsilon dp.Epsilon) (Solution, error) {
	k.mu.Lock()
	s, ok := k.solved[epsilon]
	k.mu.Unlock()
	if ok {
		return s, nil
	}
	s, err := Solve(ctx, k.scores, epsilon, Options{})
	if err != nil {
		return s, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.solved[epsilon] = s
	return s, nil
}

// Bound returns what bounds the accuracy of every release at ε, the mean over
// labels, if the posteriors are right.
//
// Labels with too many combinations to be solved together have the mean of their
// own bounds: a release that serves all tells none of them better than one that
// serves it alone.
func (k *Known) Bound(ctx context.Context, epsilon dp.Epsilon) (float64, error) {
	if k.all {
		s, err := k.solve(ctx, epsilon)
		return s.Bound, err
	}
	sum, column := 0.0, 0
	for _, c := range k.classes {
		s, err := Solve(ctx, k.posteriors.Columns(column, c), epsilon, Options{})
		if err != nil {
			return 0, err
		}
		sum += s.Bound / float64(len(k.classes))
		column += c
	}
	return sum, nil
}

// Accuracy returns that of the best channel for the posteriors on the labels
// themselves, the mean over labels, in expectation over its draws.
func (k *Known) Accuracy(ctx context.Context, epsilon dp.Epsilon) (float64, error) {
	s, err := k.solve(ctx, epsilon)
	if err != nil {
		return 0, err
	}
	right, known := Expected(k.scores, s.Weights, epsilon, k.answers, k.labels)
	sum := 0.0
	for l := range right {
		sum += right[l] / max(known[l], 1) / float64(len(right))
	}
	return sum, nil
}

// Texts returns how many texts there are.
func (k *Known) Texts() int { return len(k.labels[0]) }
