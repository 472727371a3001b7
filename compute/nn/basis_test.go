package nn_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/compute/nn"
)

// TestBasis checks that vectors lose what lies in the span of a basis, by both
// ways, and that a vector of the span adds nothing. Tolerances are a few units of
// float32 for vectors of length 3.
func TestBasis(t *testing.T) {
	const n = 6
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	draw := func() []float64 {
		v := make([]float64, n)
		for j := range v {
			v[j] = rng.NormFloat64()
		}
		return v
	}
	var b nn.Basis
	first := draw()
	b = b.With(append([]float64(nil), first...)).With(draw())
	if again := b.With(first); len(b) != 2 || len(again) != 2 {
		t.Fatalf("the basis has %d and then %d vectors, want 2 and 2", len(b), len(again))
	}
	x := nn.NewMatrix(1, n)
	for j, v := range draw() {
		x.Data[j] = float32(v)
	}
	product := nn.NewMatrix(1, n)
	nn.NewPool(1).Mul(product, x, b.Complement(n))
	b.RemoveFrom(x.Data)
	for i, u := range b {
		dot, length := 0.0, 0.0
		for j := range u {
			dot += u[j] * float64(x.Data[j])
			length += u[j] * u[j]
		}
		if math.Abs(dot) > 1e-6 || math.Abs(length-1) > 1e-12 {
			t.Errorf("direction %d has length² %v, and %v of it is left, want 1 and 0", i, length, dot)
		}
	}
	for j, v := range product.Data {
		if math.Abs(float64(v-x.Data[j])) > 1e-6 {
			t.Errorf("coordinate %d is %v by the matrix, want %v", j, v, x.Data[j])
		}
	}
}
