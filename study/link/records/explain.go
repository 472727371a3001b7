package records

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sotto/study/link"
)

// explain says of pairs what speaks for and against them: of those that were asked for,
// and of those that were decided with the least conviction.
func (e *engine) explain(r *Result) error {
	pairs := slices.Clone(e.o.Explained)
	for _, p := range pairs {
		if p[0] < 0 || p[0] >= e.n || p[1] < 0 || p[1] >= e.n || p[0] == p[1] {
			return fmt.Errorf("records: rows to explain are %d and %d, must be two of 0 to %d", p[0], p[1], e.n-1)
		}
	}
	if e.o.Explain > 0 {
		pairs = append(pairs, closest(r, e.o.Explain, true)...)
		pairs = append(pairs, closest(r, e.o.Explain, false)...)
	}
	for _, p := range pairs {
		x, err := e.pair(p[0], p[1])
		if err != nil {
			return err
		}
		r.Explained = append(r.Explained, Explained{I: p[0], J: p[1], Joined: r.Labels[p[0]] == r.Labels[p[1]], Explanation: r.Model.Explain(x)})
	}
	return nil
}

// closest lists the pairs that were joined, or were not, whose probability is the
// nearest to one half.
func closest(r *Result, most int, joined bool) [][2]int {
	var edges []link.Edge
	for _, d := range r.Graph.Edges {
		if (r.Labels[d.I] == r.Labels[d.J]) == joined {
			edges = append(edges, d)
		}
	}
	slices.SortStableFunc(edges, func(a, b link.Edge) int { return cmp.Compare(math.Abs(a.Weight), math.Abs(b.Weight)) })
	var out [][2]int
	for _, d := range edges[:min(most, len(edges))] {
		out = append(out, [2]int{d.I, d.J})
	}
	return out
}
