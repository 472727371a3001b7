package channel_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"sotto/compute/channel"
	"sotto/compute/nn"
	"sotto/promise/dp"
)

// simplex returns the value of the best channel by a method of its own: the
// linear program in w, y = P−w and what y lacks of (E−1)·w, solved by the simplex
// method. That fails on some programs whose numbers are far apart.
func simplex(scores nn.Matrix, epsilon float64) (float64, error) {
	n, v := scores.Rows, scores.Cols
	cost := make([]float64, v+2*n*v)
	a, b := mat.NewDense(n*v+n, len(cost), nil), make([]float64, n*v+n)
	for i := range n {
		for j, s := range scores.Row(i) {
			y, lack, row := v+i*v+j, v+n*v+i*v+j, i*v+j
			cost[j] -= float64(s) / float64(n)
			cost[y] -= float64(s) / float64(n)
			a.Set(row, y, 1) // y + lack = (E−1)·w
			a.Set(row, lack, 1)
			a.Set(row, j, -math.Expm1(epsilon))
			a.Set(n*v+i, j, 1) // Σ(w+y) = 1
			a.Set(n*v+i, y, 1)
		}
		b[n*v+i] = 1
	}
	least, _, err := lp.Simplex(cost, a, b, 1e-10, nil)
	return -least, err
}

// within is how far Solve may be from the best, at either end: it stops where
// value and bound are 2e-4 apart, and gives away 1e-5 for fewer answers.
const within = 3e-4

// solve is Solve with settings that leave nothing to doubt.
func solve(t testing.TB, scores nn.Matrix, epsilon float64) channel.Solution {
	t.Helper()
	s, err := channel.Solve(t.Context(), scores, dp.Epsilon(epsilon), channel.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// valueOf is the mean score of the channel that has the given weights, and
// checks that it is one.
func valueOf(t testing.TB, scores nn.Matrix, weights []float64, epsilon float64) float64 {
	t.Helper()
	p := make([]float64, scores.Cols)
	mean := 0.0
	for i := range scores.Rows {
		channel.Probabilities(p, weights, dp.Epsilon(epsilon), scores.Row(i))
		sum := 0.0
		for v, x := range p {
			sum += x
			mean += x * float64(scores.Row(i)[v]) / float64(scores.Rows)
			if most := math.Exp(epsilon) * weights[v]; !(x >= weights[v] && (x <= most*(1+1e-14) || weights[v] == 0 && x == 0)) {
				t.Errorf("ε = %v: probability of an answer is %v, want from %v to %v", epsilon, x, weights[v], most)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("ε = %v: probabilities sum to %v, want 1", epsilon, sum)
		}
	}
	return mean
}

// random returns scores of one of three kinds: any, of few values so that many
// are equal, and those of two labels.
func random(rng *weakrand.Rand, n, v int) nn.Matrix {
	scores := nn.NewMatrix(n, v)
	kind := rng.IntN(3)
	for i := range scores.Data {
		scores.Data[i] = rng.Float32()
		if kind == 1 {
			scores.Data[i] = float32(rng.IntN(4)) / 4
		}
	}
	if kind < 2 || v != 4 {
		return scores
	}
	posteriors := channel.Posteriors(scores, []int{2, 2})
	answers, err := channel.Answers([]int{2, 2}, 0)
	if err != nil {
		panic(err)
	}
	return channel.Scores(posteriors, []int{2, 2}, nil, answers)
}

// matrix makes scores of rows.
func matrix(rows ...[]float32) nn.Matrix {
	m := nn.NewMatrix(len(rows), len(rows[0]))
	for i, row := range rows {
		copy(m.Row(i), row)
	}
	return m
}
