package mech_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/promise/mech"
)

// TestBookScores holds the inner products of a book against a loop, to the bit:
// releases that were paid for must come again as they were.
func TestBookScores(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	for _, size := range [][2]int{{1, 1}, {2, 3}, {31, 5}, {32, 1}, {32, 128}, {33, 7}, {64, 64}, {95, 100}, {2048, 128}} {
		words := make([][]float32, size[0])
		x := make([]float32, size[1])
		draw := func() float32 {
			// Over many orders of magnitude, so that a product that is not rounded, or a
			// sum in another order, shows.
			return float32(rng.NormFloat64() * math.Exp(20*rng.NormFloat64()))
		}
		for j := range x {
			x[j] = draw()
		}
		for i := range words {
			words[i] = make([]float32, len(x))
			for j := range x {
				words[i][j] = draw()
			}
		}
		for i, got := range mech.BookScores(words, x) {
			want := float32(0)
			for j, v := range x {
				want += float32(v * words[i][j])
			}
			if math.Float32bits(got) != math.Float32bits(want) {
				t.Fatalf("%d codewords of %d: score %d is %v, want %v", size[0], size[1], i, got, want)
			}
		}
	}
}

// BenchmarkCodebookChoose is a release of the gateway's default mechanism.
func BenchmarkCodebookChoose(b *testing.B) {
	m := codebook(b, mech.Params{Dim: 128, Epsilon: 8})
	x := make([]float64, 128)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	src := weakrand.NewPCG(1, 2)
	for b.Loop() {
		if _, err := m.Choose(x, src); err != nil {
			b.Fatal(err)
		}
	}
}
