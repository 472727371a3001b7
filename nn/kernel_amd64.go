package nn

// avx2 needs AVX2 and FMA: all x86 servers and desktops since about 2015.
var avx2 = kernels{
	name: "avx2", mr: 6, nr: 16,
	tile: tileAVX2, spread: spreadAVX2, weave: weaveAVX2,
	axpy: axpyAVX2, relu: reluAVX2, reluGrad: reluGradAVX2, adam: adamAVX2,
}

// avx512 needs AVX-512 besides. Its tiles are larger, but each element is
// computed by the same operations in the same order as by avx2: the bits are
// the same.
var avx512 = kernels{
	name: "avx512", mr: 12, nr: 32,
	tile: tileAVX512, half: halfAVX512, spread: spreadAVX512, weave: weaveAVX2,
	axpy: axpyAVX2, relu: reluAVX2, reluGrad: reluGradAVX2, adam: adamAVX2,
}

// runnable returns the kernels that this machine can run, the fastest first.
func runnable() []*kernels {
	fma, wide := features()
	switch {
	case wide:
		return []*kernels{&avx512, &avx2, &portable}
	case fma:
		return []*kernels{&avx2, &portable}
	}
	return []*kernels{&portable}
}

// features asks the processor for AVX2 with FMA and for AVX-512, and the
// operating system for keeping their registers.
func features() (fma, wide bool) {
	const fmaBit, osxsave, avx = 1 << 12, 1 << 27, 1 << 28 // of leaf 1, register c
	const wanted = fmaBit | osxsave | avx
	const avx2Bit, avx512F = 1 << 5, 1 << 16 // of leaf 7, register b
	const xmmAndYMM, zmmToo = 6, 0xe6        // of the kept state
	if leaves, _, _, _ := cpuid(0, 0); leaves < 7 {
		return false, false
	}
	if _, _, c, _ := cpuid(1, 0); c&wanted != wanted {
		return false, false
	}
	_, b, _, _ := cpuid(7, 0)
	kept := xgetbv()
	fma = b&avx2Bit != 0 && kept&xmmAndYMM == xmmAndYMM
	return fma, fma && b&avx512F != 0 && kept&zmmToo == zmmToo
}

// width is the number of float32 in a register.
const width = 8

func tileAVX2(k int, a, b, c []float32, stride int, add bool) {
	_, _, _ = a[6*k-1], b[16*k-1], c[5*stride+15]
	tile6x16(k, &a[0], &b[0], &c[0], stride, add)
}

func tileAVX512(k int, a, b, c []float32, stride int, add bool) {
	_, _, _ = a[12*k-1], b[32*k-1], c[11*stride+31]
	tile12x32(k, &a[0], &b[0], &c[0], stride, add)
}

func halfAVX512(k int, a, b, c []float32) {
	_, _, _ = a[12*k-1], b[32*k-1], c[12*32-1]
	half12x32(k, &a[0], &b[0], &c[0])
}

func spreadAVX512(dst, src []float32, width, step int) {
	panels := len(src) / width
	_, _ = src[panels*width-1], dst[(panels-1)*step+width-1]
	if width == 12 {
		spread12(panels, &dst[0], &src[0], step)
		return
	}
	spread32(panels, &dst[0], &src[0], step)
}

func spreadAVX2(dst, src []float32, width, step int) {
	panels := len(src) / width
	_, _ = src[panels*width-1], dst[(panels-1)*step+width-1]
	if width == 6 {
		spread6(panels, &dst[0], &src[0], step)
		return
	}
	spread16(panels, &dst[0], &src[0], step)
}

func weaveAVX2(dst, src []float32, width, step, n int) {
	main := n &^ 7
	_, _ = src[(width-1)*step+n-1], dst[width*n-1]
	for l := 0; main > 0 && l < width; l += 4 {
		if l+4 <= width {
			weave4(main, &dst[l], &src[l*step], width, step)
		} else {
			weave2(main, &dst[l], &src[l*step], width, step)
		}
	}
	for l := range width {
		for k := main; k < n; k++ {
			dst[k*width+l] = src[l*step+k]
		}
	}
}

func axpyAVX2(dst, src []float32, alpha float32) {
	n := len(dst) &^ (width - 1)
	if src = src[:len(dst)]; n > 0 {
		axpy8(n, &dst[0], &src[0], alpha)
	}
	axpyGo(dst[n:], src[n:], alpha)
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

// The functions below are in kernel_amd64.s. n is a positive multiple of 8,
// and panels is positive.

//go:noescape
func tile6x16(k int, a, b, c *float32, stride int, add bool)

//go:noescape
func tile12x32(k int, a, b, c *float32, stride int, add bool)

//go:noescape
func half12x32(k int, a, b, c *float32)

//go:noescape
func spread12(panels int, dst, src *float32, step int)

//go:noescape
func spread32(panels int, dst, src *float32, step int)

//go:noescape
func spread6(panels int, dst, src *float32, step int)

//go:noescape
func spread16(panels int, dst, src *float32, step int)

//go:noescape
func weave4(n int, dst, src *float32, width, step int)

//go:noescape
func weave2(n int, dst, src *float32, width, step int)

//go:noescape
func axpy8(n int, dst, src *float32, alpha float32)

//go:noescape
func relu8(n int, dst, x *float32)

//go:noescape
func reluGrad8(n int, dst, grad, y *float32)

//go:noescape
func adam8(n int, w, grad, m, v *float32, s *adamStep)

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

func xgetbv() uint32
