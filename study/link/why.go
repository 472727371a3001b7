package link

import (
	"cmp"
	"slices"
)

// This part of the package says, of a division into clusters, what holds each cluster together,
// what kept others out, and what it would cost to decide otherwise, term by term.
//
// All is read from the division and the weights themselves, so that it explains any
// division, whoever made it. In a best one no change is below zero.

// A Term is a pair of nodes and what it costs, or would cost, inside a cluster.
type Term struct {
	I, J      int
	Weight    float64 // 0 for a neutral pair of which nothing is known
	Known     bool    // it has an edge
	Forbidden bool    // it may not share a cluster
	Must      bool    // it must share one
}

// A Held is a cluster and how it holds together.
type Held struct {
	Nodes   []int
	Cost    float64 // of all its pairs
	Weakest Term    // the pair that attracts the least, or keeps apart the most
	Member  int     // the node that is held the least
	Pull    float64 // what that node costs with all others of the cluster: below zero, it is held
}

// A Change is what it would cost to move a node into another cluster.
type Change struct {
	Node     int
	Nodes    []int   // of the other cluster; none for a cluster of its own
	Terms    []Term  // with each of them
	Joining  float64 // the sum of the terms
	Leaving  float64 // what is lost, or won, of the pairs that the node has now
	Total    float64 // Joining + Leaving: above zero, the objective would be worse
	Refusals int     // terms that are forbidden, and pairs of must links that would be torn
}

// Division is what is explained.
type Division struct {
	graph    Graph
	labels   []int
	clusters [][]int
	weight   map[Pair]float64
	must     map[Pair]bool
	cannot   map[Pair]bool
	near     [][]int // nodes with an edge
}

// NewDivision returns a division of a graph. It panics if labels are not one for each node.
func NewDivision(g Graph, labels []int) *Division {
	if len(labels) != g.Nodes {
		panic("why: labels are not one for each node")
	}
	d := &Division{
		graph: g, labels: Canonical(labels), clusters: Clusters(labels), near: make([][]int, g.Nodes),
		weight: make(map[Pair]float64, len(g.Edges)), must: make(map[Pair]bool), cannot: make(map[Pair]bool),
	}
	for _, e := range g.Edges {
		d.weight[order(e.I, e.J)] = e.Weight
		d.near[e.I] = append(d.near[e.I], e.J)
		d.near[e.J] = append(d.near[e.J], e.I)
	}
	for _, p := range g.Must {
		d.must[order(p[0], p[1])] = true
	}
	for _, p := range g.Cannot {
		d.cannot[order(p[0], p[1])] = true
	}
	return d
}

func order(i, j int) Pair { return Pair{min(i, j), max(i, j)} }

// Term returns what a pair costs.
func (d *Division) Term(i, j int) Term {
	p := order(i, j)
	w, known := d.weight[p]
	t := Term{I: p[0], J: p[1], Weight: w, Known: known, Must: d.must[p], Forbidden: d.cannot[p]}
	if known {
		return t
	}
	switch d.graph.Unknown {
	case Neutral:
	case Penalty:
		t.Weight = d.graph.Penalty
	default:
		t.Forbidden = !t.Must
	}
	return t
}

// Clusters says of each cluster of two nodes and more how it holds together, those
// that hold the least first.
func (d *Division) Clusters() []Held {
	var out []Held
	for _, nodes := range d.clusters {
		if len(nodes) > 1 {
			out = append(out, d.held(nodes))
		}
	}
	slices.SortStableFunc(out, func(a, b Held) int { return cmp.Compare(b.Weakest.Weight, a.Weakest.Weight) })
	return out
}

// Cluster says how the cluster of a node holds together.
func (d *Division) Cluster(node int) Held { return d.held(d.clusters[d.labels[node]]) }

func (d *Division) held(nodes []int) Held {
	h := Held{Nodes: nodes, Member: nodes[0]}
	for x, i := range nodes {
		var pull float64
		for y, j := range nodes {
			if x == y {
				continue
			}
			t := d.Term(i, j)
			pull += t.Weight
			if x > y {
				continue
			}
			h.Cost += t.Weight
			if x == 0 && y == 1 || t.Weight > h.Weakest.Weight {
				h.Weakest = t
			}
		}
		if x == 0 || pull > h.Pull {
			h.Member, h.Pull = i, pull
		}
	}
	return h
}

// Move says what it would cost to move a node into the cluster of another; if that
// is its own cluster or the node itself, to let it stand alone.
func (d *Division) Move(node, to int) Change {
	c := Change{Node: node}
	own := d.clusters[d.labels[node]]
	if d.labels[node] != d.labels[to] {
		c.Nodes = d.clusters[d.labels[to]]
	}
	for _, j := range c.Nodes {
		t := d.Term(node, j)
		c.Terms = append(c.Terms, t)
		c.Joining += t.Weight
		if t.Forbidden {
			c.Refusals++
		}
	}
	for _, j := range own {
		if j == node {
			continue
		}
		t := d.Term(node, j)
		c.Leaving -= t.Weight
		if t.Must {
			c.Refusals++
		}
	}
	c.Total = c.Joining + c.Leaving
	return c
}

// NearMisses lists the moves of nodes to clusters with which they have an edge that
// cost the least, at most so many: those that are allowed first, then those that
// only a forbidden pair keeps out.
func (d *Division) NearMisses(most int) []Change {
	var out []Change
	for i := range d.labels {
		tried := map[int]bool{d.labels[i]: true}
		for _, j := range d.near[i] {
			if !tried[d.labels[j]] {
				tried[d.labels[j]] = true
				out = append(out, d.Move(i, j))
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int {
		return cmp.Or(cmp.Compare(min(a.Refusals, 1), min(b.Refusals, 1)), cmp.Compare(a.Total, b.Total))
	})
	return out[:min(most, len(out))]
}

// Wrong lists the pairs that share a cluster and are of two entities, those that
// attract the most first: what a better score would have to tell apart.
func (d *Division) Wrong(entity []int) []Term {
	var out []Term
	for _, nodes := range d.clusters {
		for x, i := range nodes {
			for _, j := range nodes[x+1:] {
				if entity[i] != entity[j] {
					out = append(out, d.Term(i, j))
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Term) int { return cmp.Compare(a.Weight, b.Weight) })
	return out
}
