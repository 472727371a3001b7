package vector

import (
	"math"
	"slices"
)

// assembly holds the loops for the machines that package nn names. What memory
// holds up, and the ways back, have no version for AVX-512.
var assembly = map[string]*Loops{
	"avx2": {
		GELU: gelu(geluAVX2), GELUGrad: geluGrad, Exp: sumExp(expAVX2), SoftmaxGrad: softmaxGrad,
		Norm: norm(normAVX2), NormGrad: normGrad, Drop: drop, Add: add, Scale: scale,
		Sigmoid: squash(sigmoid8, Sigmoid), Tanh: squash(tanh8, Tanh),
	},
	"avx512": {
		GELU: gelu(geluAVX512), GELUGrad: geluGrad, Exp: sumExp(expAVX512), SoftmaxGrad: softmaxGrad,
		Norm: norm(normAVX512), NormGrad: normGrad, Drop: drop, Add: add, Scale: scale,
		Sigmoid: squash(sigmoid8, Sigmoid), Tanh: squash(tanh8, Tanh),
	},
}

// constants are the numbers that the assembly needs, as often as it has Lanes,
// and in an order that is known to it.
var constants = func() (table [28][Lanes]float32) {
	all := slices.Concat(
		[]float32{tailStart, -tailStart, 0.5}, above[:], below[:],
		[]float32{expLow, math.Log2E, roundBy, -ln2Upper, -ln2Lower}, taylor[:],
		[]float32{-0.5, density},
	)
	for i, v := range all {
		for j := range table[i] {
			table[i][j] = v
		}
	}
	return table
}()

func gelu(kernel func(n int, x, bias *float32, c *[28][Lanes]float32)) func(x, bias []float32) {
	return func(x, bias []float32) {
		bias = bias[:len(x)]
		kernel(whole(x), &x[0], &bias[0], &constants)
	}
}

func sumExp(kernel func(n int, x *float32, c *[28][Lanes]float32) float32) func(x []float32) float32 {
	return func(x []float32) float32 { return kernel(whole(x), &x[0], &constants) }
}

func norm(kernel func(n int, x, bias, scale, shift *float32, inverse, epsilon float32)) func(x, bias, scale, shift []float32, epsilon float32) {
	return func(x, bias, scale, shift []float32, epsilon float32) {
		bias, scale, shift = bias[:len(x)], scale[:len(x)], shift[:len(x)]
		kernel(whole(x), &x[0], &bias[0], &scale[0], &shift[0], 1/float32(len(x)), epsilon)
	}
}

func geluGrad(dst, grad, x, bias []float32) {
	grad, x, bias = grad[:len(dst)], x[:len(dst)], bias[:len(dst)]
	geluGradAVX2(whole(dst), &dst[0], &grad[0], &x[0], &bias[0], &constants)
}

func softmaxGrad(grad, p []float32, factor float32) {
	p = p[:len(grad)]
	softmaxGradAVX2(whole(grad), &grad[0], &p[0], factor)
}

func normGrad(dst, grad, x, scale, dScale, dShift []float32, epsilon float32) {
	grad, scale, dScale, dShift, dst = grad[:len(x)], scale[:len(x)], dScale[:len(x)], dShift[:len(x)], dst[:len(x)]
	normGradAVX2(whole(x), &dst[0], &grad[0], &x[0], &scale[0], &dScale[0], &dShift[0], 1/float32(len(x)), epsilon)
}

func drop(dst, x []float32, d Dropout) {
	x = x[:len(dst)]
	dropAVX2(whole(dst), &dst[0], &x[0], uint32(d.seed), uint32(d.seed>>32), d.threshold, d.scale)
}

func add(dst, a, b []float32) {
	a, b = a[:len(dst)], b[:len(dst)]
	addAVX2(whole(dst), &dst[0], &a[0], &b[0])
}

func scale(dst, x []float32, factor float32) {
	x = x[:len(dst)]
	scaleAVX2(whole(dst), &dst[0], &x[0], factor)
}

// whole returns the length of x. It panics if the assembly would pass its end.
func whole(x []float32) int {
	if len(x)%Lanes != 0 {
		panic("vector: length of a row is no multiple of 16")
	}
	return len(x)
}

// The functions below are in vector_amd64.s. n is a positive multiple of 16.

//go:noescape
func geluAVX2(n int, x, bias *float32, c *[28][Lanes]float32)

//go:noescape
func geluAVX512(n int, x, bias *float32, c *[28][Lanes]float32)

//go:noescape
func expAVX2(n int, x *float32, c *[28][Lanes]float32) float32

//go:noescape
func expAVX512(n int, x *float32, c *[28][Lanes]float32) float32

//go:noescape
func normAVX2(n int, x, bias, scale, shift *float32, inverse, epsilon float32)

//go:noescape
func normAVX512(n int, x, bias, scale, shift *float32, inverse, epsilon float32)

//go:noescape
func addAVX2(n int, dst, a, b *float32)

//go:noescape
func scaleAVX2(n int, dst, x *float32, factor float32)

//go:noescape
func geluGradAVX2(n int, dst, grad, x, bias *float32, c *[28][Lanes]float32)

//go:noescape
func softmaxGradAVX2(n int, grad, p *float32, factor float32)

//go:noescape
func normGradAVX2(n int, dst, grad, x, scale, dScale, dShift *float32, inverse, epsilon float32)

//go:noescape
func dropAVX2(n int, dst, x *float32, low, high, threshold uint32, scale float32)
