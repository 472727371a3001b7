package transformer

import "sotto/nn"

// Pooling makes one vector of the vectors of a sequence's tokens. The zero value
// takes their mean.
type Pooling struct {
	First bool // take the vector of the first token instead

	batch *Batch
	y, dx nn.Matrix
}

// Forward returns a row for each sequence of b, from the vectors of its tokens.
func (m *Pooling) Forward(p *nn.Pool, x nn.Matrix, b *Batch) nn.Matrix {
	m.batch, m.y = b, m.y.Reshape(b.Sequences(), x.Cols)
	p.Each(b.Sequences(), func(_, i int) {
		y, lo, hi := m.y.Row(i), b.Starts[i], b.Starts[i+1]
		if m.First {
			copy(y, x.Row(lo))
			return
		}
		clear(y)
		for row := lo; row < hi; row++ {
			for j, v := range x.Row(row) {
				y[j] += v
			}
		}
		for j := range y {
			y[j] /= float32(hi - lo)
		}
	})
	return m.y
}

// Backward returns the gradient with respect to the vectors of the tokens.
func (m *Pooling) Backward(p *nn.Pool, grad nn.Matrix) nn.Matrix {
	b := m.batch
	m.dx = m.dx.Reshape(len(b.IDs), grad.Cols)
	p.Each(b.Sequences(), func(_, i int) {
		g, lo, hi := grad.Row(i), b.Starts[i], b.Starts[i+1]
		share := 1 / float32(hi-lo)
		for row := lo; row < hi; row++ {
			dx := m.dx.Row(row)
			switch {
			case !m.First:
				for j, v := range g {
					dx[j] = v * share
				}
			case row == lo:
				copy(dx, g)
			default:
				clear(dx)
			}
		}
	})
	return m.dx
}
