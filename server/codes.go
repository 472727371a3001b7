package server

import (
	"fmt"

	"sotto/nn"
)

// shape says what the shape of vectors must be.
func (m *served) shape() string {
	if m.codes > 0 {
		return fmt.Sprintf("shape of the vectors must be [n, %d], or [n, 1] for the indices of codes", m.width)
	}
	return fmt.Sprintf("shape of the vectors must be [n, %d]", m.width)
}

// unfold returns the vectors of codes that were sent as their indices.
func (m *served) unfold(indices []float32) (nn.Matrix, error) {
	x := nn.NewMatrix(len(indices), m.codes)
	for i, v := range indices {
		c := int(max(-1, min(v, float32(m.codes))))
		if float32(c) != v || c < 0 || c >= m.codes {
			return nn.Matrix{}, bad("no_code", fmt.Sprintf("an index is no code's, must be a whole number from 0 to %d", m.codes-1))
		}
		x.Row(i)[c] = 1
	}
	return x, nil
}

// checkCodes refuses vectors that are no code's.
func (m *served) checkCodes(x nn.Matrix) error {
	for i := range x.Rows {
		ones, zeros := 0, 0
		for _, v := range x.Row(i) {
			switch v {
			case 0:
				zeros++
			case 1:
				ones++
			}
		}
		if ones != 1 || zeros != m.codes-1 {
			return bad("no_code", "a vector is no code's, must be 1 in one place and 0 in all others")
		}
	}
	return nil
}
