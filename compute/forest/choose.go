package forest

import (
	"context"
	weakrand "math/rand/v2"

	"sotto/compute/measure"
)

// Tried is what one choice of options gave in a cross-validation.
type Tried struct {
	Options Options   `json:"options"`
	AUC     float64   `json:"auc"` // of all rows, each by the forest that did not see its fold
	Scores  []float64 `json:"-"`   // the answers to the rows, in their order
}

// Choose tries options by cross-validation on some rows and returns what each gave,
// and which was the best: the first of equals. Folds are drawn by the seed, so that
// each has its part of the positive rows.
func Choose(ctx context.Context, m *Matrix, rows []int, y []bool, grid []Options, folds int, seed uint64, workers int) (best int, tried []Tried, err error) {
	parts := Folds(rows, y, folds, seed)
	positive := make([]bool, len(rows))
	for k, i := range rows {
		positive[k] = y[i]
	}
	for g, o := range grid {
		t := Tried{Options: o, Scores: make([]float64, len(rows))}
		for fold := range folds {
			var train, test, places []int
			for k, i := range rows {
				if parts[k] == fold {
					test, places = append(test, i), append(places, k)
				} else {
					train = append(train, i)
				}
			}
			if len(train) == 0 || len(test) == 0 {
				continue
			}
			f, err := o.Fit(ctx, m, train, y, workers)
			if err != nil {
				return 0, nil, err
			}
			for k, p := range f.Predict(m, test, workers) {
				t.Scores[places[k]] = p
			}
		}
		t.AUC = measure.AUC(positive, t.Scores)
		tried = append(tried, t)
		if t.AUC > tried[best].AUC {
			best = g
		}
	}
	return best, tried, nil
}

// Folds deals rows into folds at random, positive and negative ones apart, and
// returns the fold of each.
func Folds(rows []int, y []bool, folds int, seed uint64) []int {
	rng := weakrand.New(weakrand.NewPCG(seed, 0x666f6c64))
	part := make([]int, len(rows))
	next := 0
	for _, class := range []bool{true, false} {
		var some []int
		for k, i := range rows {
			if y[i] == class {
				some = append(some, k)
			}
		}
		rng.Shuffle(len(some), func(a, b int) { some[a], some[b] = some[b], some[a] })
		for _, k := range some {
			part[k] = next % folds
			next++
		}
	}
	return part
}
