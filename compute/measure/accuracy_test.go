package measure_test

import (
	"math"
	"testing"

	"sotto/compute/measure"
)

var nan = math.NaN()

func TestAccuracy(t *testing.T) {
	for _, c := range []struct {
		name                         string
		want, got                    []int
		accuracy, balanced, majority float64
	}{
		{"none", nil, nil, nan, nan, nan},
		{"all unknown", []int{-1, -1}, []int{0, -1}, nan, nan, nan},
		{"unknown rows do not count", []int{0, -1, 1, 1}, []int{0, 0, 0, 1}, 2. / 3, 3. / 4, 2. / 3},
		{"unbalanced", []int{0, 0, 0, 0, 2}, []int{0, 0, 0, 0, 0}, 4. / 5, 1. / 2, 4. / 5},
		{"no prediction is wrong", []int{0, 1}, []int{-1, 1}, 1. / 2, 1. / 2, 1. / 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range []struct {
				name      string
				got, want float64
			}{
				{"Accuracy", measure.Accuracy(c.want, c.got), c.accuracy},
				{"BalancedAccuracy", measure.BalancedAccuracy(c.want, c.got), c.balanced},
				{"Majority", measure.Majority(c.want), c.majority},
			} {
				if !near(r.got, r.want, 1e-15) {
					t.Errorf("%s = %v, want %v", r.name, r.got, r.want)
				}
			}
		})
	}
}

func TestLengthsDiffer(t *testing.T) {
	for name, f := range map[string]func(){
		"Accuracy":            func() { measure.Accuracy([]int{1}, nil) },
		"BalancedAccuracy":    func() { measure.BalancedAccuracy([]int{1}, nil) },
		"AUC":                 func() { measure.AUC([]bool{true}, nil) },
		"TruePositives":       func() { measure.TruePositives([]int{1}, []int{1}, nil, 2, 2) },
		"TruePositives label": func() { measure.TruePositives([]int{2}, []int{1}, []int{0}, 2, 2) },
		"TruePositives group": func() { measure.TruePositives([]int{0}, []int{1}, []int{2}, 2, 2) },
		"TruePositives one":   func() { measure.TruePositives(nil, nil, nil, 2, 1) },
		"ClopperPearson":      func() { measure.ClopperPearson(3, 2, 0.95) },
		"confidence":          func() { measure.ClopperPearson(1, 2, nan) },
	} {
		if !panics(f) {
			t.Errorf("%s with a broken call did not panic", name)
		}
	}
}

func TestAUC(t *testing.T) {
	for _, c := range []struct {
		name     string
		positive []bool
		score    []float64
		want     float64
	}{
		{"none", nil, nil, nan},
		{"one kind", []bool{true, true}, []float64{1, 2}, nan},
		{"score NaN", []bool{true, false}, []float64{1, nan}, nan},
		{"in order", []bool{false, true, false, true}, []float64{1, 3, 2, 4}, 1},
		{"reversed", []bool{true, false}, []float64{1, 2}, 0},
		{"all tied", []bool{true, false, true}, []float64{1, 1, 1}, 0.5},
		// Pairs of a positive (3, 1) with a negative (3, 0, 2): ½+1+1+0+1+0 of 6.
		{"mixed", []bool{true, false, true, false, false}, []float64{3, 3, 1, 0, 2}, 3.5 / 6},
		{"infinite", []bool{true, false}, []float64{math.Inf(1), math.Inf(-1)}, 1},
	} {
		if got := measure.AUC(c.positive, c.score); !near(got, c.want, 1e-15) {
			t.Errorf("%s: AUC = %v, want %v", c.name, got, c.want)
		}
	}
}

// TestAUCPairs compares with the definition, the count of pairs.
func TestAUCPairs(t *testing.T) {
	r := rng(1)
	positive, score := make([]bool, 200), make([]float64, 200)
	for i := range positive {
		positive[i], score[i] = r.IntN(3) == 0, float64(r.IntN(20))
	}
	above, pairs := 0.0, 0.0
	for i := range positive {
		for j := range positive {
			if positive[i] && !positive[j] {
				pairs++
				switch {
				case score[i] > score[j]:
					above++
				case score[i] == score[j]:
					above += 0.5
				}
			}
		}
	}
	if got, want := measure.AUC(positive, score), above/pairs; !near(got, want, 1e-14) {
		t.Errorf("AUC = %v, want %v", got, want)
	}
}

// TestOrderOfRows permutes rows, which must not change any result.
func TestOrderOfRows(t *testing.T) {
	r := rng(2)
	const n = 500
	want, got, group := labels(r, n, 4), labels(r, n, 4), labels(r, n, 3)
	positive, score := make([]bool, n), make([]float64, n)
	for i := range n {
		positive[i], score[i] = want[i] == 1, float64(r.IntN(50))
		if r.IntN(5) == 0 {
			want[i] = -1
		}
	}
	all := func(order []int) []float64 {
		w, g := pick(want, order), pick(got, order)
		grms, defined := measure.TruePositives(w, g, pick(group, order), 4, 3).GRMS()
		return []float64{
			measure.Accuracy(w, g), measure.BalancedAccuracy(w, g), measure.Majority(w),
			measure.AUC(pick(positive, order), pick(score, order)), grms, float64(defined),
		}
	}
	first := all(r.Perm(n))
	for range 5 {
		for k, v := range all(r.Perm(n)) {
			if v != first[k] {
				t.Errorf("result %d = %v, want %v as in another order", k, v, first[k])
			}
		}
	}
}
