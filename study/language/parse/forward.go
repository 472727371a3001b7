package parse

import (
	"sotto/compute/nn"
	"sotto/compute/nn/vector"
)

// encode sets s.in, a row a word, from lookups, given vectors, which may be nil, and
// those of an encoder, if there is one, and returns the vectors of the words after
// all layers.
func (n *network) encode(s *state, rows []lookups, given [][]float32, outer nn.Matrix) nn.Matrix {
	s.in = s.in.Reshape(len(rows), n.mix.w.Rows)
	for i := range rows {
		at, dst := 0, s.in.Row(i)
		for f := range features {
			at += copy(dst[at:], n.tables[f].Row(int(rows[i][f])))
		}
		if given[i] == nil {
			clear(dst[at : at+n.given])
		} else {
			copy(dst[at:], given[i])
		}
		if n.outer > 0 {
			copy(dst[at+n.given:], outer.Row(i))
		}
	}
	s.mix.before = s.mix.before.Reshape(len(rows), n.shape.Width)
	n.mix.forward(s.pool, s.mix.before, s.in)
	n.mixed.forward(s, &s.mix)
	x := s.mix.out
	for i, l := range n.layers {
		l.forward(s, &s.tapes[i], x)
		x = s.tapes[i].out
	}
	return x
}

// Places of what is dropped beside the layers.
const (
	placeDep = 100 + iota
	placeHead
	placeRelation
	placeInput
)

// tags sets the scores of tags for the vectors x.
func (n *network) tags(s *state, x nn.Matrix) {
	s.upos = s.upos.Reshape(x.Rows, n.upos.w.Cols)
	s.xpos = s.xpos.Reshape(x.Rows, n.xpos.w.Cols)
	n.upos.forward(s.pool, s.upos, x)
	n.xpos.forward(s.pool, s.xpos, x)
}

// hidden sets y to relu(l(x)), with a part dropped in training.
func (s *state) hidden(l *linear, y, x nn.Matrix, place uint64) nn.Matrix {
	y = y.Reshape(x.Rows, l.w.Cols)
	l.forward(s.pool, y, x)
	relu(y)
	s.drop(y, place)
	return y
}

// arcs sets the scores of heads for the vectors x: that of head j for word i is
// (dᵢ·W + b)·hⱼ, plus what dᵢ says of the distance.
func (n *network) arcs(s *state, x nn.Matrix) {
	s.dep = s.hidden(n.arcDep, s.dep, x, placeDep)
	s.head = s.hidden(n.arcHead, s.head, x, placeHead)
	s.relDep, s.relHead = s.relDep.Reshape(x.Rows, n.shape.Label), s.relHead.Reshape(x.Rows, n.shape.Label)
	n.relDep.forward(s.pool, s.relDep, x)
	n.relHead.forward(s.pool, s.relHead, x)
	s.query = s.query.Reshape(x.Rows, n.shape.Arc)
	n.bilinear.forward(s.pool, s.query, s.dep)
	s.reach = s.reach.Reshape(x.Rows, distances)
	n.distance.forward(s.pool, s.reach, s.dep)
	for len(s.scores) < len(s.bounds)-1 {
		s.scores = append(s.scores, nn.Matrix{})
	}
	s.alone(func(p *nn.Pool, k, from, to int) {
		m := to - from
		s.scores[k] = s.scores[k].Reshape(m, m+1)
		inner := nn.NewMatrix(m, m)
		p.MulNT(inner, s.query.Slice(from, to), s.head.Slice(from, to))
		for i := range m {
			row, reach := s.scores[k].Row(i), s.reach.Row(from+i)
			row[0] = vector.Dot(s.query.Row(from+i), n.root.Data) + reach[0]
			scores := inner.Row(i)
			for j, v := range scores {
				row[j+1] = v + reach[distance(i, j)]
			}
			row[i+1] = impossible
		}
	})
}

// impossible is the score of a word as its own head.
const impossible = -1e9

// alone calls f for each sentence with a pool of its own.
func (s *state) alone(f func(p *nn.Pool, sentence, from, to int)) {
	if s.pool.Workers() == 1 {
		for i := 1; i < len(s.bounds); i++ {
			f(s.pool, i-1, s.bounds[i-1], s.bounds[i])
		}
		return
	}
	s.pool.Each(len(s.bounds)-1, func(worker, i int) { f(s.single[worker], i, s.bounds[i], s.bounds[i+1]) })
}

// steps are where distances end that are not told apart.
var steps = [...]int{1, 2, 3, 4, 5, 6, 8, 11, 16, 24, 40}

// distance returns the number of the distance from word i to head j: 0 is the
// root's, then those to the left, then those to the right.
func distance(i, j int) int {
	d, side := i-j, 1
	if d < 0 {
		d, side = -d, 1+len(steps)
	}
	for k, step := range steps {
		if d <= step {
			return side + k
		}
	}
	return side + len(steps) - 1
}

// relate sets s.rels to the scores of relations of each word to its head, which
// is −1 for the root: a map of relu(a + b) and of a·b, number by number, where a
// is of the word and b of the head.
func (n *network) relate(s *state, heads []int) {
	label := n.shape.Label
	s.relIn = s.relIn.Reshape(len(heads), 2*label)
	for i, h := range heads {
		a, b := s.relDep.Row(i)[:label], n.relRoot.Data[:label]
		if h >= 0 {
			b = s.relHead.Row(h)[:label]
		}
		sum, product := s.relIn.Row(i)[:label], s.relIn.Row(i)[label:][:label]
		for j := range sum {
			sum[j] = max(a[j]+b[j], 0)
			product[j] = a[j] * b[j]
		}
	}
	s.drop(s.relIn, placeRelation)
	s.rels = s.rels.Reshape(len(heads), n.relation.w.Cols)
	n.relation.forward(s.pool, s.rels, s.relIn)
}
