package link_test

import (
	"math"
	"testing"

	"sotto/study/link"
)

// published is the example of the paper: node 3 stands for its node 25, against the
// cluster of 7, 12 and 20, with weights in our sign.
func published() link.Graph {
	return link.Graph{Nodes: 4, Edges: []link.Edge{
		{I: 0, J: 1, Weight: -.456},
		{I: 0, J: 2, Weight: -.999},
		{I: 1, J: 2, Weight: -.085},
		{I: 0, J: 3, Weight: .076},
		{I: 1, J: 3, Weight: .156},
		{I: 2, J: 3, Weight: .253},
	}}
}

// The published example: the three terms add up to .485, and not to the 3.0 that the
// paper prints.
func TestPublishedNearMiss(t *testing.T) {
	g := published()
	s, err := link.Solve(t.Context(), g, link.Options{})
	if err != nil || s.Labels[0] != s.Labels[2] || s.Labels[3] == s.Labels[0] {
		t.Fatal(s, err)
	}
	d := link.NewDivision(g, s.Labels)
	near := d.NearMisses(10)
	if c := near[0]; c.Node != 3 || math.Abs(c.Total-.485) > 1e-12 || c.Joining != c.Total || len(c.Terms) != 3 || c.Refusals != 0 {
		t.Errorf("nearest miss is %+v, want node 3 for .485", c)
	}
	if c := near[1]; c.Node != 1 || math.Abs(c.Total-(.156+.456+.085)) > 1e-12 {
		t.Errorf("second is %+v, want node 1 to leave for node 3", c)
	}
	h := d.Clusters()
	if len(h) != 1 || h[0].Weakest.I != 1 || h[0].Weakest.J != 2 || h[0].Member != 1 || math.Abs(h[0].Pull+.541) > 1e-12 || math.Abs(h[0].Cost+1.54) > 1e-12 {
		t.Errorf("clusters are %+v, want one that 1 and 2 hold the least", h)
	}
	if w := d.Wrong([]int{0, 0, 1, 2}); len(w) != 2 || w[0].Weight != -.999 || w[1].Weight != -.085 {
		t.Errorf("wrong pairs are %+v", w)
	}
}

// A move changes the cost of the division by what it says.
func TestMoveIsTheDifference(t *testing.T) {
	g := published()
	g.Edges, g.Unknown, g.Penalty = g.Edges[:5], link.Penalty, .25
	labels := []int{0, 0, 1, 1}
	d := link.NewDivision(g, labels)
	for node := range 4 {
		for to := range 4 {
			after := append([]int(nil), labels...)
			after[node] = labels[to]
			if labels[node] == labels[to] {
				after[node] = 2
			}
			if got, want := d.Move(node, to).Total, g.Cost(after)-g.Cost(labels); math.Abs(got-want) > 1e-12 {
				t.Errorf("Move(%d, %d) = %v, want %v", node, to, got, want)
			}
		}
	}
}

// Links and unknown pairs that forbid a move are counted.
func TestRefusals(t *testing.T) {
	g := published()
	g.Edges, g.Must, g.Cannot = g.Edges[:5], []link.Pair{{1, 0}}, []link.Pair{{3, 0}}
	d := link.NewDivision(g, []int{0, 0, 0, 1})
	if c := d.Move(3, 0); c.Refusals != 2 || !c.Terms[0].Forbidden || c.Terms[1].Forbidden || !c.Terms[2].Forbidden || c.Terms[2].Known {
		t.Errorf("Move(3, 0) = %+v, want a cannot link and an unknown pair", c)
	}
	if c := d.Move(1, 1); c.Refusals != 1 {
		t.Errorf("Move(1, 1) = %+v, want a must link", c)
	}
}
