package server

import (
	"fmt"

	"sotto/compute/nn"
)

// shape says what the shape of vectors must be.
func (m *served) shape() string {
	if of := m.indexable(); of != "" {
		return fmt.Sprintf("shape of the vectors must be [n, %d], or [n, 1] for the indices of %ss", m.width, of)
	}
	return fmt.Sprintf("shape of the vectors must be [n, %d]", m.width)
}

// indexable says of what an index stands for a vector, "" for nothing.
func (m *served) indexable() string {
	switch {
	case m.codes > 0:
		return "code"
	case m.cells.Rows > 0:
		return "cell"
	}
	return ""
}

// unfold returns the vectors of codes or cells that were sent as their indices.
func (m *served) unfold(indices []float32) (nn.Matrix, error) {
	x, n := nn.NewMatrix(len(indices), m.width), max(m.codes, m.cells.Rows)
	for i, v := range indices {
		c := int(max(-1, min(v, float32(n))))
		if float32(c) != v || c < 0 || c >= n {
			return nn.Matrix{}, bad("no_"+m.indexable(), fmt.Sprintf("an index is no %s's, must be a whole number from 0 to %d", m.indexable(), n-1))
		}
		if m.codes > 0 {
			x.Row(i)[c] = 1
		} else {
			copy(x.Row(i), m.cells.Row(c))
		}
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
