package encode

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"sotto/nn"
)

// Texts returns a matrix with the vector of each text as a row. It is the same
// for every number of workers. When ctx is done it returns the error of ctx.
func Texts(ctx context.Context, e Encoder, texts []string, workers int) (nn.Matrix, error) {
	return rows(ctx, len(texts), e.Dim(), workers, func(row []float32, i int) {
		e.Encode(row, texts[i])
	})
}

// Pairs returns a matrix with a row of width 2·Dim for each pair of texts, such
// as two sentences that may mean the same: with u and v the vectors of first[i]
// and second[i], row i is |u − v|, element by element, followed by u ⊙ v. So
// the order of the two does not matter. It is the same for every number of
// workers. When ctx is done it returns the error of ctx. It panics if first and
// second differ in length.
func Pairs(ctx context.Context, e Encoder, first, second []string, workers int) (nn.Matrix, error) {
	if len(first) != len(second) {
		panic(fmt.Sprintf("encode: %d first and %d second texts, want as many", len(first), len(second)))
	}
	dim := e.Dim()
	return rows(ctx, len(first), 2*dim, workers, func(row []float32, i int) {
		u, v := row[:dim], row[dim:]
		e.Encode(u, first[i])
		e.Encode(v, second[i])
		for j, a := range u {
			b := v[j]
			u[j], v[j] = float32(math.Abs(float64(a-b))), a*b
		}
	})
}

// rowBlock is the number of rows that a worker takes at a time.
const rowBlock = 64

// rows makes a matrix of n rows and fills each by a call of fill.
func rows(ctx context.Context, n, width, workers int, fill func(row []float32, i int)) (nn.Matrix, error) {
	if workers < 1 {
		return nn.Matrix{}, fmt.Errorf("encode: workers is %d, must be at least 1", workers)
	}
	if n > math.MaxInt/8/width {
		return nn.Matrix{}, fmt.Errorf("encode: %d rows of %d numbers do not fit into memory, must be fewer", n, width)
	}
	m := nn.NewMatrix(n, width)
	var next atomic.Int64 // the first row that nobody has taken
	run := func() {
		for ctx.Err() == nil {
			lo := int(next.Add(rowBlock)) - rowBlock
			if lo >= n {
				return
			}
			for i := lo; i < min(n, lo+rowBlock); i++ {
				fill(m.Row(i), i)
			}
		}
	}
	var others sync.WaitGroup
	for range min(workers, (n+rowBlock-1)/rowBlock) - 1 {
		others.Go(run)
	}
	run()
	others.Wait()
	if err := ctx.Err(); err != nil {
		return nn.Matrix{}, err
	}
	return m, nil
}
