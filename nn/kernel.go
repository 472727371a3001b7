package nn

import "math"

// kernels are the inner loops that are worth writing for a machine. Slices of
// one call have equal lengths unless said otherwise.
type kernels struct {
	name   string
	mr, nr int // size of a tile of a product; both are even

	// tile computes the mr×nr tile c (+)= a·b of a product from packed panels,
	// a with k·mr numbers and b with k·nr. Rows of c are stride apart.
	tile func(k int, a, b, c []float32, stride int, add bool)
	// half computes the first nr/2 columns of a tile c = a·b, whose rows are nr
	// apart; nil where that is no faster than the whole tile.
	half func(k int, a, b, c []float32)
	// spread copies src, a positive multiple of width numbers, in pieces of
	// width: the first to dst, the next to dst[step:], and so on. width is mr
	// or nr.
	spread func(dst, src []float32, width, step int)
	// weave fills a panel of the given width, mr or nr, from lanes that lie step
	// apart: number k of lane l goes from src[l*step+k] to dst[k*width+l], for
	// k below n.
	weave func(dst, src []float32, width, step, n int)
	// axpy adds alpha·src to dst.
	axpy func(dst, src []float32, alpha float32)
	// relu sets dst to x where it is not negative, and to 0 elsewhere. A NaN stays.
	relu func(dst, x []float32)
	// reluGrad sets dst to grad where y is positive, and to 0 elsewhere.
	reluGrad func(dst, grad, y []float32)
	// adam updates w by its gradient g, with the moments m and v.
	adam func(w, g, m, v []float32, s *adamStep)
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

// portable works on every machine.
var portable = kernels{
	name: "portable", mr: 4, nr: 4,
	tile: tileGo, spread: spreadGo, weave: weaveGo,
	axpy: axpyGo, relu: reluGo, reluGrad: reluGradGo, adam: adamGo,
}

// tileGo keeps a 4×4 tile in variables.
func tileGo(k int, a, b, c []float32, stride int, add bool) {
	var c0, c1, c2, c3 [4]float32
	a, b = a[:4*k], b[:4*k]
	for len(a) >= 4 && len(b) >= 4 {
		b0, b1, b2, b3 := b[0], b[1], b[2], b[3]
		x := a[0]
		c0[0], c0[1], c0[2], c0[3] = c0[0]+x*b0, c0[1]+x*b1, c0[2]+x*b2, c0[3]+x*b3
		x = a[1]
		c1[0], c1[1], c1[2], c1[3] = c1[0]+x*b0, c1[1]+x*b1, c1[2]+x*b2, c1[3]+x*b3
		x = a[2]
		c2[0], c2[1], c2[2], c2[3] = c2[0]+x*b0, c2[1]+x*b1, c2[2]+x*b2, c2[3]+x*b3
		x = a[3]
		c3[0], c3[1], c3[2], c3[3] = c3[0]+x*b0, c3[1]+x*b1, c3[2]+x*b2, c3[3]+x*b3
		a, b = a[4:], b[4:]
	}
	for i, row := range [4][4]float32{c0, c1, c2, c3} {
		to := c[i*stride:][:4]
		for j, v := range row {
			if add {
				v += to[j]
			}
			to[j] = v
		}
	}
}

func spreadGo(dst, src []float32, width, step int) {
	for i := 0; i < len(src); i += width {
		copy(dst[i/width*step:][:width], src[i:])
	}
}

// weaveGo packs two lanes at a time.
func weaveGo(dst, src []float32, width, step, n int) {
	for l := 0; l < width; l += 2 {
		a, b := src[l*step:][:n], src[(l+1)*step:][:n]
		to := dst[l:]
		for k, v := range a {
			to[k*width], to[k*width+1] = v, b[k]
		}
	}
}

func axpyGo(dst, src []float32, alpha float32) {
	for i, v := range src[:len(dst)] {
		dst[i] += alpha * v
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
		d := g[i] + s.l2*x
		m[i] = s.beta1*m[i] + s.rest1*d
		v[i] = s.beta2*v[i] + s.rest2*(d*d)
		root := float32(math.Sqrt(float64(v[i]))) // one instruction in single precision
		w[i] = s.keep*x - s.rate*m[i]/(root*s.scale+s.epsilon)
	}
}
