package erase_test

import (
	"fmt"
	weakrand "math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"sotto/compute/nn"
	"sotto/study/bias/erase"
)

// The width of most word vectors, and as many rows as fit a cache.
const (
	benchDim  = 300
	benchRows = 2048
)

func normals(n int) []float64 {
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

func perSecond(b *testing.B) {
	b.ReportMetric(float64(b.N)*benchRows/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkDgemm is what the others are measured by: rows times a matrix of
// their width, as P would be, or a covariance.
func BenchmarkDgemm(b *testing.B) {
	rows, square := normals(benchRows*benchDim), normals(benchDim*benchDim)
	out := make([]float64, len(rows))
	general := func(v []float64, n int) blas64.General {
		return blas64.General{Rows: n, Cols: benchDim, Stride: benchDim, Data: v}
	}
	b.Run("rows by matrix", func(b *testing.B) {
		for b.Loop() {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, general(rows, benchRows), general(square, benchDim), 0, general(out, benchRows))
		}
		perSecond(b)
	})
	b.Run("covariance", func(b *testing.B) {
		for b.Loop() {
			blas64.Gemm(blas.Trans, blas.NoTrans, 1, general(rows, benchRows), general(rows, benchRows), 0, general(square, benchDim))
		}
		perSecond(b)
	})
}

// BenchmarkApply erases rows in place, with the rank of LEACE for two classes
// and of INLP after many classifiers.
func BenchmarkApply(b *testing.B) {
	pool := nn.NewPool(runtime.GOMAXPROCS(0))
	for _, rank := range []int{1, 20, 90} {
		b.Run(fmt.Sprintf("rank %d", rank), func(b *testing.B) {
			m, err := erase.NewMoments(benchDim, rank)
			if err != nil {
				b.Fatal(err)
			}
			x, z := normals(benchRows*benchDim), normals(benchRows*rank)
			for i := range benchRows {
				if err = m.Add(x[i*benchDim:(i+1)*benchDim], z[i*rank:(i+1)*rank]); err != nil {
					b.Fatal(err)
				}
			}
			e, err := erase.LEACE{}.Fit(m)
			if err != nil {
				b.Fatal(err)
			}
			if e.Rank() != rank {
				b.Fatalf("rank = %d, want %d", e.Rank(), rank)
			}
			b.SetBytes(benchRows * benchDim * 8)
			for b.Loop() {
				e.Apply(pool, x)
			}
			perSecond(b)
		})
	}
}

func BenchmarkMoments(b *testing.B) {
	m, err := erase.NewMoments(benchDim, 2)
	if err != nil {
		b.Fatal(err)
	}
	rows := normals(benchRows * benchDim)
	b.SetBytes(benchRows * benchDim * 8)
	for b.Loop() {
		for i := range benchRows {
			if err := m.AddClass(rows[i*benchDim:(i+1)*benchDim], i%2); err != nil {
				b.Fatal(err)
			}
		}
	}
	perSecond(b)
}

func BenchmarkFitLEACE(b *testing.B) {
	m, err := erase.NewMoments(benchDim, 2)
	if err != nil {
		b.Fatal(err)
	}
	rows := normals(benchRows * benchDim)
	for i := range benchRows {
		if err := m.AddClass(rows[i*benchDim:(i+1)*benchDim], i%2); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if _, err := (erase.LEACE{}).Fit(m); err != nil {
			b.Fatal(err)
		}
	}
}
