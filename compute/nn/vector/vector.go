// Package vector holds the loops over rows of numbers that transformers are made
// of, forwards and backwards: GELU, softmax, normalisation and dropout, in
// assembly for AVX2 and AVX-512 and in Go for every other machine.
//
// It is not for matrix products, which package nn has, and it shares no work among
// workers: who calls it does. The smallest use is
//
//	v := vector.For(pool.Kernel(), cols)
//	v.GELU(x.Row(i), bias)
package vector

import (
	"math"
	"slices"
)

// Lanes is the number of float32 that the assembly takes at a time. Its sums
// run over so many lanes, which are added up pairwise at the end, so AVX2 and
// AVX-512 give the same bits.
const Lanes = 16

// Loops are the loops over the rows of matrices. Slices of one call have equal
// lengths, which are multiples of [Lanes] unless the loops are portable. dst may
// be one of the others.
type Loops struct {
	// GELU sets x to g(x + bias), where g(x) = x·Φ(x).
	GELU func(x, bias []float32)
	// GELUGrad sets dst to grad·g′(x + bias), where g′(x) = Φ(x) + x·φ(x).
	GELUGrad func(dst, grad, x, bias []float32)
	// Exp sets x to exp(x − max x) and returns the sum of that.
	Exp func(x []float32) float32
	// SoftmaxGrad sets grad, which is with respect to the probabilities p of a
	// softmax, to factor times what it is with respect to its scores:
	// p·(grad − Σ grad·p).
	SoftmaxGrad func(grad, p []float32, factor float32)
	// Norm sets x to scale·(x + bias − mean)/√(variance + epsilon) + shift.
	Norm func(x, bias, scale, shift []float32, epsilon float32)
	// NormGrad sets dst to the gradient with respect to x of what Norm makes of x
	// without bias, from grad, which is with respect to the result, and adds those
	// with respect to scale and shift to dScale and dShift.
	NormGrad func(dst, grad, x, scale, dScale, dShift []float32, epsilon float32)
	// Drop sets dst to x divided by 1−Rate where d keeps a number, and to 0
	// elsewhere.
	Drop func(dst, x []float32, d Dropout)
	// Add sets dst to a + b.
	Add func(dst, a, b []float32)
	// Scale sets dst to factor·x.
	Scale func(dst, x []float32, factor float32)
	// Sigmoid and Tanh set dst to [Sigmoid] and to [Tanh] of x, of any length and with the
	// same bits on every machine.
	Sigmoid, Tanh func(dst, x []float32)
}

// portable work on every machine and for every length.
var portable = Loops{
	GELU: geluGo, GELUGrad: geluGradGo, Exp: expGo, SoftmaxGrad: softmaxGradGo,
	Norm: normGo, NormGrad: normGradGo, Drop: dropGo, Add: addGo, Scale: scaleGo, Sigmoid: sigmoidGo, Tanh: tanhGo,
}

// For returns the loops for a machine, as nn.Pool.Kernel names it, and for rows of
// the given lengths. AVX2 and AVX-512 give the same bits; portable loops round
// differently.
func For(machine string, lengths ...int) *Loops {
	v := assembly[machine]
	if v == nil || slices.ContainsFunc(lengths, func(n int) bool { return n%Lanes != 0 }) {
		return &portable
	}
	return v
}

// The distribution function of the normal distribution is 1/2 + x·P(x²)/Q(x²)
// within 1e-7 for |x| ≤ 5.4, beyond which 3.3e-8 is left of its tail. The
// coefficients, the highest first, were fitted by weighted least squares,
// repeated with weights that grow with the error (Lawson's method). All are
// positive, so nothing cancels.
const tailStart = 5.4

var (
	above = [...]float32{6.754255049838343e-06, 0.0003726556966527405, 0.0059036388507776, 0.054862541044095214, 0.39894171926990685}
	below = [...]float32{5.627295185006925e-07, 0.000133707495286563, 0.0030441940781305247, 0.04051083605082239, 0.30417766939711005, 1}
)

// exp(x) = 2ⁿ·exp(r) with n = x/ln 2 rounded and r = x − n·ln 2. Adding
// roundBy, which is 1.5·2²³, rounds to a whole number and leaves it in the low
// bits; ln 2 is split so that n times its upper part is exact. The Taylor
// polynomial of degree 6 is within 1.3e-7 of exp(r), relatively, as |r| ≤ 0.35.
// Below expLow, where the result would no longer be normal, the result is that
// of expLow, 1.6e-38.
const (
	expLow   = -87
	roundBy  = 0x1.8p23
	ln2Upper = 0x1.62e4p-1
	ln2Lower = math.Ln2 - ln2Upper
)

var taylor = [...]float32{1. / 720, 1. / 120, 1. / 24, 1. / 6, 1. / 2, 1, 1}

// horner evaluates a polynomial whose coefficients come highest first.
func horner(x float32, coefficients []float32) float32 {
	y := coefficients[0]
	for _, c := range coefficients[1:] {
		y = float32(y*x) + c
	}
	return y
}

func geluGo(x, bias []float32) {
	for i, b := range bias[:len(x)] {
		v := x[i] + b
		c := min(max(v, -tailStart), tailStart)
		x[i] = v * (0.5 + c*horner(c*c, above[:])/horner(c*c, below[:]))
	}
}

// density is φ(0), the height of the normal distribution.
const density = 0.3989422804014327

func geluGradGo(dst, grad, x, bias []float32) {
	grad, x, bias = grad[:len(dst)], x[:len(dst)], bias[:len(dst)]
	for i, g := range grad {
		v := x[i] + bias[i]
		c := min(max(v, -tailStart), tailStart)
		below := 0.5 + c*horner(c*c, above[:])/horner(c*c, below[:])
		dst[i] = g * (below + float32(v*float32(exp(-0.5*float32(v*v))*density)))
	}
}

// exp returns e to the power of v, which is not above 0.
func exp(v float32) float32 {
	v = max(v, expLow)
	shifted := float32(v*math.Log2E) + roundBy
	n := shifted - roundBy
	r := v - float32(n*ln2Upper) - float32(n*ln2Lower)
	return math.Float32frombits(math.Float32bits(horner(r, taylor[:])) + math.Float32bits(shifted)<<23)
}

func expGo(x []float32) float32 {
	top := float32(math.Inf(-1))
	for _, v := range x {
		top = max(top, v)
	}
	sum := float32(0)
	for i, v := range x {
		x[i] = exp(v - top)
		sum += x[i]
	}
	return sum
}

func softmaxGradGo(grad, p []float32, factor float32) {
	p = p[:len(grad)]
	sum := float32(0)
	for i, g := range grad {
		sum += float32(g * p[i])
	}
	for i, g := range grad {
		grad[i] = (g - sum) * p[i] * factor
	}
}

// normGo takes the mean first and then the variance about it: the difference of
// two sums of squares would lose the digits that matter.
func normGo(x, bias, scale, shift []float32, epsilon float32) {
	bias, scale, shift = bias[:len(x)], scale[:len(x)], shift[:len(x)]
	inverse := 1 / float32(len(x))
	sum := float32(0)
	for i, b := range bias {
		x[i] += b
		sum += x[i]
	}
	mean := float32(sum * inverse)
	square := float32(0)
	for _, v := range x {
		square += float32((v - mean) * (v - mean))
	}
	factor := 1 / float32(math.Sqrt(float64(float32(square*inverse)+epsilon)))
	for i, v := range x {
		x[i] = float32((v-mean)*factor*scale[i]) + shift[i]
	}
}

// normGradGo takes mean and variance anew, which costs less than to keep them.
// With y = (x − mean)/deviation and h = grad·scale, the gradient is
// (h − mean of h − y·mean of h·y)/deviation.
func normGradGo(dst, grad, x, scale, dScale, dShift []float32, epsilon float32) {
	grad, scale, dScale, dShift, dst = grad[:len(x)], scale[:len(x)], dScale[:len(x)], dShift[:len(x)], dst[:len(x)]
	inverse := 1 / float32(len(x))
	sum := float32(0)
	for _, v := range x {
		sum += v
	}
	mean := float32(sum * inverse)
	square := float32(0)
	for _, v := range x {
		square += float32((v - mean) * (v - mean))
	}
	factor := 1 / float32(math.Sqrt(float64(float32(square*inverse)+epsilon)))
	var of, along float32
	for i, g := range grad {
		y := (x[i] - mean) * factor
		dScale[i] += float32(g * y)
		dShift[i] += g
		h := float32(g * scale[i])
		of += h
		along += float32(h * y)
	}
	of, along = float32(of*inverse), float32(along*inverse)
	for i, g := range grad {
		y := (x[i] - mean) * factor
		dst[i] = (float32(g*scale[i]) - of - float32(y*along)) * factor
	}
}

func addGo(dst, a, b []float32) {
	b = b[:len(dst)]
	for i, v := range a[:len(dst)] {
		dst[i] = v + b[i]
	}
}

func scaleGo(dst, x []float32, factor float32) {
	for i, v := range x[:len(dst)] {
		dst[i] = v * factor
	}
}
