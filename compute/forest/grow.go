package forest

import (
	weakrand "math/rand/v2"
	"slices"
)

// grower grows trees, one after another. It belongs to one worker.
type grower struct {
	m        *Matrix
	columns  [][]cell // of the table, but for the rows that are not learnt from
	filled   int      // cells of these in all
	y        []bool
	o        Options
	rng      *weakrand.Rand
	samples  []int32 // the rows of the tree, each once; a node has those of a range
	place    []int32 // of each row in samples, −1 for none
	weight   []int32 // how often each row was drawn
	features []int32 // in the order drawn so far
	slot     []int32 // of each feature among those drawn together, −1 for none
	lists    [][]uint64
	tallies  []tally
	nodes    tree
	decrease []float64 // of the impurity, by feature, times the weight
}

// tally counts rows.
type tally struct {
	rows             int32 // different ones
	weight, positive int64
}

func (t *tally) add(o tally) {
	t.rows += o.rows
	t.weight += o.weight
	t.positive += o.positive
}

func (t tally) less(o tally) tally {
	return tally{t.rows - o.rows, t.weight - o.weight, t.positive - o.positive}
}

// purity is (p² + n²)/(p + n), of p positive and n negative rows. The weight less it is
// the Gini impurity times the weight: a split is the better the greater the sum of
// its sides. All products are of whole numbers, so that no machine rounds otherwise.
func (t tally) purity() float64 {
	n := t.weight - t.positive
	return float64(t.positive*t.positive+n*n) / float64(t.weight)
}

// newGrower returns a grower on some rows of a table, whose columns it is given.
func newGrower(m *Matrix, columns [][]cell, y []bool, o Options) *grower {
	g := &grower{m: m, columns: columns, y: y, o: o}
	for _, c := range columns {
		g.filled += len(c)
	}
	g.place, g.weight = make([]int32, m.Rows()), make([]int32, m.Rows())
	g.lists = make([][]uint64, max(1, min(o.Features, m.Columns())))
	g.features, g.slot = make([]int32, m.Columns()), make([]int32, m.Columns())
	for i := range g.place {
		g.place[i] = -1
	}
	for j := range g.slot {
		g.slot[j] = -1
	}
	return g
}

// span is a range of samples that becomes a node.
type span struct {
	lo, hi int
	depth  int
	node   int32
	of     tally
}

// grow draws a sample of rows and returns the tree on it, by how much each feature
// made nodes purer, in shares of the whole, and the rows of the sample.
func (g *grower) grow(rows []int, rng *weakrand.Rand) (t tree, decrease []float64, drawn []int32) {
	g.rng = rng
	for j := range g.features { // not in the order of another tree
		g.features[j] = int32(j)
	}
	for range rows {
		g.weight[rows[rng.IntN(len(rows))]]++
	}
	g.samples, g.nodes, g.decrease = g.samples[:0], nil, make([]float64, g.m.Columns())
	root := span{}
	for _, i := range rows {
		if g.weight[i] > 0 {
			g.place[i] = int32(len(g.samples))
			g.samples = append(g.samples, int32(i))
			root.of.add(g.count(int32(i)))
		}
	}
	root.hi = len(g.samples)
	drawn = slices.Clone(g.samples)
	g.nodes = append(g.nodes, node{})
	for open := []span{root}; len(open) > 0; {
		s := open[len(open)-1]
		open = append(open[:len(open)-1], g.split(s)...)
	}
	for _, i := range g.samples {
		g.place[i], g.weight[i] = -1, 0
	}
	total := 0.0
	for _, d := range g.decrease {
		total += d
	}
	for j := range g.decrease {
		if total > 0 {
			g.decrease[j] /= total
		}
	}
	return slices.Clip(g.nodes), g.decrease, drawn
}

func (g *grower) count(row int32) tally {
	t := tally{rows: 1, weight: int64(g.weight[row])}
	if g.y[row] {
		t.positive = t.weight
	}
	return t
}

// split decides what a node is and returns its children, if it has any.
func (g *grower) split(s span) []span {
	n := &g.nodes[s.node]
	n.feature, n.value = leaf, float64(s.of.positive)/float64(s.of.weight)
	if s.of.positive == 0 || s.of.positive == s.of.weight || int(s.of.rows) < 2*g.o.MinLeaf || (g.o.Depth > 0 && s.depth >= g.o.Depth) {
		return nil
	}
	b := g.best(s)
	if b.score == 0 {
		return nil
	}
	mid := g.partition(s, b)
	levels := g.m.columns[b.feature].levels
	threshold := float64(levels[b.below]/2) + float64(levels[b.above]/2)
	if !(threshold < levels[b.above]) || !(threshold >= levels[b.below]) { // rounding
		threshold = levels[b.below]
	}
	left := int32(len(g.nodes))
	n.feature, n.threshold, n.left, n.right = b.feature, threshold, left, left+1
	g.nodes = append(g.nodes, node{}, node{})
	g.decrease[b.feature] += max(0, b.score-s.of.purity())
	return []span{
		{s.lo, mid, s.depth + 1, left, b.left},
		{mid, s.hi, s.depth + 1, left + 1, s.of.less(b.left)},
	}
}

// partition moves the rows that go left before the others and returns where these
// begin. Where the column is short, it passes over its cells, and else over the rows.
func (g *grower) partition(s span, b choice) int {
	lo, hi := s.lo, s.hi
	if cells := g.columns[b.feature]; len(cells) < 4*(hi-lo) {
		zeroLeft := g.m.columns[b.feature].zero <= b.below
		for _, c := range cells {
			at := int(g.place[c.at])
			if at < s.lo || at >= s.hi || (c.rank <= b.below) == zeroLeft {
				continue // it stays on the side of zeros
			}
			if zeroLeft {
				hi--
				g.swap(at, hi)
			} else {
				g.swap(at, lo)
				lo++
			}
		}
		if zeroLeft {
			return hi
		}
		return lo
	}
	for lo < hi {
		if g.m.rank(g.samples[lo], b.feature) <= b.below {
			lo++
			continue
		}
		hi--
		g.swap(lo, hi)
	}
	return lo
}

// swap exchanges two samples.
func (g *grower) swap(a, b int) {
	x, y := g.samples[a], g.samples[b]
	g.samples[a], g.samples[b] = y, x
	g.place[x], g.place[y] = int32(b), int32(a)
}
