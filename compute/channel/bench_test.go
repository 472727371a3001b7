package channel_test

import (
	"fmt"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/compute/channel"
	"sotto/compute/nn"
)

// labels returns the scores of so many labels of two classes each.
func labels(b *testing.B, texts, count int) nn.Matrix {
	b.Helper()
	rng := weakrand.New(weakrand.NewPCG(9, 1))
	logits := nn.NewMatrix(texts, 2*count)
	for i := range logits.Data {
		logits.Data[i] = float32(rng.NormFloat64() * 1.5)
	}
	classes := slices.Repeat([]int{2}, count)
	answers, err := channel.Answers(classes, 0)
	if err != nil {
		b.Fatal(err)
	}
	return channel.Scores(channel.Posteriors(logits, classes), classes, nil, answers)
}

func BenchmarkSolve(b *testing.B) {
	for _, count := range []int{1, 5} {
		scores := labels(b, 2000, count)
		b.Run(fmt.Sprintf("answers=%d", scores.Cols), func(b *testing.B) {
			gap := 0.0
			for b.Loop() {
				s, err := channel.Solve(b.Context(), scores, 4, channel.Options{})
				if err != nil {
					b.Fatal(err)
				}
				gap = s.Bound - s.Value
			}
			b.ReportMetric(gap*1e6, "ppm-gap")
		})
	}
}

func BenchmarkBestSubset(b *testing.B) {
	scores := labels(b, 2000, 5)
	for b.Loop() {
		if _, err := channel.BestSubset(b.Context(), scores, 4, 2, channel.MaxAnswers); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkProbabilities(b *testing.B) {
	scores := labels(b, 1, 5).Row(0)
	weights, p := make([]float64, len(scores)), make([]float64, len(scores))
	for v := range weights {
		weights[v] = 1 / (31 + 54.6)
	}
	b.ReportAllocs()
	for b.Loop() {
		channel.Probabilities(p, weights, 4, scores)
	}
}
