package link

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// TwoPhaseOptions of [TwoPhase]. The zero value serves.
type TwoPhaseOptions struct {
	Options
	Parts   int // M, the parts that a clique may have; 0 means 10
	Cliques int // the most maximal cliques to list; 0 means 2 million
}

// TwoPhaseResult is a division in two phases.
type TwoPhaseResult struct {
	Solution
	Direct  Solution      // what the direct form finds, without regard to M
	Cliques [][]int       // the maximal cliques
	Fits    bool          // the best division has a place in the cliques, so that M changed nothing
	First   time.Duration // what it took to list the cliques
	Second  time.Duration // what it took to assign the nodes
}

// exhaustive is the largest graph of which every division is looked at, if M is too
// small for the best one.
const exhaustive = 11

// TwoPhase divides a graph, in which unknown pairs are forbidden whatever g says, in
// two phases.
//
// Every assignment of nodes to parts is a division in which unknown pairs are apart.
// So if the best such division can be placed, each of its clusters in a maximal
// clique of its own parts, then no assignment is better. If it cannot, M is too
// small: graphs of at most 11 nodes are searched exhaustively, and of others the
// clusters that gain the most are placed, the rest falls apart into single nodes,
// and the bound is that of the direct form.
func TwoPhase(ctx context.Context, g Graph, o TwoPhaseOptions) (TwoPhaseResult, error) {
	g.Unknown, g.Penalty = Forbidden, 0
	if len(g.Must) > 0 || len(g.Cannot) > 0 {
		return TwoPhaseResult{}, fmt.Errorf("clique: there are %d must and %d cannot links, must be none: the two-phase form has no place for them", len(g.Must), len(g.Cannot))
	}
	if err := g.Validate(); err != nil {
		return TwoPhaseResult{}, err
	}
	if o.Parts < 0 || o.Cliques < 0 {
		return TwoPhaseResult{}, fmt.Errorf("clique: parts is %d and cliques %d, must not be below 0", o.Parts, o.Cliques)
	}
	begun := time.Now()
	cliques, err := MaximalCliques(g, cmp.Or(o.Cliques, 2_000_000))
	if err != nil {
		return TwoPhaseResult{}, err
	}
	r := TwoPhaseResult{Cliques: cliques, First: time.Since(begun)}
	begun = time.Now()
	if r.Solution, err = Solve(ctx, g, o.Options); err != nil {
		return TwoPhaseResult{}, err
	}
	r.Direct = r.Solution
	p := newPlaces(g, cliques, cmp.Or(o.Parts, 10))
	kept := p.place(r.Labels)
	r.Fits = !slices.Contains(kept, false)
	if !r.Fits {
		r.shrink(g, p, kept)
	}
	r.Second = time.Since(begun)
	return r, nil
}

// shrink replaces a division that has no place by one that has.
func (r *TwoPhaseResult) shrink(g Graph, p *cliquePlaces, kept []bool) {
	labels, next := slices.Clone(r.Labels), len(r.Labels)
	for i, l := range r.Labels {
		if !kept[l] {
			labels[i] = next + i
		}
	}
	exact := g.Nodes <= exhaustive
	if exact {
		labels = p.best(g)
	}
	r.Labels = Canonical(labels)
	r.Objective = g.Cost(r.Labels)
	r.Optimal, r.Gap = exact, 0
	switch {
	case exact:
		r.Bound = r.Objective
	case r.Objective != 0:
		r.Gap = (r.Objective - r.Bound) / -r.Objective
	default:
		r.Gap = 1
	}
}

// cliquePlaces are the parts of cliques, in which clusters are put.
type cliquePlaces struct {
	g       Graph
	parts   int
	cliques []set
	of      [][]int // the cliques of each node
}

func newPlaces(g Graph, cliques [][]int, parts int) *cliquePlaces {
	p := &cliquePlaces{g: g, parts: parts, of: make([][]int, g.Nodes)}
	for k, nodes := range cliques {
		s := make(set, (g.Nodes+63)/64)
		for _, i := range nodes {
			s.add(i)
			p.of[i] = append(p.of[i], k)
		}
		p.cliques = append(p.cliques, s)
	}
	return p
}

// place puts each cluster of two nodes and more into a clique that holds it, those
// that gain the most first, and moves others where that makes room. It reports of
// each cluster whether it has a place; a single node needs none.
func (p *cliquePlaces) place(labels []int) []bool {
	clusters := Clusters(labels)
	gain := make([]float64, len(clusters))
	for _, e := range p.g.Edges {
		if labels[e.I] == labels[e.J] {
			gain[labels[e.I]] += e.Weight
		}
	}
	order := make([]int, len(clusters))
	for c := range order {
		order[c] = c
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(gain[x], gain[y]) })
	kept := make([]bool, len(clusters))
	inside := make(map[int][]int) // clusters in each clique
	for _, c := range order {
		kept[c] = len(clusters[c]) < 2 || p.enter(c, clusters, inside, make(map[int]bool))
	}
	return kept
}

// enter finds a place for a cluster along an augmenting path.
func (p *cliquePlaces) enter(c int, clusters [][]int, inside map[int][]int, tried map[int]bool) bool {
	for _, k := range p.of[clusters[c][0]] {
		if tried[k] || !p.holds(k, clusters[c]) {
			continue
		}
		tried[k] = true
		if len(inside[k]) < p.parts {
			inside[k] = append(inside[k], c)
			return true
		}
		for x, other := range inside[k] {
			if p.enter(other, clusters, inside, tried) {
				inside[k][x] = c
				return true
			}
		}
	}
	return false
}

func (p *cliquePlaces) holds(k int, nodes []int) bool {
	for _, i := range nodes {
		if !p.cliques[k].has(i) {
			return false
		}
	}
	return true
}

// best looks at every division that has a place.
func (p *cliquePlaces) best(g Graph) []int {
	near := neighbours(g)
	labels, best := make([]int, g.Nodes), make([]int, g.Nodes)
	for i := range best {
		best[i] = i
	}
	low := 0.0 // all alone
	var divide func(i, k int)
	divide = func(i, k int) {
		if i == g.Nodes {
			if c := g.Cost(labels); c < low && !slices.Contains(p.place(labels), false) {
				low = c
				copy(best, labels)
			}
			return
		}
		for l := range k + 1 {
			fits := true
			for j := range i {
				fits = fits && (labels[j] != l || near[i].has(j))
			}
			if fits {
				labels[i] = l
				divide(i+1, max(k, l+1))
			}
		}
	}
	divide(0, 0)
	return best
}
