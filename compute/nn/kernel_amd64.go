package nn

import "sync"

// avx2 needs AVX2 and FMA: all x86 servers and desktops since about 2015.
var avx2 = kernels{
	name: "avx2", mr: 6, nr: 16,
	tile: tileAVX2, pair: pairAVX2, spread: spreadAVX2, weave: weaveAVX2,
	vectors: vectorsAVX2,
}

// avx512 needs AVX-512 besides. Its tiles are larger, but each element is
// computed by the same operations in the same order as by avx2: the bits are
// the same.
var avx512 = kernels{
	name: "avx512", mr: 12, nr: 32,
	tile: tileAVX512, fours: true, slim: slimAVX512, pair: pairAVX2, spread: spreadAVX512, weave: weaveAVX2,
	vectors: vectorsAVX2,
}

// runnable returns the kernels that this machine can run, the fastest first. It asks once:
// a virtual machine takes longer to answer than a small product does.
var runnable = sync.OnceValue(func() []*kernels {
	fma, wide := features()
	switch {
	case wide:
		return []*kernels{&avx512, &avx2, &portable}
	case fma:
		return []*kernels{&avx2, &portable}
	}
	return []*kernels{&portable}
})

func tileAVX2(t *tile) {
	t.check(6, 16, 6, 16)
	tile6x16(t)
}

func tileAVX512(t *tile) {
	t.check((t.rows+3)&^3, 32, t.rows, t.cols)
	tile12x32(t)
}

func slimAVX512(t *tile) {
	t.check(12, 32, t.rows, t.cols)
	tile12x16(t)
}

// check panics if the assembly would read or write outside of the slices.
func (t *tile) check(mr, nr, rows, cols int) {
	_, _, _ = t.a[(mr-1)*t.lane+(t.k-1)*t.depth], t.b[t.k*nr-1], t.c[(rows-1)*t.stride+cols-1]
	if t.add != nil {
		_ = t.add[(rows-1)*t.addStride+cols-1]
	}
}

func pairAVX2(dst []float32, m pair) {
	p, q := m.columns[0], m.columns[1]
	_, _, _ = m.a[15*m.stride+m.k-1], p[(m.k-1)*m.step], q[(m.k-1)*m.step]
	_, _ = dst[15], dst[m.gap+15]
	pair16(m.k, &dst[0], &m.a[0], &p[0], &q[0], m.gap, m.stride, m.step)
}

func spreadAVX512(dst, src []float32, s spread) {
	s.check(dst, src)
	if s.width == 12 {
		spread12(s.depth, s.panels, &dst[0], &src[0], s.step, s.stride)
		return
	}
	spread32(s.depth, s.panels, &dst[0], &src[0], s.step, s.stride)
}

func spreadAVX2(dst, src []float32, s spread) {
	s.check(dst, src)
	if s.width == 6 {
		spread6(s.depth, s.panels, &dst[0], &src[0], s.step, s.stride)
		return
	}
	spread16(s.depth, s.panels, &dst[0], &src[0], s.step, s.stride)
}

// check panics if the assembly would read or write outside of the slices.
func (s spread) check(dst, src []float32) {
	_ = dst[(s.panels-1)*s.step+s.depth*s.width-1]
	_ = src[(s.depth-1)*s.stride+s.panels*s.width-1]
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

// pair16 is in blend_amd64.s.
//
//go:noescape
func pair16(k int, dst, a, p, q *float32, gap, stride, step int)

// The functions below are in kernel_amd64.s and pack_amd64.s. n is a positive
// multiple of 8, and panels is positive.

//go:noescape
func tile6x16(t *tile)

//go:noescape
func tile12x32(t *tile)

//go:noescape
func tile12x16(t *tile)

//go:noescape
func spread12(depth, panels int, dst, src *float32, step, stride int)

//go:noescape
func spread32(depth, panels int, dst, src *float32, step, stride int)

//go:noescape
func spread6(depth, panels int, dst, src *float32, step, stride int)

//go:noescape
func spread16(depth, panels int, dst, src *float32, step, stride int)

//go:noescape
func weave4(n int, dst, src *float32, width, step int)

//go:noescape
func weave2(n int, dst, src *float32, width, step int)
