package erase_test

import (
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/study/bias/erase"
)

func TestVMeasure(t *testing.T) {
	for _, c := range []struct {
		name           string
		class, cluster []int
		want           float64
	}{
		{"the same", []int{0, 0, 1, 1}, []int{0, 0, 1, 1}, 1},
		{"other numbers", []int{0, 0, 1, 1}, []int{7, 7, 3, 3}, 1},
		{"one cluster", []int{0, 0, 1, 1}, []int{0, 0, 0, 0}, 0},
		{"independent", []int{0, 0, 1, 1}, []int{0, 1, 0, 1}, 0},
		// Two classes of two in a cluster each: homogeneity 1, completeness ½.
		{"every row its own", []int{0, 0, 1, 1}, []int{0, 1, 2, 3}, 2.0 / 3},
		// scikit-learn: v_measure_score([0, 0, 1, 2], [0, 0, 1, 1]) = 0.8.
		{"a class divided", []int{0, 0, 1, 2}, []int{0, 0, 1, 1}, 0.8},
		{"no rows", nil, nil, 1},
	} {
		if got := erase.VMeasure(c.class, c.cluster); !(got-c.want < 1e-12 && c.want-got < 1e-12) {
			t.Errorf("%s: VMeasure = %v, want %v", c.name, got, c.want)
		}
	}
}

// Three groups ten deviations apart are found whatever the seed, and with one
// row for each cluster there is a cluster for each row.
func TestClusters(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	var rows []float64
	var class []int
	for i := range 150 {
		class = append(class, i%3)
		rows = append(rows, rng.NormFloat64(), rng.NormFloat64()+float64(i%3)*20)
	}
	for seed := range uint64(5) {
		if got := erase.VMeasure(class, erase.Clusters(rows, 2, 3, seed)); got != 1 {
			t.Errorf("seed %d: VMeasure = %v, want 1", seed, got)
		}
	}
	if got := erase.Clusters([]float64{1, 2, 3}, 1, 3, 1); got[0] == got[1] || got[1] == got[2] || got[0] == got[2] {
		t.Errorf("Clusters = %v, want three", got)
	}
	if got := erase.Clusters([]float64{5, 5, 5}, 1, 2, 1); len(got) != 3 {
		t.Errorf("Clusters of equal rows = %v, want three of any", got)
	}
	if !slices.Equal(erase.Clusters(rows, 2, 2, 9), erase.Clusters(rows, 2, 2, 9)) {
		t.Error("Clusters of the same seed differ")
	}
}
