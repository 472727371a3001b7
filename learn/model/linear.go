package model

import (
	"slices"
	"strings"

	"sotto/compute/nn"
)

// Linear is a linear classifier that was trained together with what makes vectors:
// the scores of a row are x·Weight + Bias, those of the first label's classes first.
type Linear struct {
	Weight nn.Matrix
	Bias   []float32
}

// Fits reports whether there is one, and it takes so many numbers and gives so
// many scores.
func (h *Linear) Fits(inputs, scores int) bool {
	return h != nil && h.Weight.Rows == inputs && h.Weight.Cols == scores && len(h.Bias) == scores
}

// Tensors returns a copy of it as the layer whose names begin so.
func (h *Linear) Tensors(layer string) Tensors {
	return Tensors{
		layer + "weight": h.Weight.Clone(),
		layer + "bias":   nn.Matrix{Rows: 1, Cols: len(h.Bias), Data: slices.Clone(h.Bias)},
	}
}

// Renamed returns copies of numbers, those of one part as those of another.
func (t Tensors) Renamed(part, as string) Tensors {
	numbers := make(Tensors)
	for name, x := range t {
		if behind, ok := strings.CutPrefix(name, part); ok {
			name = as + behind
		}
		numbers[name] = x.Clone()
	}
	return numbers
}
