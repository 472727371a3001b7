package channel

import (
	"cmp"
	"context"
	"math"
	"slices"

	"sotto/compute/nn"
	"sotto/promise/dp"
)

// SolveFew returns the answers of the best channel, as columns of the scores, and
// their weights, none of which is 0. Where they are more than most, unless that is
// 0, the heaviest stay and are weighted anew.
func SolveFew(ctx context.Context, scores nn.Matrix, epsilon dp.Epsilon, most int, o Options) (kept []int, weights []float64, err error) {
	s, err := Solve(ctx, scores, epsilon, o)
	if err != nil {
		return nil, nil, err
	}
	kept = heaviest(s.Weights, scores.Cols)
	weights = s.Weights
	if most > 0 && len(kept) > most {
		few := heaviest(s.Weights, most)
		if s, err = Solve(ctx, columns(scores, few), epsilon, o); err != nil {
			return nil, nil, err
		}
		kept, weights = few, make([]float64, scores.Cols)
		for i, v := range few {
			weights[v] = s.Weights[i]
		}
	}
	kept = slices.DeleteFunc(kept, func(v int) bool { return weights[v] == 0 })
	own := make([]float64, len(kept))
	for i, v := range kept {
		own[i] = weights[v]
	}
	return kept, own, nil
}

// heaviest returns the places of the largest weights, at most so many, without
// those that are 0.
func heaviest(weights []float64, most int) []int {
	var places []int
	for v, w := range weights {
		if w > 0 {
			places = append(places, v)
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	places = places[:min(most, len(places))]
	slices.Sort(places)
	return places
}

// columns copies the given columns of a matrix.
func columns(x nn.Matrix, which []int) nn.Matrix {
	some := nn.NewMatrix(x.Rows, len(which))
	for i := range x.Rows {
		for j, v := range which {
			some.Row(i)[j] = x.Row(i)[v]
		}
	}
	return some
}

// Decode returns, for each answer of a channel, the logarithm of the probability
// of each class given that the answer was released: what is known of the texts,
// weighted by how likely each is to give the answer. A row of known holds the
// probabilities of the labels' classes, as for [Scores]; where they are weighed by
// class, so are those returned, which then need not sum to 1.
func Decode(known nn.Matrix, classes []int, scores nn.Matrix, weights []float64, epsilon dp.Epsilon) nn.Matrix {
	width := 0
	for _, c := range classes {
		width += c
	}
	sums := make([][]float64, len(weights))
	for v := range sums {
		sums[v] = make([]float64, width)
	}
	mass := make([]float64, len(weights))
	p := make([]float64, len(weights))
	for i := range scores.Rows {
		Probabilities(p, weights, epsilon, scores.Row(i))
		for v, share := range p {
			mass[v] += share
			for c, q := range known.Row(i)[:width] {
				sums[v][c] += float64(share * float64(q))
			}
		}
	}
	table := nn.NewMatrix(len(weights), width)
	for v := range sums {
		for c, sum := range sums[v] {
			// A class that no text has keeps a chance, so that nothing is infinite.
			table.Row(v)[c] = float32(math.Log((sum + 1e-6) / (mass[v] + float64(1e-6*float64(table.Cols)))))
		}
	}
	return table
}
