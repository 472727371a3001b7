package transformer

import "sotto/compute/nn"

// Pooling makes one vector of the vectors of a text's tokens. The zero value takes
// their mean, of all windows alike, so that a window counts by its tokens.
type Pooling struct {
	First bool // take the vector of the first token instead, and the mean of those of several windows
	// Max takes of several windows, each made a vector by itself, the largest of each
	// coordinate.
	Max bool

	batch *Batch
	y, dx nn.Matrix
	from  []int // with Max, the window that each coordinate of y is from
}

// Forward returns a row for each text of b, from the vectors of its tokens.
func (m *Pooling) Forward(p *nn.Pool, x nn.Matrix, b *Batch) nn.Matrix {
	m.batch, m.y = b, m.y.Reshape(b.Texts(), x.Cols)
	if m.Max {
		m.from = make([]int, b.Texts()*x.Cols)
	}
	p.Each(b.Texts(), func(_, i int) {
		y := m.y.Row(i)
		lo, hi := b.Windows(i)
		if m.Max && hi-lo > 1 {
			m.largest(y, x, i)
			return
		}
		m.mean(y, x, lo, hi)
	})
	return m.y
}

// mean sets y to the mean over the windows from lo to hi.
func (m *Pooling) mean(y []float32, x nn.Matrix, lo, hi int) {
	clear(y)
	n := 0
	m.rows(lo, hi, func(row int) {
		n++
		for j, v := range x.Row(row) {
			y[j] += v
		}
	})
	for j := range y {
		y[j] /= float32(n)
	}
}

// rows calls f for the tokens of the windows from lo to hi that count.
func (m *Pooling) rows(lo, hi int, f func(row int)) {
	starts := m.batch.Starts
	if m.First {
		for w := lo; w < hi; w++ {
			f(starts[w])
		}
		return
	}
	for row := starts[lo]; row < starts[hi]; row++ {
		f(row)
	}
}

// largest sets y to the largest coordinates of the windows of a text.
func (m *Pooling) largest(y []float32, x nn.Matrix, text int) {
	one := make([]float32, len(y))
	lo, hi := m.batch.Windows(text)
	from := m.from[text*len(y):][:len(y)]
	for w := lo; w < hi; w++ {
		m.mean(one, x, w, w+1)
		for j, v := range one {
			if w == lo || v > y[j] {
				y[j], from[j] = v, w
			}
		}
	}
}

// Backward returns the gradient with respect to the vectors of the tokens.
func (m *Pooling) Backward(p *nn.Pool, grad nn.Matrix) nn.Matrix {
	b := m.batch
	m.dx = m.dx.Reshape(len(b.IDs), grad.Cols)
	p.Each(b.Texts(), func(_, i int) {
		lo, hi := b.Windows(i)
		clear(m.dx.Slice(b.Starts[lo], b.Starts[hi]).Data)
		if !m.Max || hi-lo == 1 {
			m.spread(grad.Row(i), lo, hi)
			return
		}
		one := make([]float32, grad.Cols)
		for w := lo; w < hi; w++ {
			for j, v := range grad.Row(i) {
				if one[j] = 0; m.from[i*grad.Cols+j] == w {
					one[j] = v
				}
			}
			m.spread(one, w, w+1)
		}
	})
	return m.dx
}

// spread shares a gradient among the tokens that a mean was taken over.
func (m *Pooling) spread(grad []float32, lo, hi int) {
	n := 0
	m.rows(lo, hi, func(int) { n++ })
	share := 1 / float32(n)
	m.rows(lo, hi, func(row int) {
		dx := m.dx.Row(row)
		for j, v := range grad {
			dx[j] = v * share
		}
	})
}
