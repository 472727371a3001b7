package parse_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/study/language/parse"
)

// best returns the score of the best tree with one root, by trying all.
func best(scores [][]float32, heads []int) float64 {
	if len(heads) < len(scores) {
		most := math.Inf(-1)
		for h := range len(scores) + 1 {
			if h != len(heads)+1 {
				most = max(most, best(scores, append(heads, h)))
			}
		}
		return most
	}
	if !isTree(heads) {
		return math.Inf(-1)
	}
	return total(scores, heads)
}

func total(scores [][]float32, heads []int) float64 {
	sum := 0.0
	for i, h := range heads {
		sum += float64(scores[i][h])
	}
	return sum
}

// isTree tells whether heads have one root and no cycle.
func isTree(heads []int) bool {
	roots := 0
	for i, h := range heads {
		if h == 0 {
			roots++
		}
		for steps, at := 0, i; at >= 0; steps++ {
			if steps > len(heads) {
				return false
			}
			at = heads[at] - 1
		}
	}
	return roots == 1
}

func TestMaximum(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	for range 600 {
		n := 1 + rng.IntN(5)
		scores := make([][]float32, n)
		for i := range scores {
			scores[i] = make([]float32, n+1)
			for j := range scores[i] {
				scores[i][j] = float32(rng.IntN(9)) // with ties
			}
			scores[i][i+1] = -1e9
		}
		got := parse.Maximum(scores)
		if !isTree(got) {
			t.Fatalf("of %v it makes %v, which is no tree", scores, got)
		}
		if a, b := total(scores, got), best(scores, nil); a != b {
			t.Fatalf("of %v it makes %v with %v, want %v", scores, got, a, b)
		}
	}
}

// All words that want each other are a tree as well, however many.
func TestMaximumCycles(t *testing.T) {
	const n = 60
	scores := make([][]float32, n)
	for i := range scores {
		scores[i] = make([]float32, n+1)
		scores[i][(i^1)+1] = 5
		scores[i][i+1] = -1e9
	}
	if !isTree(parse.Maximum(scores)) {
		t.Error("pairs of words that want each other are no tree")
	}
}
