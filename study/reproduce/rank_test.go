package reproduce_test

import (
	"fmt"
	"math"
	"testing"

	"sotto/study/reproduce"
)

func TestSpearman(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		name string
		a, b []float64
		want float64
	}{
		{"same order", []float64{1, 2, 30}, []float64{-5, 0, 0.1}, 1},
		{"reversed", []float64{1, 2, 3, 4}, []float64{4, 3, 2, 1}, -1},
		// Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: 4.5/√(4.5·5).
		{"ties share ranks", []float64{1, 2, 2, 4}, []float64{1, 3, 2, 4}, 4.5 / math.Sqrt(22.5)},
		// The ranks differ by 0, 1, 1, 1, 1, 0: 1 − 6·4/(6·35).
		{"by the formula", []float64{1, 2, 3, 4, 5, 6}, []float64{1, 3, 2, 5.5, 3.5, 7}, 1 - 6.0*4/(6*35)},
		{"constant", []float64{1, 1, 1}, []float64{1, 2, 3}, nan},
		{"not a number", []float64{1, nan, 3}, []float64{1, 2, 3}, nan},
		{"empty", nil, nil, nan},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := reproduce.Spearman(tt.a, tt.b)
			if math.Abs(got-tt.want) > 1e-12 || math.IsNaN(got) != math.IsNaN(tt.want) {
				t.Errorf("Spearman = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestSpearmanPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("Spearman of different lengths did not panic")
		}
	}()
	reproduce.Spearman([]float64{1}, nil)
}

func TestSpearmanInterval(t *testing.T) {
	// tanh(0.549306 ∓ 1.959964·√(1.125/100)).
	low, high := reproduce.SpearmanInterval(0.5, 103)
	if math.Abs(low-0.32874503) > 1e-8 || math.Abs(high-0.63941985) > 1e-8 {
		t.Errorf("SpearmanInterval(0.5, 103) = %v, %v, want 0.32874503, 0.63941985", low, high)
	}
	if low, high = reproduce.SpearmanInterval(0.5, 3); !math.IsNaN(low) || !math.IsNaN(high) {
		t.Errorf("SpearmanInterval of 3 pairs = %v, %v, want NaN", low, high)
	}
}

func ExampleSpearman() {
	fmt.Printf("%.3f\n", reproduce.Spearman([]float64{0.1, 0.4, 0.4, 0.9}, []float64{1, 3, 2, 5}))
	// Output: 0.949
}
