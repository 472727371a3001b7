package nn

import "math"

// ReLU is max(x, 0), element by element. The derivative at 0 is taken to be 0.
// The zero value is ready for use.
type ReLU struct {
	stateless
	out   Matrix // the last output
	y, dx Matrix // buffers
}

// Forward implements [Layer].
func (r *ReLU) Forward(p *Pool, _ Mode, x Matrix) Matrix {
	x.sound("input of ReLU")
	r.y = r.y.Reshape(x.Rows, x.Cols)
	p.chunks(len(x.Data), func(lo, hi int) { p.kernels.relu(r.y.Data[lo:hi], x.Data[lo:hi]) })
	r.out = r.y
	return r.y
}

// Backward implements [Layer].
func (r *ReLU) Backward(p *Pool, grad Matrix) Matrix {
	grad.want("gradient of ReLU", r.out.Rows, r.out.Cols)
	r.dx = r.dx.Reshape(grad.Rows, grad.Cols)
	p.chunks(len(grad.Data), func(lo, hi int) {
		p.kernels.reluGrad(r.dx.Data[lo:hi], grad.Data[lo:hi], r.out.Data[lo:hi])
	})
	return r.dx
}

// Tanh is the hyperbolic tangent, element by element, to the rounding of
// float32. The zero value is ready for use.
type Tanh struct {
	stateless
	y, dx Matrix
}

// Forward implements [Layer].
func (t *Tanh) Forward(p *Pool, _ Mode, x Matrix) Matrix {
	x.sound("input of Tanh")
	t.y = t.y.Reshape(x.Rows, x.Cols)
	p.chunks(len(x.Data), func(lo, hi int) {
		y := t.y.Data[lo:hi]
		for i, v := range x.Data[lo:hi] {
			y[i] = tanh(v)
		}
	})
	return t.y
}

// tanh returns 1 − 2/(e^2x + 1), computed in double precision, whose rounding
// is far below that of the result. Near 0, where digits would cancel, it is
// x·(1 − x²/3 + …) = x to a relative 2⁻²⁵.
func tanh(x float32) float32 {
	if math.Abs(float64(x)) < 0x1p-12 {
		return x
	}
	return float32(1 - 2/(math.Exp(2*float64(x))+1))
}

// Backward implements [Layer]: the derivative is 1 − tanh².
func (t *Tanh) Backward(p *Pool, grad Matrix) Matrix {
	grad.want("gradient of Tanh", t.y.Rows, t.y.Cols)
	t.dx = t.dx.Reshape(grad.Rows, grad.Cols)
	p.chunks(len(grad.Data), func(lo, hi int) {
		dx, y := t.dx.Data[lo:hi], t.y.Data[lo:hi]
		for i, g := range grad.Data[lo:hi] {
			dx[i] = g * ((1 - y[i]) * (1 + y[i])) // exact where y is near ±1
		}
	})
	return t.dx
}

// GradientReversal passes its input on and multiplies the gradient by −Lambda
// (Ganin and Lempitsky, ICML 2015): what follows it learns to predict, what
// precedes it learns to prevent that. Lambda may change from step to step.
type GradientReversal struct {
	Lambda float32

	stateless
	rows, cols int
	dx         Matrix
}

// Forward implements [Layer] and returns x itself.
func (r *GradientReversal) Forward(_ *Pool, _ Mode, x Matrix) Matrix {
	x.sound("input of GradientReversal")
	r.rows, r.cols = x.Rows, x.Cols
	return x
}

// Backward implements [Layer].
func (r *GradientReversal) Backward(p *Pool, grad Matrix) Matrix {
	grad.want("gradient of GradientReversal", r.rows, r.cols)
	r.dx = r.dx.Reshape(grad.Rows, grad.Cols)
	p.chunks(len(grad.Data), func(lo, hi int) {
		p.kernels.scale(r.dx.Data[lo:hi], grad.Data[lo:hi], -float64(r.Lambda))
	})
	return r.dx
}
