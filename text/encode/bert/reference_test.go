package bert_test

import (
	"math"

	"sotto/text"
)

// distance returns the largest difference of two vectors.
func distance(got []float32, want []float64) float64 {
	d := 0.0
	for i, v := range want {
		d = max(d, math.Abs(float64(got[i])-v)) // the builtin keeps a NaN
	}
	return d
}

// reference is the vector of a text, word for word after the definition.
func (m *random) reference(t text.Tokens) []float64 {
	x := m.Reference(t.IDs, t.Types)
	mean, square := make([]float64, m.Hidden), 0.0
	for j := range mean {
		for i := range x {
			mean[j] += x[i][j] / float64(len(x))
		}
		square += mean[j] * mean[j]
	}
	for j := range mean {
		mean[j] /= math.Sqrt(square)
	}
	return mean
}
