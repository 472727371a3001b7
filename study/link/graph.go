package link

import (
	"fmt"
	"math"
	"slices"
)

// An Edge is a pair of nodes, of which a score is known.
type Edge struct {
	I, J   int
	Weight float64 // below zero attracts; finite
}

// Pair is two nodes.
type Pair [2]int

// Unknown says what it costs that two nodes without an edge share a cluster.
type Unknown string

// What an unknown pair costs.
const (
	Forbidden Unknown = "forbidden" // they never share one, so that every cluster is a clique
	Neutral   Unknown = "neutral"   // nothing
	Penalty   Unknown = "penalty"   // Graph.Penalty
)

// Unknowns lists them.
func Unknowns() []Unknown { return []Unknown{Forbidden, Neutral, Penalty} }

// A Graph is what is to be divided.
type Graph struct {
	Nodes   int     // nodes are 0, …, Nodes−1
	Edges   []Edge  // each pair at most once, in either order
	Must    []Pair  // pairs that share a cluster, whatever that costs
	Cannot  []Pair  // pairs that never do
	Unknown Unknown // empty means forbidden
	Penalty float64 // cost of an unknown pair inside a cluster, above zero; for Unknown = penalty alone
}

// maxNodes keeps the product of two nodes within an int64, with room.
const maxNodes = 1 << 30

// Validate reports what is wrong with the graph, if anything is, but for must and
// cannot links that contradict each other, which [Solve] reports.
func (g Graph) Validate() error {
	if g.Nodes < 0 || g.Nodes > maxNodes {
		return fmt.Errorf("link: nodes is %d, must be from 0 to %d", g.Nodes, maxNodes)
	}
	if g.Unknown != "" && !slices.Contains(Unknowns(), g.Unknown) {
		return fmt.Errorf("link: unknown is %q, must be one of %v", g.Unknown, Unknowns())
	}
	if penalised := g.Unknown == Penalty; penalised && !(g.Penalty > 0 && g.Penalty <= math.MaxFloat64) || !penalised && g.Penalty != 0 {
		return fmt.Errorf("link: penalty is %v, must be positive and finite if unknown is %q, and 0 otherwise", g.Penalty, Penalty)
	}
	seen := make(map[Pair]bool, len(g.Edges))
	for k, e := range g.Edges {
		p, err := g.pair(e.I, e.J)
		if err != nil {
			return fmt.Errorf("link: edge %d: %w", k, err)
		}
		if math.IsNaN(e.Weight) || math.IsInf(e.Weight, 0) {
			return fmt.Errorf("link: edge %d: weight is %v, must be finite", k, e.Weight)
		}
		if seen[p] {
			return fmt.Errorf("link: edge %d: the pair of nodes %d and %d has an edge already, must have one", k, p[0], p[1])
		}
		seen[p] = true
	}
	for name, pairs := range map[string][]Pair{"must": g.Must, "cannot": g.Cannot} {
		for k, p := range pairs {
			if _, err := g.pair(p[0], p[1]); err != nil {
				return fmt.Errorf("link: %s link %d: %w", name, k, err)
			}
		}
	}
	return nil
}

// pair orders two nodes, or says why they are no pair.
func (g Graph) pair(i, j int) (Pair, error) {
	if i < 0 || i >= g.Nodes || j < 0 || j >= g.Nodes || i == j {
		return Pair{}, fmt.Errorf("nodes are %d and %d, must be two of 0 to %d", i, j, g.Nodes-1)
	}
	return Pair{min(i, j), max(i, j)}, nil
}

// Cost returns what a division costs: the weights inside of clusters, and
// the penalties. It panics if labels are not one for each node.
func (g Graph) Cost(labels []int) float64 {
	if len(labels) != g.Nodes {
		panic("link: labels are not one for each node")
	}
	var sum float64
	inside := 0
	for _, e := range g.Edges {
		if labels[e.I] == labels[e.J] {
			sum += e.Weight
			inside++
		}
	}
	if g.Unknown != Penalty {
		return sum
	}
	sizes := map[int]int{}
	for _, l := range labels {
		sizes[l]++
	}
	pairs := -inside
	for _, n := range sizes {
		pairs += n * (n - 1) / 2
	}
	return sum + float64(g.Penalty*float64(pairs))
}

// Canonical renumbers labels from 0 in the order in which they first appear.
func Canonical(labels []int) []int {
	seen := make(map[int]int)
	out := make([]int, len(labels))
	for i, l := range labels {
		n, ok := seen[l]
		if !ok {
			n = len(seen)
			seen[l] = n
		}
		out[i] = n
	}
	return out
}

// Groups labels nodes so that those have the same label which pairs connect.
func Groups(nodes int, pairs []Pair) []int {
	set := identity(nodes)
	for _, p := range pairs {
		join(set, p[0], p[1])
	}
	for i := range set {
		set[i] = union(set, i)
	}
	return Canonical(set)
}

// Clusters lists the nodes of each cluster, clusters by their first node.
func Clusters(labels []int) [][]int {
	var out [][]int
	for i, l := range Canonical(labels) {
		if l == len(out) {
			out = append(out, nil)
		}
		out[l] = append(out[l], i)
	}
	return out
}
