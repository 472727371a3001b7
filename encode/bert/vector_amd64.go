package bert

import (
	"math"
	"slices"
)

// assembly holds the loops for the machines that package nn names. What memory
// holds up has no version for AVX-512.
var assembly = map[string]*vectors{
	"avx2":   {gelu: gelu(geluAVX2), exp: exp(expAVX2), norm: norm(normAVX2), add: add, scale: scale},
	"avx512": {gelu: gelu(geluAVX512), exp: exp(expAVX512), norm: norm(normAVX512), add: add, scale: scale},
}

// constants are the numbers that the assembly needs, as often as it has lanes,
// and in an order that is known to it.
var constants = func() (table [26][lanes]float32) {
	all := slices.Concat(
		[]float32{tailStart, -tailStart, 0.5}, above[:], below[:],
		[]float32{expLow, math.Log2E, roundBy, -ln2Upper, -ln2Lower}, taylor[:],
	)
	for i, v := range all {
		for j := range table[i] {
			table[i][j] = v
		}
	}
	return table
}()

func gelu(kernel func(n int, x, bias *float32, c *[26][lanes]float32)) func(x, bias []float32) {
	return func(x, bias []float32) {
		bias = bias[:len(x)]
		kernel(whole(x), &x[0], &bias[0], &constants)
	}
}

func exp(kernel func(n int, x *float32, c *[26][lanes]float32) float32) func(x []float32) float32 {
	return func(x []float32) float32 { return kernel(whole(x), &x[0], &constants) }
}

func norm(kernel func(n int, x, bias, scale, shift *float32, inverse, epsilon float32)) func(x, bias, scale, shift []float32, epsilon float32) {
	return func(x, bias, scale, shift []float32, epsilon float32) {
		bias, scale, shift = bias[:len(x)], scale[:len(x)], shift[:len(x)]
		kernel(whole(x), &x[0], &bias[0], &scale[0], &shift[0], 1/float32(len(x)), epsilon)
	}
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
	if len(x)%lanes != 0 {
		panic("bert: length of a row is no multiple of 16")
	}
	return len(x)
}

// The functions below are in vector_amd64.s. n is a positive multiple of 16.

//go:noescape
func geluAVX2(n int, x, bias *float32, c *[26][lanes]float32)

//go:noescape
func geluAVX512(n int, x, bias *float32, c *[26][lanes]float32)

//go:noescape
func expAVX2(n int, x *float32, c *[26][lanes]float32) float32

//go:noescape
func expAVX512(n int, x *float32, c *[26][lanes]float32) float32

//go:noescape
func normAVX2(n int, x, bias, scale, shift *float32, inverse, epsilon float32)

//go:noescape
func normAVX512(n int, x, bias, scale, shift *float32, inverse, epsilon float32)

//go:noescape
func addAVX2(n int, dst, a, b *float32)

//go:noescape
func scaleAVX2(n int, dst, x *float32, factor float32)
