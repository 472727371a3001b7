package nn

// vectorsAVX2 are the loops over vectors, for AVX2 and AVX-512 alike: memory
// holds them up before arithmetic does.
var vectorsAVX2 = vectors{
	axpy: axpyAVX2, blend: blendAVX2, relu: reluAVX2, reluGrad: reluGradAVX2, adam: adamAVX2,
	dot: dotAVX2, magnitude: magnitudeAVX2, scale: scaleAVX2, slope: slopeAVX2,
	widen: widenAVX2, narrow: narrowAVX2,
}

// width is the number of float32 in a register.
const width = 8

func axpyAVX2(dst, src []float32, alpha float32) {
	n := len(dst) &^ (width - 1)
	if src = src[:len(dst)]; n > 0 {
		axpy8(n, &dst[0], &src[0], alpha)
	}
	axpyGo(dst[n:], src[n:], alpha)
}

// blendAVX2 fuses every product with its addition, as the tiles of products do.
func blendAVX2(dst []float32, m blend) {
	if len(dst) == 0 {
		return
	}
	_, _ = m.a[(m.k-1)*m.step], m.b[(m.k-1)*m.stride+len(dst)-1]
	var where *float32
	if m.where != nil {
		where = &m.where[:len(dst)][0]
	}
	blend8(len(dst), m.k, &dst[0], &m.a[0], &m.b[0], m.step, m.stride, where, m.more)
}

func reluAVX2(dst, x []float32) {
	n := len(dst) &^ (width - 1)
	if x = x[:len(dst)]; n > 0 {
		relu8(n, &dst[0], &x[0])
	}
	reluGo(dst[n:], x[n:])
}

func reluGradAVX2(dst, grad, y []float32) {
	n := len(dst) &^ (width - 1)
	grad, y = grad[:len(dst)], y[:len(dst)]
	if n > 0 {
		reluGrad8(n, &dst[0], &grad[0], &y[0])
	}
	reluGradGo(dst[n:], grad[n:], y[n:])
}

func adamAVX2(w, g, m, v []float32, s *adamStep) {
	n := len(w) &^ (width - 1)
	g, m, v = g[:len(w)], m[:len(w)], v[:len(w)]
	if n > 0 {
		adam8(n, &w[0], &g[0], &m[0], &v[0], s)
	}
	adamGo(w[n:], g[n:], m[n:], v[n:], s)
}

func dotAVX2(a, b []float32) float64 {
	n := len(a) &^ (width - 1)
	b = b[:len(a)]
	sum := dotGo(a[n:], b[n:])
	if n > 0 {
		sum += dot8(n, &a[0], &b[0])
	}
	return sum
}

func magnitudeAVX2(x []float32) float64 {
	n := len(x) &^ (width - 1)
	sum := magnitudeGo(x[n:])
	if n > 0 {
		sum += magnitude8(n, &x[0])
	}
	return sum
}

func scaleAVX2(dst, x []float32, factor float64) {
	n := len(dst) &^ (width - 1)
	if x = x[:len(dst)]; n > 0 {
		scale8(n, &dst[0], &x[0], factor)
	}
	scaleGo(dst[n:], x[n:], factor)
}

func slopeAVX2(dst, grad, x []float32, along, factor float64) {
	n := len(dst) &^ (width - 1)
	grad, x = grad[:len(dst)], x[:len(dst)]
	if n > 0 {
		slope8(n, &dst[0], &grad[0], &x[0], along, factor)
	}
	slopeGo(dst[n:], grad[n:], x[n:], along, factor)
}

func widenAVX2(dst []float64, src []float32) {
	n := len(dst) &^ (width - 1)
	if src = src[:len(dst)]; n > 0 {
		widen8(n, &dst[0], &src[0])
	}
	widenGo(dst[n:], src[n:])
}

func narrowAVX2(dst []float32, src []float64) {
	n := len(dst) &^ (width - 1)
	if src = src[:len(dst)]; n > 0 {
		narrow8(n, &dst[0], &src[0])
	}
	narrowGo(dst[n:], src[n:])
}

// blend8 is in blend_amd64.s. n and k are positive, and where may be nil.
//
//go:noescape
func blend8(n, k int, dst, a, b *float32, step, stride int, where *float32, more bool)

// The functions below are in vector_amd64.s. n is a positive multiple of 8.

//go:noescape
func axpy8(n int, dst, src *float32, alpha float32)

//go:noescape
func relu8(n int, dst, x *float32)

//go:noescape
func reluGrad8(n int, dst, grad, y *float32)

//go:noescape
func adam8(n int, w, grad, m, v *float32, s *adamStep)

//go:noescape
func dot8(n int, a, b *float32) float64

//go:noescape
func magnitude8(n int, x *float32) float64

//go:noescape
func scale8(n int, dst, x *float32, factor float64)

//go:noescape
func slope8(n int, dst, grad, x *float32, along, factor float64)

//go:noescape
func widen8(n int, dst *float64, src *float32)

//go:noescape
func narrow8(n int, dst *float32, src *float64)
