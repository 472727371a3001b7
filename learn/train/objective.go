package train

import (
	"fmt"
	"math"

	"sotto/compute/channel"
	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/promise/dp"
)

// This part of the package says what a release is to be best at where classes are not
// equally common: telling the most rows rightly, or telling all classes alike.
//
// Balanced accuracy is accuracy with other weights, Σ_y P(answer is y | y)/K =
// E[1{answer is y}/(K·share of y)], so that package channel finds the best release
// for it as for accuracy, and its bound holds likewise. Macro-F1 is no such sum.
// It is sought among releases that are best for weights between these two.
//
// It changes which answers are preferred, never ε: a release is as private
// whatever it is best at.

// Objective is a measure that is to be as high as it can.
type Objective string

// The objectives. The zero value is accuracy too.
const (
	Accuracy Objective = "accuracy"
	MacroF1  Objective = "macro-f1"
	Balanced Objective = "balanced"
)

// Plain reports whether every row counts the same.
func (o Objective) Plain() bool { return o == "" || o == Accuracy }

// Validate refuses what is none of the objectives.
func (o Objective) Validate() error {
	if !o.Plain() && o != MacroF1 && o != Balanced {
		return fmt.Errorf("objective: objective is %q, must be one of %s, %s, %s", o, Accuracy, MacroF1, Balanced)
	}
	return nil
}

// String names what is measured.
func (o Objective) String() string {
	if o == MacroF1 {
		return "macro-F1"
	}
	if o == Balanced {
		return "balanced accuracy"
	}
	return string(Accuracy)
}

// Weighing is what a row counts by its class, for each label. Nil counts all
// rows alike.
type Weighing [][]float64

// Weighings lists those under which the best release is to be looked for, given
// how many rows of each label's classes there are: one, unless the objective is
// no weighted share. The mean row counts 1; a class without rows counts nothing.
func (o Objective) Weighings(counts [][]int) []Weighing {
	powers, ok := map[Objective][]float64{Balanced: {1}, MacroF1: {0, 0.25, 0.5, 0.75, 1}}[o]
	if !ok {
		powers = []float64{0}
	}
	var all []Weighing
	for _, power := range powers {
		if power == 0 {
			all = append(all, nil)
			continue
		}
		w := make(Weighing, len(counts))
		for l, of := range counts {
			w[l] = weights(of, power)
		}
		all = append(all, w)
	}
	return all
}

// weights returns count^−power for each class, scaled so that the mean over rows
// is 1.
func weights(counts []int, power float64) []float64 {
	w := make([]float64, len(counts))
	sum, rows := 0.0, 0.0
	for c, n := range counts {
		if n > 0 {
			w[c] = math.Pow(float64(n), -power)
			sum += float64(n) * w[c]
			rows += float64(n)
		}
	}
	for c := range w {
		w[c] *= rows / sum
	}
	return w
}

// Apply returns probabilities times what their classes count.
func (w Weighing) Apply(posteriors nn.Matrix) nn.Matrix {
	out := posteriors.Clone()
	for i := range out.Rows {
		row, column := out.Row(i), 0
		for _, of := range w {
			for c, v := range of {
				row[column+c] *= float32(v)
			}
			column += len(of)
		}
	}
	return out
}

// Normalise scales the classes of each label to a sum of 1, in place: what was
// weighed becomes the probabilities of a model whose scores have the logarithms
// of the weights on top.
func (w Weighing) Normalise(x nn.Matrix) {
	for i := range x.Rows {
		row, column := x.Row(i), 0
		for _, of := range w {
			sum := float32(0)
			for _, v := range row[column : column+len(of)] {
				sum += v
			}
			for c := range of {
				row[column+c] /= max(sum, math.SmallestNonzeroFloat32)
			}
			column += len(of)
		}
	}
}

// leastWeight keeps the logarithm of a class that counts nothing finite.
const leastWeight = 1e-6

// Shift adds the logarithms of the weights to scores of classes.
func (w Weighing) Shift(scores []float32) {
	column := 0
	for _, of := range w {
		for c, v := range of {
			scores[column+c] += float32(math.Log(max(v, leastWeight)))
		}
		column += len(of)
	}
}

// Value returns the objective of counted answers, the mean over labels by the
// weights of these.
func (o Objective) Value(labels []*measure.Confusion, weights []float64) float64 {
	sum := 0.0
	for l, c := range labels {
		alike := c.Means()
		v, ok := map[Objective]measure.Number{MacroF1: alike.MacroF1, Balanced: alike.Balanced}[o]
		if !ok {
			v = c.Accuracy()
		}
		if v == v {
			sum += weights[l] * float64(v)
		}
	}
	return sum
}

// Expected counts the answers that a channel is expected to give, for each label.
// Answer v says class said[v][l] of label l; labels holds each label's class of
// each row of scores, negative if it is unknown.
func Expected(scores nn.Matrix, channelWeights []float64, epsilon dp.Epsilon, said, labels [][]int, classes []int) []*measure.Confusion {
	all, shares := make([]*measure.Confusion, len(classes)), make([][]float64, len(classes))
	for l, c := range classes {
		all[l], shares[l] = measure.NewConfusion(c), make([]float64, c)
	}
	law := make([]float64, len(channelWeights))
	for i := range scores.Rows {
		channel.Probabilities(law, channelWeights, epsilon, scores.Row(i))
		for l := range classes {
			clear(shares[l])
			for v, share := range law {
				shares[l][said[v][l]] += share
			}
			all[l].AddLaw(labels[l][i], shares[l])
		}
	}
	return all
}
