package nn

import "math"

// vectors are the loops over vectors. Slices of one call have equal lengths.
type vectors struct {
	// axpy adds alpha·src to dst.
	axpy func(dst, src []float32, alpha float32)
	// blend sets dst to a weighted sum of rows.
	blend func(dst []float32, m blend)
	// relu sets dst to x where it is not negative, and to 0 elsewhere. A NaN stays.
	relu func(dst, x []float32)
	// reluGrad sets dst to grad where y is positive, and to 0 elsewhere.
	reluGrad func(dst, grad, y []float32)
	// adam updates w by its gradient g, with the moments m and v.
	adam func(w, g, m, v []float32, s *adamStep)
	// dot returns Σ a·b in double precision.
	dot func(a, b []float32) float64
	// magnitude returns Σ|x| in double precision.
	magnitude func(x []float32) float64
	// scale sets dst to factor·x, computed in double precision.
	scale func(dst, x []float32, factor float64)
	// slope sets dst to factor·(grad − along·sign x), computed in double
	// precision, with sign 0 = 0.
	slope func(dst, grad, x []float32, along, factor float64)
	// widen and narrow convert src to another precision.
	widen  func(dst []float64, src []float32)
	narrow func(dst []float32, src []float64)
}

// blend is Σ a[l·step]·b[l·stride+j] for column j, over l below k, added up first
// to last: from zero, or from what is there if more is set. k is positive. Where
// where, unless it is nil, is not positive, the sum becomes zero.
type blend struct {
	k            int
	a, b         []float32
	step, stride int
	where        []float32
	more         bool
}

// adamStep holds the numbers of one update of Adam: with g′ = g + l2·w,
//
//	m ← beta1·m + rest1·g′, v ← beta2·v + rest2·g′², w ← keep·w − rate·m/(√v·scale + epsilon).
//
// The order and types of the fields are known to the assembly.
type adamStep struct {
	beta1, rest1   float32
	beta2, rest2   float32
	scale, epsilon float32 // scale is 1/√(1−beta2ᵗ)
	rate           float32 // divided by 1−beta1ᵗ
	keep           float32 // 1 less the decoupled decay of the weights
	l2             float32
}

// vectorsGo work on every machine.
var vectorsGo = vectors{
	axpy: axpyGo, blend: blendGo, relu: reluGo, reluGrad: reluGradGo, adam: adamGo,
	dot: dotGo, magnitude: magnitudeGo, scale: scaleGo, slope: slopeGo,
	widen: widenGo, narrow: narrowGo,
}

func axpyGo(dst, src []float32, alpha float32) {
	for i, v := range src[:len(dst)] {
		dst[i] += float32(alpha * v)
	}
}

func blendGo(dst []float32, m blend) {
	if !m.more {
		clear(dst)
	}
	for l := range m.k {
		axpyGo(dst, m.b[l*m.stride:], m.a[l*m.step])
	}
	if m.where != nil {
		reluGradGo(dst, dst, m.where)
	}
}

func reluGo(dst, x []float32) {
	for i, v := range x[:len(dst)] {
		if v < 0 {
			v = 0
		}
		dst[i] = v
	}
}

func reluGradGo(dst, grad, y []float32) {
	grad, y = grad[:len(dst)], y[:len(dst)]
	for i, v := range grad {
		if !(y[i] > 0) {
			v = 0
		}
		dst[i] = v
	}
}

func adamGo(w, g, m, v []float32, s *adamStep) {
	g, m, v = g[:len(w)], m[:len(w)], v[:len(w)]
	for i, x := range w {
		d := g[i] + float32(s.l2*x)
		m[i] = float32(s.beta1*m[i]) + float32(s.rest1*d)
		v[i] = float32(s.beta2*v[i]) + float32(s.rest2*(d*d))
		root := float32(math.Sqrt(float64(v[i]))) // one instruction in single precision
		w[i] = float32(s.keep*x) - s.rate*m[i]/(float32(root*s.scale)+s.epsilon)
	}
}

// dotGo adds up four sums, which hides the latency of an addition.
func dotGo(a, b []float32) float64 {
	b = b[:len(a)]
	var s, t, u, v float64
	for ; len(a) >= 4 && len(b) >= 4; a, b = a[4:], b[4:] {
		s += float64(float64(a[0]) * float64(b[0]))
		t += float64(float64(a[1]) * float64(b[1]))
		u += float64(float64(a[2]) * float64(b[2]))
		v += float64(float64(a[3]) * float64(b[3]))
	}
	for i, x := range a {
		s += float64(float64(x) * float64(b[i]))
	}
	return (s + t) + (u + v)
}

// magnitudeGo adds up two sums.
func magnitudeGo(x []float32) float64 {
	var s, t float64
	for ; len(x) >= 2; x = x[2:] {
		s += math.Abs(float64(x[0]))
		t += math.Abs(float64(x[1]))
	}
	for _, v := range x {
		s += math.Abs(float64(v))
	}
	return s + t
}

func scaleGo(dst, x []float32, factor float64) {
	for i, v := range x[:len(dst)] {
		dst[i] = float32(float64(v) * factor)
	}
}

func slopeGo(dst, grad, x []float32, along, factor float64) {
	grad, x = grad[:len(dst)], x[:len(dst)]
	for i, v := range grad {
		dst[i] = float32((float64(v) - signed(along, x[i])) * factor)
	}
}

// signed returns v·sign(x), with sign(0) = 0. It has no branch, which could
// not be predicted.
func signed(v float64, x float32) float64 {
	b := math.Float32bits(x)
	notZero := uint64(int64(-uint64(b<<1)) >> 63) // all ones unless x is 0 or −0
	return math.Float64frombits((math.Float64bits(v) ^ uint64(b>>31)<<63) & notZero)
}

func widenGo(dst []float64, src []float32) {
	for i, v := range src[:len(dst)] {
		dst[i] = float64(v)
	}
}

func narrowGo(dst []float32, src []float64) {
	for i, v := range src[:len(dst)] {
		dst[i] = float32(v)
	}
}
