package nn_test

import (
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/compute/nn"
)

// rng returns a generator that repeats itself.
func rng(seed uint64) *weakrand.Rand { return weakrand.New(weakrand.NewPCG(seed, 1)) }

// random returns a matrix of normal numbers.
func random(r *weakrand.Rand, rows, cols int) nn.Matrix {
	m := nn.NewMatrix(rows, cols)
	for i := range m.Data {
		m.Data[i] = float32(r.NormFloat64())
	}
	return m
}

// away moves the numbers of m at least gap away from zero, where ReLU and the
// L1 norm have no derivative.
func away(m nn.Matrix, gap float32) nn.Matrix {
	for i, v := range m.Data {
		m.Data[i] = v + float32(math.Copysign(float64(gap), float64(v)))
	}
	return m
}

// sameBits reports whether two matrices are equal bit by bit.
func sameBits(a, b nn.Matrix) bool {
	return a.Rows == b.Rows && a.Cols == b.Cols && slices.EqualFunc(a.Data, b.Data, func(x, y float32) bool {
		return math.Float32bits(x) == math.Float32bits(y)
	})
}

// near reports the first element by which two matrices differ by more than
// tolerance, absolutely.
func near(a, b nn.Matrix, tolerance float64) error {
	if a.Rows != b.Rows || a.Cols != b.Cols {
		return fmt.Errorf("sizes %d×%d and %d×%d differ", a.Rows, a.Cols, b.Rows, b.Cols)
	}
	for i, v := range a.Data {
		if d := math.Abs(float64(v) - float64(b.Data[i])); !(d <= tolerance) {
			return fmt.Errorf("element %d of %d: got %v, want %v within %.3g", i, len(a.Data), v, b.Data[i], tolerance)
		}
	}
	return nil
}

// panics checks that f panics with a message that begins with "nn: ".
func panics(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		message, ok := recover().(string)
		if !ok || len(message) < 5 || message[:4] != "nn: " {
			t.Errorf("%s: panicked with %q, want a message of nn", name, message)
		}
	}()
	f()
}
