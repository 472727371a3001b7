package channel

import (
	"math"
	"slices"

	"sotto/compute/nn"
	"sotto/promise/dp"
)

// Temperature returns the number from 0.1 to 10 by which to divide the scores
// of one label's classes so that the labels, one a row, are likeliest: the
// probabilities that they then stand for are right on average. A negative label
// is unknown; the temperature is 1 if none is known. The loss has one minimum in
// its logarithm, near enough, for a golden-section search.
func Temperature(scores nn.Matrix, labels []int) float64 {
	if !slices.ContainsFunc(labels, func(y int) bool { return y >= 0 }) {
		return 1
	}
	low, high := math.Log(0.1), math.Log(10)
	const golden = 0.6180339887498949
	a, b := high-float64(golden*(high-low)), low+float64(golden*(high-low))
	fa, fb := coolLoss(scores, labels, a), coolLoss(scores, labels, b)
	for range 30 {
		if fa < fb {
			high, b, fb = b, a, fa
			a = high - float64(golden*(high-low))
			fa = coolLoss(scores, labels, a)
		} else {
			low, a, fa = a, b, fb
			b = low + float64(golden*(high-low))
			fb = coolLoss(scores, labels, b)
		}
	}
	return math.Exp((low + high) / 2)
}

// Calibrate divides the scores of each label's classes, which stand side by side,
// by their [Temperature], and returns by what each label's were multiplied.
func Calibrate(scores nn.Matrix, classes []int, labels [][]int) []float32 {
	var factors []float32
	column := 0
	for l, c := range classes {
		factors = append(factors, float32(1/Temperature(scores.Columns(column, c), labels[l])))
		column += c
	}
	Scale(scores, classes, factors)
	return factors
}

// Scale multiplies the columns of each label's classes by a factor.
func Scale(x nn.Matrix, classes []int, factors []float32) {
	for i := range x.Rows {
		column := 0
		for l, c := range classes {
			for j := range c {
				x.Row(i)[column+j] *= factors[l]
			}
			column += c
		}
	}
}

// CrossEntropy is that of posteriors and the labels of their rows, the weighted
// mean over labels. A negative label is unknown, and does not count.
func CrossEntropy(posteriors nn.Matrix, classes []int, labels [][]int, weights []float64) float64 {
	sum, column := 0.0, 0
	for l, c := range classes {
		loss, known := 0.0, 0
		for i, y := range labels[l] {
			if y >= 0 {
				loss -= math.Log(max(float64(posteriors.Row(i)[column+y]), 1e-30))
				known++
			}
		}
		sum += weights[l] * loss / float64(max(known, 1))
		column += c
	}
	return sum
}

// Expected returns of how many rows each label is expected to be told rightly,
// over all that a channel can give, and of how many it is known. Answer v says
// class said[v][l] of label l, and labels holds each label's class of each row,
// negative if it is unknown.
func Expected(scores nn.Matrix, weights []float64, epsilon dp.Epsilon, said, labels [][]int) (right, known []float64) {
	right, known = make([]float64, len(labels)), make([]float64, len(labels))
	law := make([]float64, len(weights))
	for i := range scores.Rows {
		Probabilities(law, weights, epsilon, scores.Row(i))
		for l, classes := range labels {
			y := classes[i]
			if y < 0 {
				continue
			}
			known[l]++
			for v, share := range law {
				if said[v][l] == y {
					right[l] += share
				}
			}
		}
	}
	return right, known
}

// coolLoss is the cross-entropy of scores at a temperature, by its logarithm.
func coolLoss(scores nn.Matrix, labels []int, logT float64) float64 {
	sum, factor := 0.0, math.Exp(-logT)
	for i, y := range labels {
		if y < 0 {
			continue
		}
		row := scores.Row(i)
		largest := float64(slices.Max(row))
		total := 0.0
		for _, v := range row {
			total += math.Exp((float64(v) - largest) * factor)
		}
		sum += math.Log(total) - float64((float64(row[y])-largest)*factor)
	}
	return sum
}
