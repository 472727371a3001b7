package bert

import (
	"math"
	"slices"
)

// lanes is the number of float32 that the assembly takes at a time. Its sums
// run over so many lanes, which are added up pairwise at the end, so AVX2 and
// AVX-512 give the same bits.
const lanes = 16

// vectors are the loops over the rows of matrices. Slices of one call have
// equal lengths, which are multiples of [lanes] unless the loops are portable.
type vectors struct {
	// gelu sets x to g(x + bias), where g(x) = x·Φ(x).
	gelu func(x, bias []float32)
	// exp sets x to exp(x − max x) and returns the sum of that.
	exp func(x []float32) float32
	// norm sets x to scale·(x + bias − mean)/√(variance + epsilon) + shift.
	norm func(x, bias, scale, shift []float32, epsilon float32)
	// add sets dst to a + b.
	add func(dst, a, b []float32)
	// scale sets dst to factor·x.
	scale func(dst, x []float32, factor float32)
}

// vectorsGo work on every machine and for every length.
var vectorsGo = vectors{gelu: geluGo, exp: expGo, norm: normGo, add: addGo, scale: scaleGo}

// vectorsFor returns the loops for a machine, as nn.Pool.Kernel names it, and
// for rows of the given lengths.
func vectorsFor(machine string, lengths ...int) *vectors {
	v := assembly[machine]
	if v == nil || slices.ContainsFunc(lengths, func(n int) bool { return n%lanes != 0 }) {
		return &vectorsGo
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

func expGo(x []float32) float32 {
	top := float32(math.Inf(-1))
	for _, v := range x {
		top = max(top, v)
	}
	sum := float32(0)
	for i, v := range x {
		v = max(v-top, expLow)
		shifted := float32(v*math.Log2E) + roundBy
		n := shifted - roundBy
		r := v - float32(n*ln2Upper) - float32(n*ln2Lower)
		y := math.Float32frombits(math.Float32bits(horner(r, taylor[:])) + math.Float32bits(shifted)<<23)
		x[i] = y
		sum += y
	}
	return sum
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
