package train

import (
	"fmt"

	"sotto/channel"
	"sotto/nn"
)

// answering turns the scores of classes into what each answer is worth: the
// softmax over the classes of each label, and then the share of labels that the
// answer is expected to tell rightly. It is only used forward.
type answering struct {
	classes    []int
	importance []float64
	answers    [][]int
}

func newAnswering(a Architecture) *answering {
	w := &answering{classes: a.Labels(), answers: a.Answers}
	if len(a.Importance) > 0 {
		w.importance = a.Importance
	}
	return w
}

// Forward implements [nn.Layer].
func (w *answering) Forward(_ *nn.Pool, _ nn.Mode, x nn.Matrix) nn.Matrix {
	return channel.Scores(channel.Posteriors(x, w.classes), w.classes, w.importance, w.answers)
}

// Backward implements [nn.Layer]. Nothing is trained through it.
func (w *answering) Backward(*nn.Pool, nn.Matrix) nn.Matrix {
	panic("train: answers have no gradient")
}

// Params implements [nn.Layer].
func (w *answering) Params() []nn.Param { return nil }

// validateAnswers refuses answers that no model of this package has.
func (a Architecture) validateAnswers() error {
	if len(a.Answers) == 0 && len(a.Importance) == 0 {
		return nil
	}
	labels := a.Labels()
	switch {
	case len(a.Answers) < 2 || len(a.Answers) > channel.MaxAnswers:
		return fmt.Errorf("train: model has %d answers, must have from 2 to %d", len(a.Answers), channel.MaxAnswers)
	case a.Release == nil || a.Scaling != "":
		return fmt.Errorf("train: answers are not released as they are, must be")
	case len(a.Encoder) == 0 || a.Encoder[len(a.Encoder)-1] != total(labels):
		return fmt.Errorf("train: encoder does not end in the %d classes that answers are made of", total(labels))
	case len(a.Importance) != 0 && len(a.Importance) != len(labels):
		return fmt.Errorf("train: importance has %d numbers, must have one for each of %d labels", len(a.Importance), len(labels))
	}
	for _, w := range a.Importance {
		if !(w > 0 && w <= 1) {
			return fmt.Errorf("train: importance of a label is %v, must be positive and at most 1", w)
		}
	}
	for _, answer := range a.Answers {
		if len(answer) != len(labels) {
			return fmt.Errorf("train: an answer has %d classes, must have one for each of %d labels", len(answer), len(labels))
		}
		for l, class := range answer {
			if class < 0 || class >= labels[l] {
				return fmt.Errorf("train: an answer has class %d, must be below %d", class, labels[l])
			}
		}
	}
	return nil
}
