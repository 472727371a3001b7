package link_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/study/link"
)

// What is used for components too large for a matrix is a division that is allowed,
// costs what it says, and has a bound that holds.
func TestSparse(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(4, 1))
	best := 0
	for k := range 200 {
		g := random(rng, 2+k%11, 0.2+0.7*rng.Float64())
		labels, cost, bound, err := link.SolveSparse(g)
		if err != nil {
			continue // a contradiction, as in TestSolveIsExact
		}
		s, err := link.Solve(t.Context(), g, link.Options{})
		if err != nil || !s.Optimal {
			t.Fatal(s, err)
		}
		if !allowed(g, labels) || math.Abs(g.Cost(labels)-cost) > 1e-9 {
			t.Fatalf("graph %d: %v is not allowed or costs %v, not %v: %+v", k, labels, g.Cost(labels), cost, g)
		}
		if bound > s.Objective+1e-9 || cost < s.Objective-1e-9 {
			t.Fatalf("graph %d: %v to %v, want around the optimum %v", k, bound, cost, s.Objective)
		}
		if math.Abs(cost-s.Objective) < 1e-9 {
			best++
		}
	}
	if best < 100 {
		t.Errorf("%d of 200 divisions are the best, want at least half", best)
	}
}
