package link_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/study/link"
)

// planted draws a sparse graph with clusters of six nodes that errors make one
// component of.
func planted(nodes int, unknown link.Unknown) link.Graph {
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	g := link.Graph{Nodes: nodes, Unknown: unknown}
	if unknown == link.Penalty {
		g.Penalty = 0.3
	}
	seen := map[link.Pair]bool{}
	add := func(i, j int, mean float64) {
		if p := (link.Pair{min(i, j), max(i, j)}); i != j && !seen[p] {
			seen[p] = true
			g.Edges = append(g.Edges, link.Edge{I: i, J: j, Weight: math.Round((mean+.4*rng.NormFloat64())*1e6) / 1e6})
		}
	}
	for i := range nodes {
		for j := i + 1; j < min(nodes, 6*(i/6+1)); j++ {
			add(i, j, -.5)
		}
		for range 4 {
			add(i, rng.IntN(nodes), .4)
		}
	}
	return g
}

// A component that is too large for a matrix has a bound that is worth something: it
// meets the division where unknown pairs cost something, and comes near it where not.
func TestLargeComponent(t *testing.T) {
	for unknown, most := range map[link.Unknown]float64{link.Forbidden: 0, link.Penalty: 0, link.Neutral: 0.05} {
		s, err := link.Solve(t.Context(), planted(3000, unknown), link.Options{Work: 40_000_000})
		if err != nil || s.Largest <= 2500 || s.Gap > most {
			t.Errorf("%s: a component of %d nodes has a gap of %v, want more than 2500 and at most %v; %v", unknown, s.Largest, s.Gap, most, err)
		}
	}
}

// A graph as those of the paper with 135 nodes, of which most pairs are forbidden and
// triangles alone leave a hundredth open, is proved.
func TestForbiddenIsProved(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(0, 135))
	g := link.Graph{Nodes: 135}
	for i := range g.Nodes {
		for j := range i {
			score := -.5 + .3*rng.NormFloat64()
			if i/25 == j/25 {
				score++
			}
			if score >= -.3 {
				g.Edges = append(g.Edges, link.Edge{I: i, J: j, Weight: math.Round(-score*1e6) / 1e6})
			}
		}
	}
	s, err := link.Solve(t.Context(), g, link.Options{Work: 100_000_000})
	if err != nil || !s.Optimal {
		t.Errorf("the gap is %v, %v, want a proof", s.Gap, err)
	}
}
