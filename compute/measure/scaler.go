package measure

import (
	"math"

	"sotto/compute/nn"
)

// scaler takes the mean of each column to 0 and its deviation to 1.
type scaler struct {
	mean, factor []float64 // factor is 1/deviation, and 0 for a constant column
}

// newScaler measures the given rows of x.
func newScaler(x nn.Matrix, rows []int) scaler {
	// Differences from the first row are exactly 0 in a constant column,
	// which differences from a rounded mean would not be.
	n, first := float64(len(rows)), x.Row(rows[0])
	s := scaler{mean: make([]float64, x.Cols), factor: make([]float64, x.Cols)}
	for _, i := range rows {
		for j, v := range x.Row(i) {
			s.mean[j] += (float64(v) - float64(first[j])) / n
		}
	}
	squares := s.factor
	for _, i := range rows {
		for j, v := range x.Row(i) {
			d := float64(v) - float64(first[j]) - s.mean[j]
			squares[j] += d * d
		}
	}
	for j, sum := range squares {
		s.mean[j] += float64(first[j])
		if sum > 0 {
			s.factor[j] = 1 / math.Sqrt(sum/n)
		}
	}
	return s
}

// identity leaves numbers as they are, up to the clipping.
func identity(x nn.Matrix, _ []int) scaler {
	s := scaler{mean: make([]float64, x.Cols), factor: make([]float64, x.Cols)}
	for j := range s.factor {
		s.factor[j] = 1
	}
	return s
}

// to sets dst to the standardised row. Among n rows none is more than √n
// deviations from the mean, so the clipping reaches only rows that were not
// fitted, and keeps them from overflowing.
func (s scaler) to(dst, row []float32) {
	dst, mean, factor := dst[:len(row)], s.mean[:len(row)], s.factor[:len(row)]
	for j, v := range row {
		w := (float64(v) - mean[j]) * factor[j]
		if w > 1e6 { // the built-in min and max would cost as much as all the rest
			w = 1e6
		} else if w < -1e6 {
			w = -1e6
		}
		dst[j] = float32(w)
	}
}
