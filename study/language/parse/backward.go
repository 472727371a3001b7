package parse

import (
	"fmt"
	"math"

	"sotto/compute/nn"
)

// target is what a network should say of the words of some sentences.
type target struct {
	upos, xpos, relation []int
	heads                []int // among the words of all sentences; −1 for a root
}

// gradients is the memory of a backward pass.
type gradients struct {
	x, part, dx      nn.Matrix
	dep, head, query nn.Matrix
	reach, relIn     nn.Matrix
	relDep, relHead  nn.Matrix
	root, relRoot    nn.Matrix
	in               nn.Matrix
	tables           [features]*nn.Touched
	place            [features]map[int32]int
}

// params returns all parameters, and makes their gradients.
func (n *network) params(g *gradients) []nn.Param {
	var all []nn.Param
	for f := range n.tables {
		g.tables[f] = &nn.Touched{}
		g.place[f] = map[int32]int{}
		all = append(all, nn.Param{Name: fmt.Sprint("table", f), Value: n.tables[f], Touched: g.tables[f]})
	}
	for i, l := range n.linears() {
		all = append(all, l.params(fmt.Sprint("linear", i))...)
	}
	for i, m := range n.norms() {
		all = append(all, m.params(fmt.Sprint("norm", i))...)
	}
	g.root, g.relRoot = nn.NewMatrix(1, n.root.Cols), nn.NewMatrix(1, n.relRoot.Cols)
	return append(all, nn.Param{Name: "root", Value: n.root, Grad: g.root}, nn.Param{Name: "relation.root", Value: n.relRoot, Grad: g.relRoot})
}

// loss returns the mean over words of the cross-entropies of tags, heads and
// relations, and finds the gradients of all parameters.
func (n *network) loss(s *state, g *gradients, l *lesson, outer nn.Matrix) float64 {
	s.bounds = l.bounds
	want := l.want
	x := n.encode(s, l.rows, l.given, outer)
	n.tags(s, x)
	n.arcs(s, x)
	n.relate(s, want.heads)

	g.x = g.x.Reshape(x.Rows, x.Cols)
	clear(g.x.Data)
	total := n.backTags(s, g, x, want) + n.backRelations(s, g, x, want) + n.backArcs(s, g, x, want)

	dy := g.x
	for i := len(n.layers) - 1; i >= 0; i-- {
		in := s.mix.out
		if i > 0 {
			in = s.tapes[i-1].out
		}
		g.dx = g.dx.Reshape(in.Rows, in.Cols)
		n.layers[i].backward(s, &s.tapes[i], g.dx, in, dy)
		g.dx, dy = dy, g.dx
	}
	g.x = dy
	before := n.mixed.backward(s, &s.mix, dy)
	g.in = g.in.Reshape(s.in.Rows, s.in.Cols)
	n.mix.backward(s.pool, g.in, s.in, before)
	n.backTables(g, l.rows)
	return total
}

// backTables adds up the gradients of the rows of tables that were read.
func (n *network) backTables(g *gradients, rows []lookups) {
	at := 0
	for f := range features {
		t, width := g.tables[f], n.tables[f].Cols
		clear(g.place[f])
		t.Rows = t.Rows[:0]
		for i := range rows {
			if _, known := g.place[f][rows[i][f]]; !known {
				g.place[f][rows[i][f]] = len(t.Rows)
				t.Rows = append(t.Rows, int(rows[i][f]))
			}
		}
		t.Grad = t.Grad.Reshape(len(t.Rows), width)
		clear(t.Grad.Data)
		for i := range rows {
			dst := t.Grad.Row(g.place[f][rows[i][f]])
			for j, v := range g.in.Row(i)[at : at+width] {
				dst[j] += v
			}
		}
		at += width
	}
}

// crossEntropy sets scores to their gradient for a label, divided by n, and
// returns the loss, divided by n.
func crossEntropy(scores []float32, label, n int) float64 {
	nn.Softmax(scores, scores)
	loss := -math.Log(max(float64(scores[label]), 1e-30))
	scores[label]--
	for j := range scores {
		scores[j] /= float32(n)
	}
	return loss / float64(n)
}

// through adds to g.x the gradient of what a linear map made of x.
func (g *gradients) through(s *state, l *linear, x, dy nn.Matrix) {
	g.part = g.part.Reshape(x.Rows, x.Cols)
	l.backward(s.pool, g.part, x, dy)
	s.pool.AddScaled(g.x, 1, g.part)
}

func (n *network) backTags(s *state, g *gradients, x nn.Matrix, want target) float64 {
	total := 0.0
	for i := range x.Rows {
		total += crossEntropy(s.upos.Row(i), want.upos[i], x.Rows)
		total += crossEntropy(s.xpos.Row(i), want.xpos[i], x.Rows)
	}
	g.through(s, n.upos, x, s.upos)
	g.through(s, n.xpos, x, s.xpos)
	return total
}

func (n *network) backRelations(s *state, g *gradients, x nn.Matrix, want target) float64 {
	total, label := 0.0, n.shape.Label
	for i := range x.Rows {
		total += crossEntropy(s.rels.Row(i), want.relation[i], x.Rows)
	}
	g.relIn = g.relIn.Reshape(x.Rows, 2*label)
	n.relation.backward(s.pool, g.relIn, s.relIn, s.rels)
	s.drop(g.relIn, placeRelation)
	g.relDep, g.relHead = g.relDep.Reshape(x.Rows, label), g.relHead.Reshape(x.Rows, label)
	clear(g.relHead.Data)
	clear(g.relRoot.Data)
	for i, h := range want.heads {
		a, b, db := s.relDep.Row(i), n.relRoot.Data, g.relRoot.Data
		if h >= 0 {
			b, db = s.relHead.Row(h), g.relHead.Row(h)
		}
		da, sum, product := g.relDep.Row(i), g.relIn.Row(i)[:label], g.relIn.Row(i)[label:]
		for j := range da {
			d := float32(0)
			if a[j]+b[j] > 0 {
				d = sum[j]
			}
			da[j] = d + float32(product[j]*b[j])
			db[j] += d + float32(product[j]*a[j])
		}
	}
	g.through(s, n.relDep, x, g.relDep)
	g.through(s, n.relHead, x, g.relHead)
	return total
}

func (n *network) backArcs(s *state, g *gradients, x nn.Matrix, want target) float64 {
	arc := n.shape.Arc
	g.query, g.head, g.dep = g.query.Reshape(x.Rows, arc), g.head.Reshape(x.Rows, arc), g.dep.Reshape(x.Rows, arc)
	g.reach = g.reach.Reshape(x.Rows, distances)
	clear(g.reach.Data)
	losses := make([]float64, len(s.bounds)-1)
	s.alone(func(p *nn.Pool, k, from, to int) {
		m := to - from
		inner := nn.NewMatrix(m, m)
		for i := range m {
			row, label := s.scores[k].Row(i), 0
			if h := want.heads[from+i]; h >= 0 {
				label = h - from + 1
			}
			losses[k] += crossEntropy(row, label, x.Rows)
			reach := g.reach.Row(from + i)
			reach[0] += row[0]
			for j := range m {
				if j != i {
					inner.Row(i)[j] = row[j+1]
					reach[distance(i, j)] += row[j+1]
				}
			}
		}
		p.Mul(g.query.Slice(from, to), inner, s.head.Slice(from, to))
		p.MulTN(g.head.Slice(from, to), inner, s.query.Slice(from, to))
	})
	clear(g.root.Data)
	for k := 1; k < len(s.bounds); k++ {
		for i := s.bounds[k-1]; i < s.bounds[k]; i++ {
			d, q, dq := s.scores[k-1].Row(i - s.bounds[k-1])[0], s.query.Row(i), g.query.Row(i)
			for j := range q {
				g.root.Data[j] += float32(d * q[j])
				dq[j] += float32(d * n.root.Data[j])
			}
		}
	}
	n.bilinear.backward(s.pool, g.dep, s.dep, g.query)
	second := nn.NewMatrix(x.Rows, arc)
	n.distance.backward(s.pool, second, s.dep, g.reach)
	s.pool.AddScaled(g.dep, 1, second)
	for _, h := range []struct {
		l     *linear
		y, dy nn.Matrix
		place uint64
	}{{n.arcDep, s.dep, g.dep, placeDep}, {n.arcHead, s.head, g.head, placeHead}} {
		s.drop(h.dy, h.place)
		reluGrad(h.dy, h.y)
		g.through(s, h.l, x, h.dy)
	}
	total := 0.0
	for _, l := range losses {
		total += l
	}
	return total
}
