package xer

import (
	"fmt"
	"math"
	"slices"

	"sotto/study/link"
)

// This part of the package divides graphs of scored pairs by what is usually done: connected
// components, and hierarchical clustering with a cut. They stand beside package link
// for comparison, and prove nothing of what they find.

// Connected joins all nodes that pairs of a weight below zero connect, however long
// the way.
func Connected(g link.Graph) []int {
	return link.Canonical(connect(g, func(e link.Edge) bool { return e.Weight < 0 }))
}

// connect labels the components of some edges.
func connect(g link.Graph, takes func(link.Edge) bool) []int {
	set := make([]int, g.Nodes)
	for i := range set {
		set[i] = i
	}
	root := func(i int) int {
		for set[i] != i {
			set[i] = set[set[i]]
			i = set[i]
		}
		return i
	}
	for _, e := range g.Edges {
		if takes(e) {
			set[root(e.I)] = root(e.J)
		}
	}
	for i := range set {
		set[i] = root(i)
	}
	return set
}

// Linkage says how far two clusters are apart.
type Linkage string

// The linkages, after which trees are made.
const (
	Average  Linkage = "average"  // the mean distance of their pairs
	Centroid Linkage = "centroid" // that of their centres, if distances were those of points; what dedupe takes
)

// Hierarchical joins the two nearest clusters again and again, and keeps those in
// which no step was farther than the cut: the distance of a pair is 1 − p, for a
// weight of 1 − 2p, and 1 if nothing is known of it.
func Hierarchical(g link.Graph, by Linkage, cut float64) ([]int, error) {
	if by != Average && by != Centroid {
		return nil, fmt.Errorf("rival: linkage is %q, must be one of %s, %s", by, Average, Centroid)
	}
	if !(cut >= 0 && cut <= 1) {
		return nil, fmt.Errorf("rival: cut is %v, must be from 0 to 1", cut)
	}
	labels := make([]int, g.Nodes)
	component := link.Canonical(connect(g, func(link.Edge) bool { return true }))
	place := make([]int, g.Nodes)
	clusters := link.Clusters(component)
	edges := make([][]link.Edge, len(clusters))
	for _, nodes := range clusters {
		for x, i := range nodes {
			place[i] = x
		}
	}
	for _, e := range g.Edges {
		edges[component[e.I]] = append(edges[component[e.I]], link.Edge{I: place[e.I], J: place[e.J], Weight: e.Weight})
	}
	next := 0
	for c, nodes := range clusters {
		t := newTree(len(nodes), edges[c], by)
		t.grow()
		for x, l := range t.cut(cut) {
			labels[nodes[x]] = next + l
		}
		next += len(nodes)
	}
	return link.Canonical(labels), nil
}

// tree grows from single nodes.
type tree struct {
	n      int
	by     Linkage
	d      []float64 // n×n: distances of clusters, squared for centroids; a joined cluster lies where its first node does
	size   []int
	nodes  [][]int
	height []float64 // the farthest step inside a cluster
	joins  []step
}

// step is two clusters that became one.
type step struct {
	nodes  []int
	height float64
}

func newTree(n int, edges []link.Edge, by Linkage) *tree {
	t := &tree{n: n, by: by, d: make([]float64, n*n), size: make([]int, n), nodes: make([][]int, n), height: make([]float64, n)}
	for i := range t.d {
		t.d[i] = 1
	}
	for i := range n {
		t.size[i], t.nodes[i] = 1, []int{i}
	}
	for _, e := range edges {
		d := (1 + e.Weight) / 2
		if by == Centroid {
			d *= d
		}
		t.d[e.I*n+e.J], t.d[e.J*n+e.I] = d, d
	}
	return t
}

// grow joins until one cluster is left.
func (t *tree) grow() {
	near := make([]int, t.n) // the nearest of each cluster
	find := func(i int) {
		near[i] = -1
		for j := range t.n {
			if j != i && t.size[j] > 0 && (near[i] < 0 || t.d[i*t.n+j] < t.d[i*t.n+near[i]]) {
				near[i] = j
			}
		}
	}
	for i := range t.n {
		find(i)
	}
	for range t.n - 1 {
		a := -1
		for i, j := range near {
			if t.size[i] > 0 && j >= 0 && (a < 0 || t.d[i*t.n+j] < t.d[a*t.n+near[a]]) {
				a = i
			}
		}
		b := near[a]
		t.join(min(a, b), max(a, b))
		a, b = min(a, b), max(a, b)
		find(a)
		for j := range t.n {
			switch {
			case t.size[j] == 0 || j == a:
			case near[j] == a || near[j] == b:
				find(j)
			case t.d[j*t.n+a] < t.d[j*t.n+near[j]]:
				near[j] = a
			}
		}
	}
}

// join makes one cluster of two, at the place of the first: distances by the formula
// of Lance and Williams.
func (t *tree) join(a, b int) {
	d := t.d[a*t.n+b]
	p, q := float64(t.size[a]), float64(t.size[b])
	for j := range t.n {
		if j == a || j == b || t.size[j] == 0 {
			continue
		}
		to := (p*t.d[a*t.n+j] + q*t.d[b*t.n+j]) / (p + q)
		if t.by == Centroid {
			to = max(0, to-p*q*d/((p+q)*(p+q)))
		}
		t.d[a*t.n+j], t.d[j*t.n+a] = to, to
	}
	if t.by == Centroid {
		d = math.Sqrt(d)
	}
	t.size[a] += t.size[b]
	t.size[b] = 0
	t.height[a] = max(t.height[a], t.height[b], d)
	t.nodes[a] = slices.Concat(t.nodes[a], t.nodes[b])
	t.joins = append(t.joins, step{nodes: t.nodes[a], height: t.height[a]})
}

// cut labels nodes by the largest clusters in which no step is farther.
func (t *tree) cut(most float64) []int {
	labels := make([]int, t.n)
	for i := range labels {
		labels[i] = i
	}
	for _, s := range t.joins { // larger ones come later, and have the last word
		if s.height <= most {
			for _, i := range s.nodes {
				labels[i] = s.nodes[0]
			}
		}
	}
	return labels
}
