package train

import (
	"fmt"
	"slices"

	"sotto/channel"
	"sotto/nn"
)

// answering turns the scores of classes into what each answer is worth: the
// softmax over the classes of each label, and then the share of labels that the
// answer is expected to tell rightly. It is only used forward.
//
// Where there is a tilt, it also takes the scores of pairs of a class of the
// first label and a group, as [worth] says.
type answering struct {
	classes    []int
	importance []float64
	answers    [][]int
	tilt       nn.Matrix // empty for none
}

func newAnswering(a Architecture, tilt nn.Matrix) *answering {
	w := &answering{classes: a.Labels(), answers: a.Answers, tilt: tilt}
	if len(a.Importance) > 0 {
		w.importance = a.Importance
	}
	return w
}

// Forward implements [nn.Layer].
func (w *answering) Forward(_ *nn.Pool, _ nn.Mode, x nn.Matrix) nn.Matrix {
	heads := w.classes
	if w.tilt.Rows > 0 {
		heads = append(slices.Clone(heads), len(w.tilt.Data))
	}
	return worth(channel.Posteriors(x, heads), w.classes, w.importance, w.answers, w.tilt)
}

// worth returns what each answer is worth: the share of labels that it is
// expected to tell rightly, and, where tilt is not empty, for an answer that says
// class c of the first label Σ_g tilt(c, g)·P(c, g) on top. The probabilities of
// pairs of class and group lie behind those of the labels' classes.
func worth(posteriors nn.Matrix, classes []int, weights []float64, answers [][]int, tilt nn.Matrix) nn.Matrix {
	width, labels := total(classes), posteriors
	if posteriors.Cols > width {
		labels = columns(posteriors, 0, width)
	}
	scores := channel.Scores(labels, classes, weights, answers)
	if tilt.Rows == 0 {
		return scores
	}
	more := make([]float32, tilt.Rows)
	for i := range scores.Rows {
		pairs := posteriors.Row(i)[width:]
		for c := range more {
			sum := 0.0
			for g, v := range tilt.Row(c) {
				sum += float64(v) * float64(pairs[c*tilt.Cols+g])
			}
			more[c] = float32(sum)
		}
		for v, answer := range answers {
			scores.Row(i)[v] += more[answer[0]]
		}
	}
	return scores
}

// Backward implements [nn.Layer]. Nothing is trained through it.
func (w *answering) Backward(*nn.Pool, nn.Matrix) nn.Matrix {
	panic("train: answers have no gradient")
}

// Params implements [nn.Layer].
func (w *answering) Params() []nn.Param { return nil }

// validateAnswers refuses answers that no model of this package has.
func (a Architecture) validateAnswers() error {
	if len(a.Answers) == 0 && len(a.Importance) == 0 && a.Groups == 0 {
		return nil
	}
	labels := a.Labels()
	if a.Groups != 0 && (a.Groups < 2 || a.Groups > maxPairs/a.Classes) {
		return fmt.Errorf("train: model is tilted by %d groups, must be by none, or by at least 2 with at most %d pairs of class and group", a.Groups, maxPairs)
	}
	ends := total(labels) + a.Classes*a.Groups
	switch {
	case len(a.Answers) < 2 || len(a.Answers) > channel.MaxAnswers:
		return fmt.Errorf("train: model has %d answers, must have from 2 to %d", len(a.Answers), channel.MaxAnswers)
	case a.Release == nil || a.Scaling != "":
		return fmt.Errorf("train: answers are not released as they are, must be")
	case len(a.Encoder) == 0 || a.Encoder[len(a.Encoder)-1] != ends:
		return fmt.Errorf("train: encoder does not end in the %d classes that answers are made of", ends)
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
