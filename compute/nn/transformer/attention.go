package transformer

import (
	"math"

	"sotto/compute/nn"
	"sotto/compute/nn/vector"
)

// head is the memory of a worker for one head of attention over one sequence.
type head struct {
	pool              *nn.Pool // of one worker: the products are too small to share
	query, key, value nn.Matrix
	weight            nn.Matrix // of each key for each query, with dropout
	result            nn.Matrix
	dQuery, dKey      nn.Matrix
	dValue, dWeight   nn.Matrix
}

// never is the score of a key that is not there. The weight that it gets, below
// 2e-38, is lost in a sum that is at least 1, and its value is zero.
const never = -1e30

// padded returns n filled up to whole registers.
func padded(n int) int { return (n + vector.Lanes - 1) / vector.Lanes * vector.Lanes }

// resize makes room for n tokens and vectors of the given width. Keys and values
// are filled up to whole registers, with zeros: what was computed before must not
// show in the last bit.
func (h *head) resize(n, width int) {
	full := padded(n)
	h.query, h.result = h.query.Reshape(n, width), h.result.Reshape(n, width)
	h.key, h.value = h.key.Reshape(full, width), h.value.Reshape(full, width)
	clear(h.key.Data[n*width:])
	clear(h.value.Data[n*width:])
	h.weight, h.dWeight = h.weight.Reshape(n, full), h.dWeight.Reshape(n, full)
	h.dQuery, h.dKey, h.dValue = h.dQuery.Reshape(n, width), h.dKey.Reshape(full, width), h.dValue.Reshape(full, width)
}

// each calls f for every head of every sequence of the batch, with the memory of a
// worker, the weights of that head, its first row and its first column.
func (e *Encoder) each(p *nn.Pool, l *layer, f func(h *head, weights nn.Matrix, item, at, column int)) {
	heads, width := e.config.Heads, e.config.Hidden/e.config.Heads
	for len(e.space.heads) < p.Workers() {
		e.space.heads = append(e.space.heads, head{pool: p.Alone()})
	}
	p.Each(heads*e.batch.Sequences(), func(worker, item int) {
		h, i := &e.space.heads[worker], item/heads
		at := e.batch.Starts[i]
		n := e.batch.Starts[i+1] - at
		if n == 0 {
			return
		}
		h.resize(n, width)
		from := e.space.weightAt[i] + item%heads*n*padded(n)
		f(h, nn.Matrix{Rows: n, Cols: padded(n), Data: l.kept.weights[from : from+n*padded(n)]}, item, at, item%heads*width)
	})
}

// load copies queries, keys and values, to which the bias is still to be added.
func (e *Encoder) load(h *head, l *layer, at, column int) {
	hidden, width := e.config.Hidden, h.query.Cols
	bias := l.mixed.bias.Data[column:]
	for i := range h.query.Rows {
		row := l.kept.mixed.Row(at + i)[column:]
		e.vectors.Add(h.query.Row(i), row[:width], bias[:width])
		e.vectors.Add(h.key.Row(i), row[hidden:][:width], bias[hidden:][:width])
		e.vectors.Add(h.value.Row(i), row[2*hidden:][:width], bias[2*hidden:][:width])
	}
}

// attend fills joined of a layer from mixed, and keeps the weights.
func (e *Encoder) attend(p *nn.Pool, l *layer) {
	if need := e.space.weightAt[len(e.space.weightAt)-1]; cap(l.kept.weights) < need {
		l.kept.weights = make([]float32, need)
	} else {
		l.kept.weights = l.kept.weights[:need]
	}
	factor := e.factor()
	e.each(p, l, func(h *head, weights nn.Matrix, item, at, column int) {
		e.load(h, l, at, column)
		h.pool.MulNT(weights, h.query, h.key)
		for i := range weights.Rows {
			row := weights.Row(i)
			e.vectors.Scale(row, row, factor)
			for j := weights.Rows; j < len(row); j++ {
				row[j] = never
			}
			e.vectors.Scale(row, row, 1/e.vectors.Exp(row))
		}
		h.pool.Mul(h.result, e.dropWeights(h, l, weights, item), h.value)
		for i := range h.result.Rows {
			copy(l.kept.joined.Row(at + i)[column:], h.result.Row(i))
		}
	})
}

// factor is what scores are multiplied by.
func (e *Encoder) factor() float32 {
	return float32(1 / math.Sqrt(float64(e.config.Hidden/e.config.Heads)))
}

// dropWeights returns the weights of a head as values are mixed by them.
func (e *Encoder) dropWeights(h *head, l *layer, weights nn.Matrix, item int) nn.Matrix {
	drop, drops := e.dropAt(l.site(siteWeights))
	if !drops {
		return weights
	}
	e.vectors.Drop(h.weight.Data, weights.Data, drop.At(uint64(item)))
	return h.weight
}

// attendBackward fills the gradient of mixed from that of joined.
func (e *Encoder) attendBackward(p *nn.Pool, l *layer, grad nn.Matrix) {
	hidden, factor := e.config.Hidden, e.factor()
	drop, drops := e.dropAt(l.site(siteWeights))
	e.each(p, l, func(h *head, weights nn.Matrix, item, at, column int) {
		e.load(h, l, at, column)
		for i := range h.result.Rows {
			copy(h.result.Row(i), grad.Row(at + i)[column:])
		}
		h.pool.MulTN(h.dValue, e.dropWeights(h, l, weights, item), h.result)
		h.pool.MulNT(h.dWeight, h.result, h.value)
		if drops {
			e.vectors.Drop(h.dWeight.Data, h.dWeight.Data, drop.At(uint64(item)))
		}
		for i := range weights.Rows {
			e.vectors.SoftmaxGrad(h.dWeight.Row(i), weights.Row(i), factor)
		}
		h.pool.Mul(h.dQuery, h.dWeight, h.key)
		h.pool.MulTN(h.dKey, h.dWeight, h.query)
		for i := range weights.Rows {
			row := e.space.mixed.Row(at + i)[column:]
			copy(row, h.dQuery.Row(i))
			copy(row[hidden:], h.dKey.Row(i))
			copy(row[2*hidden:], h.dValue.Row(i))
		}
	})
}
