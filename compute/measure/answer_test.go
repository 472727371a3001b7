package measure_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/promise/dp"
)

// Two equally common classes and a model that is right on three rows of four:
// a·π + (1−a)(1−π) with a = 3/4.
func TestAnswerAccuracyOfTwoClasses(t *testing.T) {
	scores := nn.Matrix{Rows: 4, Cols: 2, Data: []float32{1, 0, 1, 0, 0, 1, 1, 0}}
	labels := []int{0, 0, 1, 1}
	for _, epsilon := range []dp.Epsilon{0, 0.5, 1, 4, 1000, dp.Infinite} {
		keep := 1 / (1 + math.Exp(-float64(epsilon)))
		want := 0.75*keep + 0.25*(1-keep)
		got, err := measure.AnswerAccuracy(epsilon, scores, labels)
		if err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("AnswerAccuracy(%v) = %v, %v, want %v", epsilon, got, err, want)
		}
	}
}

// Scores that are the true labels' posteriors give what Yardstick computes
// from them, if labels are drawn so that counts equal probabilities.
func TestAnswerAccuracyIsYardstickCounted(t *testing.T) {
	// Each x occurs ten times, with labels in the proportions of its posterior.
	posteriors := [][]float32{{0.7, 0.2, 0.1}, {0.1, 0.6, 0.3}, {0.2, 0.3, 0.5}, {0.5, 0.4, 0.1}}
	var labels []int
	scores := nn.Matrix{Cols: 3}
	for _, eta := range posteriors {
		for c, share := range eta {
			for range int(math.Round(10 * float64(share))) {
				labels = append(labels, c)
				scores.Data = append(scores.Data, eta...)
				scores.Rows++
			}
		}
	}
	for _, epsilon := range []dp.Epsilon{0, 0.3, 1, 2, 5, dp.Infinite} {
		want, err := measure.Yardstick(epsilon, scores, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := measure.AnswerAccuracy(epsilon, scores, labels)
		if err != nil || math.Abs(got-want) > 1e-6 { // posteriors are float32
			t.Errorf("AnswerAccuracy(%v) = %v, %v, want Yardstick's %v", epsilon, got, err, want)
		}
	}
}

// No model makes the answer better than the limit for the labels' own shares.
func TestAnswerAccuracyBelowLimit(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	for range 200 {
		classes, rows := 2+rng.IntN(5), 1+rng.IntN(40)
		scores, labels := nn.NewMatrix(rows, classes), make([]int, rows)
		for i := range labels {
			labels[i] = rng.IntN(classes)
			for c := range classes {
				scores.Row(i)[c] = float32(rng.IntN(3)) // with ties
			}
			scores.Row(i)[labels[i]] += float32(rng.IntN(3))
		}
		epsilon := dp.Epsilon(5 * rng.Float64())
		got, err := measure.AnswerAccuracy(epsilon, scores, labels)
		if err != nil {
			t.Fatal(err)
		}
		var priors []float64
		for c := range classes {
			n := 0.0
			for _, y := range labels {
				if y == c {
					n++
				}
			}
			if n > 0 {
				priors = append(priors, n/float64(rows))
			}
		}
		limit, err := dp.AccuracyBound(epsilon, priors)
		if err != nil {
			t.Fatal(err)
		}
		if majority := measure.Majority(labels); got > limit+1e-9 || got < majority-1e-9 {
			t.Errorf("AnswerAccuracy at ε = %v is %v, want from the majority's %v to the limit %v", epsilon, got, majority, limit)
		}
	}
}

func TestAnswerAccuracyRefuses(t *testing.T) {
	nan := float32(math.NaN())
	for _, tt := range []struct {
		name    string
		epsilon dp.Epsilon
		scores  []float32
		label   int
	}{
		{"negative epsilon", -1, []float32{0, 1}, 0},
		{"NaN epsilon", dp.Epsilon(math.NaN()), []float32{0, 1}, 0},
		{"NaN score", 1, []float32{0, nan}, 0},
		{"infinite score", 1, []float32{0, float32(math.Inf(1))}, 0},
		{"label out of range", 1, []float32{0, 1}, 2},
	} {
		if _, err := measure.AnswerAccuracy(tt.epsilon, nn.Matrix{Rows: 1, Cols: 2, Data: tt.scores}, []int{tt.label}); err == nil {
			t.Errorf("%s: no error", tt.name)
		}
	}
	got, err := measure.AnswerAccuracy(1, nn.Matrix{Rows: 1, Cols: 2, Data: []float32{0, 1}}, []int{-1})
	if err != nil || !math.IsNaN(got) {
		t.Errorf("AnswerAccuracy without known labels = %v, %v, want NaN", got, err)
	}
}
