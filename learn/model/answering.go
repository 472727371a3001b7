package model

import (
	"fmt"
	"math"
	"slices"

	"sotto/compute/channel"
	"sotto/compute/nn"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// answering turns the scores of classes into what each answer is worth: the
// softmax over the classes of each label, and then the share of labels that the
// answer is expected to tell rightly. It is only used forward.
//
// Where there is a tilt, it also takes the scores of pairs of a class of the
// first label and a group, as [Worth] says.
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
	return Worth(channel.Posteriors(x, heads), w.classes, w.importance, w.answers, w.tilt)
}

// Worth returns what each answer is worth: the share of labels that it is
// expected to tell rightly, and, where tilt is not empty, for an answer that says
// class c of the first label Σ_g tilt(c, g)·P(c, g) on top. The probabilities of
// pairs of class and group lie behind those of the labels' classes.
func Worth(posteriors nn.Matrix, classes []int, weights []float64, answers [][]int, tilt nn.Matrix) nn.Matrix {
	width, labels := Columns(classes), posteriors
	if posteriors.Cols > width {
		labels = posteriors.Columns(0, width)
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
				sum += float64(float64(v) * float64(pairs[c*tilt.Cols+g]))
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
	panic("model: answers have no gradient")
}

// Params implements [nn.Layer].
func (w *answering) Params() []nn.Param { return nil }

// Law returns how likely each code is to be released for each of some rows, one
// column a code, and false for a model without codes: with it an accuracy can be
// computed over everything that the channel can give, without a draw. It is as
// secret as the rows are.
func (m *Model) Law(p *nn.Pool, x nn.Matrix, rows []int) (nn.Matrix, bool, error) {
	if len(m.architecture.Answers) == 0 {
		return nn.Matrix{}, false, nil
	}
	scores, err := m.Represent(p, x, rows)
	if err != nil {
		return nn.Matrix{}, true, err
	}
	release := m.mechanism.Params()
	weights, law := CodeWeights(release), make([]float64, release.Dim)
	for i := range scores.Rows {
		channel.Probabilities(law, weights, dp.Epsilon(release.Epsilon), scores.Row(i))
		for v, share := range law {
			scores.Row(i)[v] = float32(share)
		}
	}
	return scores, true, nil
}

// CodeWeights returns the least probability of each code.
func CodeWeights(p mech.Params) []float64 {
	own := mech.OwnOf[mech.CodesParams](p)
	if own.Weights != nil {
		return own.Weights
	}
	// Above ε = 600 it is 0 but for a trifle; it must not become 0, nor e^ε infinite.
	w := 1 / (float64(p.Dim) + float64(math.Expm1(min(p.Epsilon, 600))*float64(own.Selected)))
	return slices.Repeat([]float64{w}, p.Dim)
}

// validateAnswers refuses answers that no model of this package has.
func (a Architecture) validateAnswers() error {
	if len(a.Answers) == 0 && len(a.Importance) == 0 && a.Groups == 0 && a.Channel == "" {
		return nil
	}
	if a.Channel != "" && a.Channel != channel.Public {
		return fmt.Errorf("model: channel is %.40q, must be %s or not named", string(a.Channel), channel.Public)
	}
	labels := a.Labels()
	if a.Groups != 0 && (a.Groups < 2 || a.Groups > MaxPairs/a.Classes) {
		return fmt.Errorf("model: model is tilted by %d groups, must be by none, or by at least 2 with at most %d pairs of class and group", a.Groups, MaxPairs)
	}
	ends := Columns(labels) + a.Classes*a.Groups
	switch {
	case len(a.Answers) < 2 || len(a.Answers) > channel.MaxAnswers:
		return fmt.Errorf("model: model has %d answers, must have from 2 to %d", len(a.Answers), channel.MaxAnswers)
	case a.Release == nil || a.Scaling != "":
		return fmt.Errorf("model: answers are not released as they are, must be")
	case len(a.Encoder) == 0 || a.Encoder[len(a.Encoder)-1] != ends:
		return fmt.Errorf("model: encoder does not end in the %d classes that answers are made of", ends)
	case len(a.Importance) != 0 && len(a.Importance) != len(labels):
		return fmt.Errorf("model: importance has %d numbers, must have one for each of %d labels", len(a.Importance), len(labels))
	}
	for _, w := range a.Importance {
		if !(w > 0 && w <= 1) {
			return fmt.Errorf("model: importance of a label is %v, must be positive and at most 1", w)
		}
	}
	for _, answer := range a.Answers {
		if len(answer) != len(labels) {
			return fmt.Errorf("model: an answer has %d classes, must have one for each of %d labels", len(answer), len(labels))
		}
		for l, class := range answer {
			if class < 0 || class >= labels[l] {
				return fmt.Errorf("model: an answer has class %d, must be below %d", class, labels[l])
			}
		}
	}
	return nil
}
