package channel

import (
	"math"
	"slices"

	"sotto/nn"
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
