package vector_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/compute/nn/vector"
)

func TestSquash(t *testing.T) {
	for _, x := range []float32{-200, -20, -3, -0.5, -1e-4, 0, 1e-4, 0.5, 3, 20, 200} {
		if got, want := vector.Sigmoid(x), 1/(1+math.Exp(-float64(x))); !(math.Abs(float64(got)-want) <= 2e-7) {
			t.Errorf("Sigmoid(%v) = %v, want %v", x, got, want)
		}
		if got, want := vector.Tanh(x), math.Tanh(float64(x)); !(math.Abs(float64(got)-want) <= 2e-7) {
			t.Errorf("Tanh(%v) = %v, want %v", x, got, want)
		}
	}
}

// TestSquashBits holds the loops of every machine against the functions, bit for bit.
func TestSquashBits(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	x := []float32{0, float32(math.Copysign(0, -1)), 1e-40, -1e-40, 87, -87, 43.5, -43.5, 88, -88, float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, -math.MaxFloat32}
	for range 20_001 {
		x = append(x, float32(rng.NormFloat64()*math.Exp(4*rng.Float64()-2)))
	}
	x = append(x, float32(math.NaN()))
	for name, v := range vector.All() {
		got := make([]float32, len(x))
		for what, f := range map[string]struct {
			loop func(dst, x []float32)
			one  func(float32) float32
		}{"Sigmoid": {v.Sigmoid, vector.Sigmoid}, "Tanh": {v.Tanh, vector.Tanh}} {
			for _, part := range [][]float32{x, x[:3], x[7:23], x[len(x)-8:], nil} {
				f.loop(got[:len(part)], part)
				for k, u := range part {
					want := f.one(u)
					if math.Float32bits(got[k]) != math.Float32bits(want) && (got[k] == got[k] || want == want) {
						t.Fatalf("%s: %s(%v) = %v, want %v", name, what, u, got[k], want)
					}
				}
			}
		}
	}
}

func BenchmarkSquash(b *testing.B) {
	x := make([]float32, 800)
	for k := range x {
		x[k] = float32(k-400) / 50
	}
	dst := make([]float32, len(x))
	for name, v := range vector.All() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				v.Sigmoid(dst, x)
			}
		})
	}
}
