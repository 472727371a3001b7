package parse

import (
	weakrand "math/rand/v2"

	"sotto/compute/nn"
)

// window adds to each word what it and its two neighbours say together, and
// normalises the sum: y = x + relu([x_{t−1} x_t x_{t+1}]·w + b).
type window struct {
	in   *linear
	norm *norm
}

func newWindow(width int, rng *weakrand.Rand) *window {
	return &window{in: newLinear(3*width, width, rng), norm: newNorm(width)}
}

func (l *window) params(name string) []nn.Param {
	return append(l.in.params(name+".in"), l.norm.params(name+".norm")...)
}

func (l *window) linears() []*linear { return []*linear{l.in} }

// forward implements layer.
func (l *window) forward(s *state, t *tape, x nn.Matrix) {
	width := x.Cols
	t.wide = t.wide.Reshape(x.Rows, 3*width)
	t.inner = t.inner.Reshape(x.Rows, width)
	t.before = t.before.Reshape(x.Rows, width)
	s.each(func(from, to int) {
		for i := from; i < to; i++ {
			row := t.wide.Row(i)
			clear(row)
			for k := -1; k <= 1; k++ {
				if i+k >= from && i+k < to {
					copy(row[(k+1)*width:], x.Row(i+k))
				}
			}
		}
	})
	l.in.forward(s.pool, t.inner, t.wide)
	relu(t.inner)
	for i, v := range x.Data {
		t.before.Data[i] = v + t.inner.Data[i]
	}
	l.norm.forward(s, t)
}

// backward implements layer.
func (l *window) backward(s *state, t *tape, dx, x, dy nn.Matrix) {
	width := x.Cols
	dy = l.norm.backward(s, t, dy)
	t.dinner = t.dinner.Reshape(x.Rows, width)
	copy(t.dinner.Data, dy.Data)
	reluGrad(t.dinner, t.inner)
	t.dwide = t.dwide.Reshape(x.Rows, 3*width)
	l.in.backward(s.pool, t.dwide, t.wide, t.dinner)
	copy(dx.Data, dy.Data)
	s.each(func(from, to int) {
		for i := from; i < to; i++ {
			d := dx.Row(i)
			for k := -1; k <= 1; k++ {
				if i-k < from || i-k >= to {
					continue
				}
				part := t.dwide.Row(i - k)[(k+1)*width:][:len(d)]
				for j := range d {
					d[j] += part[j]
				}
			}
		}
	})
}
