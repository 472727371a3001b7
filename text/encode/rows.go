package encode

import (
	"context"
	"fmt"
	"math"

	"sotto/compute/nn"
)

// Texts returns a matrix with the vector of each text as a row. It is the same
// for every number of workers. When ctx is done it returns the error of ctx.
func Texts(ctx context.Context, s Source, texts []string, workers int) (nn.Matrix, error) {
	m, err := newRows(len(texts), s.Dim(), workers)
	if err != nil {
		return nn.Matrix{}, err
	}
	if err := fill(ctx, s, m, texts, workers); err != nil {
		return nn.Matrix{}, err
	}
	return m, nil
}

// Pairs returns a matrix with a row of width 2·Dim for each pair of texts, such
// as two sentences that may mean the same: with u and v the vectors of first[i]
// and second[i], row i is |u − v|, element by element, followed by u ⊙ v. So
// the order of the two does not matter. It is the same for every number of
// workers. When ctx is done it returns the error of ctx. It panics if first and
// second differ in length.
func Pairs(ctx context.Context, s Source, first, second []string, workers int) (nn.Matrix, error) {
	if len(first) != len(second) {
		panic(fmt.Sprintf("encode: %d first and %d second texts, want as many", len(first), len(second)))
	}
	dim := s.Dim()
	m, err := newRows(len(first), 2*dim, workers)
	if err != nil {
		return nn.Matrix{}, err
	}
	u, err := Texts(ctx, s, first, workers)
	if err != nil {
		return nn.Matrix{}, err
	}
	v, err := Texts(ctx, s, second, workers)
	if err != nil {
		return nn.Matrix{}, err
	}
	for i := range first {
		row := m.Row(i)
		far, like := row[:dim], row[dim:]
		for j, a := range u.Row(i) {
			b := v.Row(i)[j]
			far[j], like[j] = float32(math.Abs(float64(a-b))), a*b
		}
	}
	return m, nil
}

// newRows makes a matrix, if there can be so large a one.
func newRows(n, width, workers int) (nn.Matrix, error) {
	if err := checkWorkers(workers); err != nil {
		return nn.Matrix{}, err
	}
	if n > math.MaxInt/8/width {
		return nn.Matrix{}, fmt.Errorf("encode: %d rows of %d numbers do not fit into memory, must be fewer", n, width)
	}
	return nn.NewMatrix(n, width), nil
}

// rowBlock is the number of rows that a worker takes at a time.
const rowBlock = 64
