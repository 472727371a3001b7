package parse

import (
	weakrand "math/rand/v2"

	"sotto/compute/nn"
)

// recurrent is a simple recurrent unit in both directions (Lei et al., EMNLP
// 2018): all products of a layer are one, over all words at once, and only
// sums run along a sentence. With [z f r] = x·w + b and the gate g,
//
//	c_t = g(f_t)·c_{t−1} + (1 − g(f_t))·z_t
//	y_t = g(r_t)·c_t + (1 − g(r_t))·x_t
//
// for the first half of the columns from left to right, and for the second from
// right to left. The result is normalised.
type recurrent struct {
	in   *linear
	norm *norm
}

func newRecurrent(width int, rng *weakrand.Rand) *recurrent {
	return &recurrent{in: newLinear(width, 3*width, rng), norm: newNorm(width)}
}

func (l *recurrent) params(name string) []nn.Param {
	return append(l.in.params(name+".in"), l.norm.params(name+".norm")...)
}

func (l *recurrent) linears() []*linear { return []*linear{l.in} }

// gate rises from 0 to 1, as a sigmoid does, without an exponential.
func gate(x float32) float32 {
	if x < 0 {
		return 0.5 / (1 - x)
	}
	return 1 - 0.5/(1+x)
}

// gateGrad is the derivative of gate where its value is g: min(g, 1−g)²·2.
func gateGrad(g float32) float32 {
	m := min(g, 1-g)
	return 2 * m * m
}

// forward implements layer. It leaves the gates in place of what they are of.
func (l *recurrent) forward(s *state, t *tape, x nn.Matrix) {
	width := x.Cols
	t.wide = t.wide.Reshape(x.Rows, 3*width)
	t.inner = t.inner.Reshape(x.Rows, width)
	t.before = t.before.Reshape(x.Rows, width)
	l.in.forward(s.pool, t.wide, x)
	s.each(func(from, to int) {
		for i := from; i < to; i++ {
			gates := t.wide.Row(i)[width:]
			for j, v := range gates {
				gates[j] = gate(v)
			}
		}
		for i := from; i < to; i++ {
			last := zeros(width / 2)
			if i > from {
				last = t.inner.Row(i - 1)[:width/2]
			}
			step(t.inner.Row(i)[:width/2], last, t.wide.Row(i), width)
		}
		for i := to - 1; i >= from; i-- {
			last := zeros(width / 2)
			if i < to-1 {
				last = t.inner.Row(i + 1)[width/2:]
			}
			step(t.inner.Row(i)[width/2:], last, t.wide.Row(i)[width/2:], width)
		}
		for i := from; i < to; i++ {
			y, c, in, r := t.before.Row(i), t.inner.Row(i)[:width], x.Row(i)[:width], t.wide.Row(i)[2*width:][:width]
			for j := range y {
				y[j] = in[j] + float32(r[j]*(c[j]-in[j]))
			}
		}
	})
	l.norm.forward(s, t)
}

// step sets c from its last value, for one half of the columns: z and the gate
// f of u, width numbers further on.
func step(c, last, u []float32, width int) {
	z, f := u[:len(c)], u[width:][:len(c)]
	last = last[:len(c)]
	for j := range c {
		c[j] = z[j] + float32(f[j]*(last[j]-z[j]))
	}
}

// backward implements layer.
func (l *recurrent) backward(s *state, t *tape, dx, x, dy nn.Matrix) {
	width := x.Cols
	dy = l.norm.backward(s, t, dy)
	t.dwide = t.dwide.Reshape(x.Rows, 3*width)
	t.dinner = t.dinner.Reshape(x.Rows, width)
	direct := t.direct.Reshape(x.Rows, width)
	t.direct = direct
	s.each(func(from, to int) {
		for i := from; i < to; i++ {
			g, c, in, r := dy.Row(i), t.inner.Row(i), x.Row(i), t.wide.Row(i)[2*width:]
			dc, dr, d := t.dinner.Row(i), t.dwide.Row(i)[2*width:], direct.Row(i)
			for j := range g {
				dc[j] = g[j] * r[j]
				dr[j] = g[j] * (c[j] - in[j]) * gateGrad(r[j])
				d[j] = g[j] * (1 - r[j])
			}
		}
		half := width / 2
		carry := make([]float32, half)
		for i := to - 1; i >= from; i-- {
			last := zeros(half)
			if i > from {
				last = t.inner.Row(i - 1)[:half]
			}
			stepGrad(t.dwide.Row(i), t.dinner.Row(i)[:half], carry, last, t.wide.Row(i), width)
		}
		clear(carry)
		for i := from; i < to; i++ {
			last := zeros(half)
			if i < to-1 {
				last = t.inner.Row(i + 1)[half:]
			}
			stepGrad(t.dwide.Row(i)[half:], t.dinner.Row(i)[half:], carry, last, t.wide.Row(i)[half:], width)
		}
	})
	l.in.backward(s.pool, dx, x, t.dwide)
	s.pool.AddScaled(dx, 1, direct)
}

// stepGrad sets the gradients of z and f in du, from that of c and from carry,
// which comes from the next step and becomes what goes to the one before.
func stepGrad(du, dc, carry, last, u []float32, width int) {
	n := len(dc)
	z, f, dz, df := u[:n], u[width:][:n], du[:n], du[width:][:n]
	last, carry = last[:n], carry[:n]
	for j := range dc {
		d := dc[j] + carry[j]
		dz[j] = d * (1 - f[j])
		df[j] = d * (last[j] - z[j]) * gateGrad(f[j])
		carry[j] = d * f[j]
	}
}

// none is what comes before the first word of a sentence.
var none [512]float32

func zeros(n int) []float32 { return none[:n] }

// norm brings each row to mean 0 and variance 1, and then scales and shifts it.
type norm struct {
	scale, shift   nn.Matrix
	gscale, gshift nn.Matrix
}

// epsilon keeps the normalisation from dividing by 0.
const epsilon = 1e-5

func newNorm(width int) *norm {
	n := &norm{scale: nn.NewMatrix(1, width), shift: nn.NewMatrix(1, width)}
	for i := range n.scale.Data {
		n.scale.Data[i] = 1
	}
	return n
}

func (n *norm) params(name string) []nn.Param {
	n.gscale, n.gshift = nn.NewMatrix(1, n.scale.Cols), nn.NewMatrix(1, n.scale.Cols)
	return []nn.Param{{Name: name + ".scale", Value: n.scale, Grad: n.gscale}, {Name: name + ".shift", Value: n.shift, Grad: n.gshift}}
}

// forward sets t.out to t.before normalised, with a part dropped in training.
func (n *norm) forward(s *state, t *tape) {
	t.out = t.out.Reshape(t.before.Rows, t.before.Cols)
	copy(t.out.Data, t.before.Data)
	zero := zeros(t.out.Cols)
	for i := range t.out.Rows {
		s.loops.Norm(t.out.Row(i), zero, n.scale.Data, n.shift.Data, epsilon)
	}
	s.drop(t.out, t.place)
}

// backward returns the gradient of t.before from dy, that of t.out.
func (n *norm) backward(s *state, t *tape, dy nn.Matrix) nn.Matrix {
	t.dbefore = t.dbefore.Reshape(dy.Rows, dy.Cols)
	s.drop(dy, t.place)
	clear(n.gscale.Data)
	clear(n.gshift.Data)
	for i := range dy.Rows {
		s.loops.NormGrad(t.dbefore.Row(i), dy.Row(i), t.before.Row(i), n.scale.Data, n.gscale.Data, n.gshift.Data, epsilon)
	}
	return t.dbefore
}
