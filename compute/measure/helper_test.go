package measure_test

import (
	"context"
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

func rng(seed uint64) *weakrand.Rand { return weakrand.New(weakrand.NewPCG(seed, 1)) }

// normal returns a matrix of standard normal numbers.
func normal(r *weakrand.Rand, rows, cols int) nn.Matrix {
	x := nn.NewMatrix(rows, cols)
	for i := range x.Data {
		x.Data[i] = float32(r.NormFloat64())
	}
	return x
}

// labels returns n labels below classes.
func labels(r *weakrand.Rand, n, classes int) []int {
	z := make([]int, n)
	for i := range z {
		z[i] = r.IntN(classes)
	}
	return z
}

// planted returns normal rows whose column 1 is the attribute itself.
func planted(r *weakrand.Rand, rows, cols, classes int) measure.Labelled {
	d := measure.Labelled{X: normal(r, rows, cols), Z: labels(r, rows, classes)}
	for i, z := range d.Z {
		d.X.Row(i)[1] = float32(z)
	}
	return d
}

// pick returns the elements of s at the given places.
func pick[T any](s []T, places []int) []T {
	picked := make([]T, len(places))
	for k, i := range places {
		picked[k] = s[i]
	}
	return picked
}

// pickRows returns the rows of x at the given places.
func pickRows(x nn.Matrix, places []int) nn.Matrix {
	picked := nn.NewMatrix(len(places), x.Cols)
	for k, i := range places {
		copy(picked.Row(k), x.Row(i))
	}
	return picked
}

// fit fits a probe and fails the test on an error.
func fit(t testing.TB, workers int, h measure.Probe, d measure.Labelled, classes int) *measure.Attacker {
	t.Helper()
	a, err := h.Fit(context.Background(), nn.NewPool(workers), d.X, d.Z, classes)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// near reports whether two numbers are within tolerance, or both NaN.
func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance || math.IsNaN(a) && math.IsNaN(b)
}

// sameBits reports whether two matrices are identical.
func sameBits(a, b nn.Matrix) bool {
	if a.Rows != b.Rows || a.Cols != b.Cols {
		return false
	}
	for i := range a.Data {
		if math.Float32bits(a.Data[i]) != math.Float32bits(b.Data[i]) {
			return false
		}
	}
	return true
}

// panics reports whether f does.
func panics(f func()) (did bool) {
	defer func() { did = recover() != nil }()
	f()
	return false
}
