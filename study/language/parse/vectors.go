package parse

import (
	"fmt"
	"math"

	"sotto/compute/nn"
)

// vectors are given vectors of words, a byte a number: a number is its byte
// times the scale of its row.
type vectors struct {
	dim   int
	words []string
	scale []float32
	bytes []int8
}

// quantise returns vectors in bytes.
func quantise(words []string, m nn.Matrix) (*vectors, error) {
	if len(words) != m.Rows {
		return nil, fmt.Errorf("parse: there are %d words for %d vectors", len(words), m.Rows)
	}
	v := &vectors{dim: m.Cols, words: words, scale: make([]float32, m.Rows), bytes: make([]int8, len(m.Data))}
	for i := range m.Rows {
		v.scale[i] = toBytes(v.bytes[i*m.Cols:], m.Row(i))
	}
	return v, m.Finite()
}

// toBytes sets dst to a row in bytes, and returns its scale.
func toBytes(dst []int8, row []float32) float32 {
	largest := float32(0)
	for _, x := range row {
		largest = max(largest, max(x, -x))
	}
	if largest == 0 {
		return 0
	}
	scale := largest / 127
	for j, x := range row {
		dst[j] = int8(math.Round(float64(x / scale)))
	}
	return scale
}

// row sets dst to the vector of a row.
func (v *vectors) row(dst []float32, i int) {
	fromBytes(dst, v.bytes[i*v.dim:(i+1)*v.dim], v.scale[i])
}

// fromBytes sets dst to a row of bytes.
func fromBytes(dst []float32, row []int8, scale float32) {
	row = row[:len(dst)]
	for j := range dst {
		dst[j] = float32(row[j]) * scale
	}
}
