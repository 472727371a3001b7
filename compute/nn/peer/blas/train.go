//go:build cgo && linux && openblas

package main

/*
#cgo LDFLAGS: -lopenblas
#include <cblas.h>
void openblas_set_num_threads(int);
*/
import "C"

import (
	"math"
	weakrand "math/rand/v2"
	"sync/atomic"
)

const rows, inputs, hidden, outputs = 256, 300, 512, 2

// train trains one attack model for ever and counts the steps.
func train(count *atomic.Int64) {
	C.openblas_set_num_threads(1)
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	x := uniform(rng, rows*inputs, 1)
	labels := make([]int, rows)
	for i := range labels {
		if x[i*inputs] > 0 {
			labels[i] = 1
		}
	}
	first, second := newDense(rng, inputs, hidden, 0.086), newDense(rng, hidden, outputs, 0.108)
	dy, dh := make([]float32, rows*outputs), make([]float32, rows*hidden)
	for step := 1; ; step++ {
		h := first.forward(x)
		relu(h)
		softmaxGradient(dy, second.forward(h), labels)
		second.backward(h, dy)
		second.inputGradient(dh, dy)
		reluGradient(dh, h)
		first.backward(x, dh)
		rate, scale := correction(step)
		for _, p := range []*parameter{&first.w, &first.b, &second.w, &second.b} {
			p.adam(rate, scale)
		}
		count.Add(1)
	}
}

func uniform(rng *weakrand.Rand, n int, scale float32) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = scale * (2*rng.Float32() - 1)
	}
	return v
}

// factor is a matrix in a product, with the number of columns that it is
// stored with.
type factor struct {
	data []float32
	cols int
	flip C.enum_CBLAS_TRANSPOSE
}

// multiply sets y to a·b + beta·y for y m×n and k columns of a.
func multiply(y []float32, m, n, k int, a, b factor, beta float32) {
	C.cblas_sgemm(C.CblasRowMajor, a.flip, b.flip, C.int(m), C.int(n), C.int(k),
		1, (*C.float)(&a.data[0]), C.int(a.cols), (*C.float)(&b.data[0]), C.int(b.cols),
		C.float(beta), (*C.float)(&y[0]), C.int(n))
}

// dense is the affine layer Y = X·W + b, with its result and gradients.
type dense struct {
	in, out int
	w, b    parameter
	y       []float32
}

func newDense(rng *weakrand.Rand, in, out int, scale float32) *dense {
	return &dense{
		in: in, out: out,
		w: newParameter(uniform(rng, in*out, scale)), b: newParameter(make([]float32, out)),
		y: make([]float32, rows*out),
	}
}

func (d *dense) forward(x []float32) []float32 {
	for i := range rows {
		copy(d.y[i*d.out:(i+1)*d.out], d.b.w)
	}
	multiply(d.y, rows, d.out, d.in, factor{x, d.in, C.CblasNoTrans}, factor{d.w.w, d.out, C.CblasNoTrans}, 1)
	return d.y
}

// backward sets the gradients of the parameters.
func (d *dense) backward(x, dy []float32) {
	multiply(d.w.grad, d.in, d.out, rows, factor{x, d.in, C.CblasTrans}, factor{dy, d.out, C.CblasNoTrans}, 0)
	sum := d.b.grad
	clear(sum)
	for ; len(dy) >= len(sum); dy = dy[len(sum):] {
		for j, g := range dy[:len(sum)] {
			sum[j] += g
		}
	}
}

func (d *dense) inputGradient(dx, dy []float32) {
	multiply(dx, rows, d.in, d.out, factor{dy, d.out, C.CblasNoTrans}, factor{d.w.w, d.out, C.CblasTrans}, 0)
}

// relu sets what is negative to zero, without a branch, which would be
// mispredicted for half of the elements.
func relu(y []float32) {
	for i, v := range y {
		y[i] = max(v, 0)
	}
}

// reluGradient sets to zero the gradient of what relu set to zero. On bits the
// compiler makes a conditional move of it, not a branch.
func reluGradient(grad, y []float32) {
	y = y[:len(grad)]
	for i, g := range grad {
		bits := math.Float32bits(g)
		if y[i] <= 0 {
			bits = 0
		}
		grad[i] = math.Float32frombits(bits)
	}
}

// softmaxGradient sets grad to the gradient of the mean cross-entropy of two
// logits a row.
func softmaxGradient(grad, logits []float32, labels []int) {
	for i, label := range labels {
		l, g := logits[2*i:2*i+2], grad[2*i:2*i+2]
		top := max(l[0], l[1])
		e0, e1 := float32(math.Exp(float64(l[0]-top))), float32(math.Exp(float64(l[1]-top)))
		g[0], g[1] = e0/(e0+e1)/rows, e1/(e0+e1)/rows
		g[label] -= 1.0 / rows
	}
}

type parameter struct{ w, grad, m, v []float32 }

func newParameter(w []float32) parameter {
	return parameter{w, make([]float32, len(w)), make([]float32, len(w)), make([]float32, len(w))}
}

const beta1, beta2, epsilon = 0.9, 0.999, 1e-8

// correction returns Adam's step size and the factor of the root of squares
// after the given number of steps.
func correction(step int) (rate, scale float32) {
	t := float64(step)
	return float32(1e-3 / (1 - math.Pow(beta1, t))), float32(1 / math.Sqrt(1-math.Pow(beta2, t)))
}

// adam takes one step, in one pass over memory.
func (p *parameter) adam(rate, scale float32) {
	w := p.w
	grad, ms, vs := p.grad[:len(w)], p.m[:len(w)], p.v[:len(w)]
	for i, g := range grad {
		m := beta1*ms[i] + (1-beta1)*g
		v := beta2*vs[i] + (1-beta2)*g*g
		ms[i], vs[i] = m, v
		w[i] -= rate * m / (float32(math.Sqrt(float64(v)))*scale + epsilon)
	}
}
