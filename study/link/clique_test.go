package link_test

import (
	"errors"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/study/link"
)

// random draws a graph of few edges, of which some attract.
func cliqueRandom(rng *weakrand.Rand, nodes int, dense float64) link.Graph {
	g := link.Graph{Nodes: nodes}
	for i := range nodes {
		for j := range i {
			if rng.Float64() < dense {
				g.Edges = append(g.Edges, link.Edge{I: i, J: j, Weight: math.Round(20*rng.Float64()-13) / 10})
			}
		}
	}
	return g
}

// Every set of nodes is looked at.
func TestMaximal(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	for k := range 60 {
		g := cliqueRandom(rng, 1+k%10, 0.6)
		edge := map[[2]int]bool{}
		for _, e := range g.Edges {
			edge[[2]int{e.J, e.I}] = true
		}
		is := func(bits int) bool {
			for i := range g.Nodes {
				for j := range i {
					if bits>>i&1 == 1 && bits>>j&1 == 1 && !edge[[2]int{j, i}] {
						return false
					}
				}
			}
			return true
		}
		want := map[int]bool{}
		all := 0
		for bits := 1; bits < 1<<g.Nodes; bits++ {
			if !is(bits) {
				continue
			}
			if bits&(bits-1) != 0 {
				all++
			}
			maximal := true
			for i := range g.Nodes {
				maximal = maximal && (bits>>i&1 == 1 || !is(bits|1<<i))
			}
			if maximal {
				want[bits] = true
			}
		}
		found, err := link.MaximalCliques(g, 1000)
		if err != nil || len(found) != len(want) {
			t.Fatalf("graph %d: %v, %v; want %d cliques", k, found, err, len(want))
		}
		for _, nodes := range found {
			bits := 0
			for _, i := range nodes {
				bits |= 1 << i
			}
			if !want[bits] || !slices.IsSorted(nodes) {
				t.Errorf("graph %d: %v is no maximal clique", k, nodes)
			}
		}
		if n, err := link.CountCliques(g, 2000); err != nil || n != all {
			t.Errorf("graph %d: Count = %d, %v; want %d", k, n, err, all)
		}
		if len(want) > 1 {
			if _, err := link.MaximalCliques(g, len(want)-1); !errors.Is(err, link.ErrManyCliques) {
				t.Errorf("graph %d: with a limit too small error = %v", k, err)
			}
		}
	}
}

// Both forms find the same where M allows it, and a small M costs something.
func TestTwoPhase(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(2, 1))
	smaller := 0
	for k := range 60 {
		g := cliqueRandom(rng, 2+k%8, 0.95)
		direct, err := link.Solve(t.Context(), g, link.Options{})
		if err != nil {
			t.Fatal(err)
		}
		many, err := link.TwoPhase(t.Context(), g, link.TwoPhaseOptions{})
		if err != nil || !many.Fits || !many.Optimal || many.Objective != direct.Objective || !slices.Equal(many.Labels, direct.Labels) {
			t.Errorf("graph %d: %+v, %v; want what the direct form finds, %v", k, many.Solution, err, direct.Objective)
		}
		one, err := link.TwoPhase(t.Context(), g, link.TwoPhaseOptions{Parts: 1})
		if err != nil || one.Objective < direct.Objective || one.Fits != (one.Objective == direct.Objective) && one.Fits {
			t.Errorf("graph %d: with one part %+v, %v; direct %v", k, one.Solution, err, direct.Objective)
		}
		if !one.Fits && one.Objective > direct.Objective {
			smaller++
		}
	}
	if smaller == 0 {
		t.Error("one part was enough for every graph, so that nothing was tested")
	}
}

// A graph of all pairs is one clique, so that M is the number of clusters.
func TestTwoPhaseParts(t *testing.T) {
	g := link.Graph{Nodes: 14}
	for i := range 14 {
		for j := range i {
			w := 1.0
			if i/2 == j/2 {
				w = -1
			}
			g.Edges = append(g.Edges, link.Edge{I: i, J: j, Weight: w})
		}
	}
	for parts, want := range map[int]float64{10: -7, 7: -7, 3: -3} {
		r, err := link.TwoPhase(t.Context(), g, link.TwoPhaseOptions{Parts: parts})
		if err != nil || r.Objective != want || r.Fits != (parts >= 7) || r.Bound != -7 || len(r.Cliques) != 1 {
			t.Errorf("%d parts: %+v, fits %v, %v; want %v", parts, r.Solution, r.Fits, err, want)
		}
	}
}

func TestCoefficient(t *testing.T) {
	// A triangle with a tail: 1, 1, 1/3 and 0.
	g := link.Graph{Nodes: 4, Edges: []link.Edge{{I: 0, J: 1}, {I: 0, J: 2}, {I: 1, J: 2}, {I: 2, J: 3}}}
	if got, want := link.CliqueCoefficient(g), (2+1/3.0)/4; math.Abs(got-want) > 1e-15 {
		t.Errorf("Coefficient = %v, want %v", got, want)
	}
}
