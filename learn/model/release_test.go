package model_test

import (
	"math"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/learn/model"
)

func TestZScore(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	x := make([]float64, 1000)
	for i := range x {
		x[i] = 5 + 3*rng.NormFloat64()
	}
	model.ZScore.Apply(x)
	mean, square := 0.0, 0.0
	for _, v := range x {
		mean += v / 1000
		square += v * v / 1000
	}
	if math.Abs(mean) > 1e-12 || math.Abs(square-1) > 1e-12 {
		t.Errorf("mean is %v and mean square %v, want 0 and 1", mean, square)
	}
	// Sums of equal numbers round, and a tenth is no binary fraction.
	for _, v := range []float64{0, 0.1, -1e30, 1e-300} {
		x := slices.Repeat([]float64{v}, 1001)
		model.ZScore.Apply(x)
		if slices.Max(x) != 0 || slices.Min(x) != 0 {
			t.Errorf("a vector of equal numbers %v has numbers up to %v, want 0", v, slices.Max(x))
		}
	}
	y := []float64{1, 2}
	model.Scaling("").Apply(y)
	if y[0] != 1 || y[1] != 2 {
		t.Errorf("no scaling makes %v of 1, 2", y)
	}
}
