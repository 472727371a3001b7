package erase_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/study/bias/erase"
)

// sample is rows with correlated columns far from zero, and classes that shift
// them along a direction of their own each.
type sample struct {
	dim  int
	rows []float64
	z    []int
}

func newSample(seed uint64, n, dim, classes int) sample {
	rng := weakrand.New(weakrand.NewPCG(seed, 1))
	mix := make([]float64, dim*dim)
	for i := range mix {
		mix[i] = rng.NormFloat64()
	}
	shift := make([]float64, classes*dim)
	for i := range shift {
		shift[i] = rng.NormFloat64()
	}
	s := sample{dim: dim}
	for range n {
		z := rng.IntN(classes)
		row := make([]float64, dim)
		for i := range dim {
			v := rng.NormFloat64()
			for j := range dim {
				row[j] += mix[i*dim+j] * v
			}
		}
		for j := range row {
			row[j] += 100 + shift[z*dim+j]
		}
		s.rows, s.z = append(s.rows, row...), append(s.z, z)
	}
	return s
}

func (s sample) row(i int) []float64 { return s.rows[i*s.dim : (i+1)*s.dim] }

func (s sample) labelled() measure.Labelled {
	x := nn.NewMatrix(len(s.z), s.dim)
	for i, v := range s.rows {
		x.Data[i] = float32(v)
	}
	return measure.Labelled{X: x, Z: s.z}
}

// moments returns those of the rows with one column for each class.
func (s sample) moments(t *testing.T, classes int) *erase.Moments {
	t.Helper()
	m, err := erase.NewMoments(s.dim, classes)
	if err != nil {
		t.Fatal(err)
	}
	for i, z := range s.z {
		if err := m.AddClass(s.row(i), z); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// wantProjection checks that P² = P and that its rank is the width less what is
// removed, which for a projection is its trace.
func wantProjection(t *testing.T, e *erase.Eraser) *mat.Dense {
	t.Helper()
	p := e.Matrix()
	var twice mat.Dense
	twice.Mul(p, p)
	twice.Sub(&twice, p)
	if got := mat.Norm(&twice, 2); got > 1e-9*mat.Norm(p, 2) {
		t.Errorf("‖P²−P‖ = %v of ‖P‖ = %v, want 0", got, mat.Norm(p, 2))
	}
	if got, want := mat.Trace(p), float64(e.Dim()-e.Rank()); math.Abs(got-want) > 1e-8*float64(e.Dim()) {
		t.Errorf("rank of P = %v, want %v", got, want)
	}
	return p
}

func wantNear(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}
