package vector_test

import (
	"math"
	"testing"

	"sotto/nn/vector"
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
