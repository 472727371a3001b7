package bert

import (
	"sotto/compute/nn"
	"sotto/compute/nn/vector"
	"sotto/text"
)

// head is the memory for one head of attention over one sentence.
type head struct {
	pool              *nn.Pool // of one worker: the products are too small to share
	query, key, value nn.Matrix
	weight            nn.Matrix // of each key for each query
	sums              []float32 // of the rows of weight
	result            nn.Matrix
}

// never is the score of a key that is not there. The weight that it gets, below
// 2e-38, is lost in a sum that is at least 1, and its value is zero.
const never = -1e30

// attend fills s.joined from s.mixed, to which bias is still to be added.
func (m *Model) attend(s *space, bias []float32, sentences []text.Tokens) {
	heads := m.config.Heads
	s.pool.Each(heads*len(sentences), func(worker, item int) {
		h, i := &s.heads[worker], item/heads
		h.resize(len(sentences[i].IDs), m.config.Hidden/heads)
		m.attendHead(s, h, bias, s.starts[i], item%heads)
	})
}

// resize makes room for n tokens and vectors of the given width. Keys and
// values are filled up to a multiple of [vector.Lanes], values with zeros: what was
// computed before must not show in the last bit.
func (h *head) resize(n, width int) {
	padded := (n + vector.Lanes - 1) / vector.Lanes * vector.Lanes
	h.query = resize(h.query, n, width)
	h.key = resize(h.key, padded, width)
	h.value = resize(h.value, padded, width)
	h.weight = resize(h.weight, n, padded)
	h.result = resize(h.result, n, width)
	clear(h.value.Data[n*width:])
	if cap(h.sums) < n {
		h.sums = make([]float32, n)
	}
	h.sums = h.sums[:n]
}

// attendHead computes one head for the sentence whose rows begin at one.
func (m *Model) attendHead(s *space, h *head, bias []float32, at, number int) {
	hidden, width := m.config.Hidden, h.query.Cols
	lo := number * width
	for i := range h.query.Rows {
		row := s.mixed.Row(at + i)[lo:]
		m.vectors.Add(h.query.Row(i), row[:width], bias[lo:][:width])
		m.vectors.Add(h.key.Row(i), row[hidden:][:width], bias[hidden+lo:][:width])
		m.vectors.Add(h.value.Row(i), row[2*hidden:][:width], bias[2*hidden+lo:][:width])
	}
	h.pool.MulNT(h.weight, h.query, h.key)
	for i := range h.weight.Rows {
		row := h.weight.Row(i)
		for j := h.weight.Rows; j < len(row); j++ {
			row[j] = never
		}
		h.sums[i] = m.vectors.Exp(row)
	}
	h.pool.Mul(h.result, h.weight, h.value)
	for i, sum := range h.sums {
		m.vectors.Scale(s.joined.Row(at + i)[lo:][:width], h.result.Row(i), 1/sum)
	}
}
