package bert

import (
	"math"

	"sotto/compute/nn"
	"sotto/text"
)

// space is the memory that some sentences are computed in.
type space struct {
	pool   *nn.Pool
	x      nn.Matrix // a row for each token
	mixed  nn.Matrix // queries, keys and values
	inner  nn.Matrix
	joined nn.Matrix // the results of all heads
	heads  []head    // one a worker of pool
	starts []int     // where the rows of each sentence begin
}

// space returns memory for the given number of workers.
func (m *Model) space(workers int) *space {
	s, ok := m.spaces.Get().(*space)
	if !ok {
		s = &space{}
	}
	if s.pool == nil || s.pool.Workers() != workers {
		s.pool = nn.NewPool(workers)
	}
	for len(s.heads) < workers {
		s.heads = append(s.heads, head{pool: nn.NewPool(1)})
	}
	return s
}

// forward writes the sums of the vectors of some sentences' tokens to dst, or the
// vectors of their first tokens, not yet scaled. Their tokens lie one
// after the other as rows of the same matrices, without padding; only attention
// sees where a sentence ends. A row of a product has the same bits whatever the
// other rows are, so it does not matter which sentences come together.
func (m *Model) forward(s *space, dst nn.Matrix, sentences []text.Tokens) {
	m.layers(s, sentences)
	m.pool(s, dst, sentences)
}

// pool writes to dst what forward does, of the tokens in s.x.
func (m *Model) pool(s *space, dst nn.Matrix, sentences []text.Tokens) {
	for i, t := range sentences {
		n := len(t.IDs)
		if m.first {
			n = 1
		}
		sum(dst.Row(i), s.x.Slice(s.starts[i], s.starts[i]+n))
	}
}

// layers leaves the vectors of the tokens of some sentences after the last layer in
// s.x.
func (m *Model) layers(s *space, sentences []text.Tokens) { m.layersSeen(s, sentences, nil) }

// layersSeen is layers, and calls see, unless it is nil, with the number of layers
// that s.x is behind: 0 after the embeddings.
func (m *Model) layersSeen(s *space, sentences []text.Tokens, see func(layer int)) {
	n := 0
	s.starts = s.starts[:0]
	for _, t := range sentences {
		s.starts = append(s.starts, n)
		n += len(t.IDs)
	}
	s.x = resize(s.x, n, m.config.Hidden)
	s.mixed = resize(s.mixed, n, 3*m.config.Hidden)
	s.joined = resize(s.joined, n, m.config.Hidden)
	s.inner = resize(s.inner, n, m.config.Intermediate)
	m.embed(s.x, sentences)
	if see != nil {
		see(0)
	}
	for i := range m.weights.layers {
		m.layer(s, &m.weights.layers[i], sentences)
		if see != nil {
			see(i + 1)
		}
	}
}

// resize returns a matrix of that size, over the memory of m if it suffices.
func resize(m nn.Matrix, rows, cols int) nn.Matrix {
	if cap(m.Data) < rows*cols {
		return nn.NewMatrix(rows, cols)
	}
	return nn.Matrix{Rows: rows, Cols: cols, Data: m.Data[:rows*cols]}
}

// embed fills x with the normalised sum of the vectors of word, place and type.
func (m *Model) embed(x nn.Matrix, sentences []text.Tokens) {
	w, row := m.weights, 0
	for _, t := range sentences {
		for i, id := range t.IDs {
			to := x.Row(row)
			m.vectors.Add(to, w.words.Row(int(id)), w.positions.Row(i))
			m.vectors.Norm(to, w.types.Row(int(t.Types[i])), w.norm.scale, w.norm.shift, m.epsilon)
			row++
		}
	}
}

// layer takes s.x through one layer. Products add to what is there, which is
// the connection around them, and biases are added by what reads a row next.
func (m *Model) layer(s *space, l *layer, sentences []text.Tokens) {
	s.pool.MulPacked(s.mixed, s.x, l.mixed.weight)
	m.attend(s, l.mixed.bias, sentences)
	s.pool.AddMulPacked(s.x, s.joined, l.attended.weight)
	m.normalise(s.x, l.attended.bias, l.attendedNorm)
	s.pool.MulPacked(s.inner, s.x, l.inner.weight)
	for i := range s.inner.Rows {
		m.vectors.GELU(s.inner.Row(i), l.inner.bias)
	}
	s.pool.AddMulPacked(s.x, s.inner, l.outer.weight)
	m.normalise(s.x, l.outer.bias, l.outerNorm)
}

func (m *Model) normalise(x nn.Matrix, bias []float32, n normal) {
	for i := range x.Rows {
		m.vectors.Norm(x.Row(i), bias, n.scale, n.shift, m.epsilon)
	}
}

// sum sets dst to the sum of the rows of x.
func sum(dst []float32, x nn.Matrix) {
	clear(dst)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			dst[j] += v
		}
	}
}

// join makes the vector of a text of what forward wrote for its windows.
func (m *Model) join(dst []float32, parts nn.Matrix, windows []text.Tokens) {
	if m.long.Rule != WindowsMax {
		sum(dst, parts) // the mean over all tokens, but for its length
		scale(dst)
		return
	}
	for i, t := range windows {
		n := float32(len(t.IDs))
		if m.first {
			n = 1
		}
		for j, v := range parts.Row(i) {
			if v /= n; i == 0 || v > dst[j] {
				dst[j] = v
			}
		}
	}
	scale(dst)
}

// scale scales dst to length 1, unless it is zero.
func scale(dst []float32) {
	square := 0.0
	for _, v := range dst {
		square += float64(float64(v) * float64(v))
	}
	if square == 0 {
		return
	}
	for j, v := range dst {
		dst[j] = float32(float64(v) / math.Sqrt(square))
	}
}
