package transformer

import (
	"sotto/compute/nn"
)

// embeddings are the vectors of words, places and types, whose sum is normalised.
type embeddings struct {
	words             nn.Matrix
	touched           *nn.Touched   // of words
	place             map[int32]int // of a word in touched
	positions, types  nn.Matrix
	dPositions, dType nn.Matrix
	norm              normal

	sum, out nn.Matrix // of the last pass
	dSum     nn.Matrix // of the last way back
}

func (t taker) embeddings(c Config) embeddings {
	const at = "embeddings."
	return embeddings{
		words: t.matrix(at+"word_embeddings.weight", c.Vocabulary, c.Hidden), touched: &nn.Touched{}, place: map[int32]int{},
		positions: t.matrix(at+"position_embeddings.weight", c.Positions, c.Hidden), dPositions: nn.NewMatrix(c.Positions, c.Hidden),
		types: t.matrix(at+"token_type_embeddings.weight", c.Types, c.Hidden), dType: nn.NewMatrix(c.Types, c.Hidden),
		norm: t.normal(at+"LayerNorm", c.Hidden),
	}
}

func (b *embeddings) params() []nn.Param {
	return append([]nn.Param{
		{Name: "embeddings.word_embeddings.weight", Value: b.words, Touched: b.touched},
		{Name: "embeddings.position_embeddings.weight", Value: b.positions, Grad: b.dPositions},
		{Name: "embeddings.token_type_embeddings.weight", Value: b.types, Grad: b.dType},
	}, b.norm.params()...)
}

// embed returns the vectors of the tokens of the batch.
func (e *Encoder) embed(p *nn.Pool) nn.Matrix {
	t, b, n := &e.table, e.batch, len(e.batch.IDs)
	t.sum, t.out = t.sum.Reshape(n, e.config.Hidden), t.out.Reshape(n, e.config.Hidden)
	drop, drops := e.dropAt(siteEmbedded)
	p.Each(b.Sequences(), func(_, i int) {
		for row := b.Starts[i]; row < b.Starts[i+1]; row++ {
			sum, out := t.sum.Row(row), t.out.Row(row)
			e.vectors.Add(sum, t.words.Row(int(b.IDs[row])), t.positions.Row(row-b.Starts[i]))
			e.vectors.Add(sum, sum, t.types.Row(int(b.Types[row])))
			e.normalise(out, sum, &t.norm)
			if drops {
				e.vectors.Drop(out, out, drop.At(uint64(row)))
			}
		}
	})
	return t.out
}

// embedBackward finds the gradients of the embeddings.
func (e *Encoder) embedBackward(p *nn.Pool, grad nn.Matrix, more bool) {
	t, b := &e.table, e.batch
	e.undrop(p, grad, grad, siteEmbedded)
	e.normBackward(p, grad, grad, t.sum, &t.norm, more)
	t.dSum = grad
	if !more {
		clear(t.dPositions.Data)
		clear(t.dType.Data)
		clear(t.place)
		t.touched.Rows = t.touched.Rows[:0]
	}
	old := len(t.touched.Rows)
	for _, id := range b.IDs {
		if _, known := t.place[id]; !known {
			t.place[id] = len(t.touched.Rows)
			t.touched.Rows = append(t.touched.Rows, int(id))
		}
	}
	t.touched.Grad = extend(t.touched.Grad, old, len(t.touched.Rows), e.config.Hidden)
	for i := range b.Sequences() {
		for row := b.Starts[i]; row < b.Starts[i+1]; row++ {
			for _, to := range [][]float32{t.touched.Grad.Row(t.place[b.IDs[row]]), t.dPositions.Row(row - b.Starts[i]), t.dType.Row(int(b.Types[row]))} {
				e.vectors.Add(to, to, grad.Row(row))
			}
		}
	}
}

// extend returns a matrix of so many rows, of which the first are those of m and
// the others zero.
func extend(m nn.Matrix, kept, rows, cols int) nn.Matrix {
	grown := m.Reshape(rows, cols)
	if len(grown.Data) > 0 && (kept == 0 || &grown.Data[0] != &m.Data[:1][0]) {
		copy(grown.Data[:kept*cols], m.Data)
	}
	clear(grown.Data[kept*cols:])
	return grown
}
