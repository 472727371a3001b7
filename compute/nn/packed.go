package nn

import "fmt"

// Packed is the right factor of products, laid out once for all of them, such
// as a weight that changes no more. Pools that run on the same kernels may share
// it. It holds a copy: later changes of the matrix do not reach it.
type Packed struct {
	rows, cols int
	kernels    *kernels
	data       []float32 // slabs of columns, one after the other, as multiply packs them
}

// Pack returns b, k×n, as the right factor of [Pool.MulPacked].
func (p *Pool) Pack(b Matrix) *Packed {
	b.sound("Pack's b")
	return p.packed(b.Rows, b.Cols, operand{b.Data, b.Cols, true})
}

// PackT returns bᵀ, for b n×k, as the right factor of [Pool.MulPacked].
func (p *Pool) PackT(b Matrix) *Packed {
	b.sound("PackT's b")
	return p.packed(b.Cols, b.Rows, operand{b.Data, b.Cols, false})
}

func (p *Pool) packed(k, n int, b operand) *Packed {
	nr := p.kernels.nr
	r := &Packed{rows: k, cols: n, kernels: p.kernels, data: make([]float32, (n+nr-1)/nr*nr*k)}
	for j := 0; k > 0 && j < n; j += widthLimit {
		p.packSlab(r.data[j*k:], b, k, span{j, min(n-j, widthLimit)})
	}
	return r
}

// MulPacked sets c = a·b, with a m×k, b k×n and c m×n, to the bits that
// [Pool.Mul] gives. It panics if the sizes do not fit, or if b was packed for
// other kernels. c must not share memory with a.
func (p *Pool) MulPacked(c, a Matrix, b *Packed) { p.mulPacked("MulPacked", c, a, b, false) }

// AddMulPacked sets c += a·b. It panics as [Pool.MulPacked] does.
func (p *Pool) AddMulPacked(c, a Matrix, b *Packed) { p.mulPacked("AddMulPacked", c, a, b, true) }

func (p *Pool) mulPacked(name string, c, a Matrix, b *Packed, add bool) {
	a.sound("left factor")
	c.sound("product")
	if a.Cols != b.rows || c.Rows != a.Rows || c.Cols != b.cols {
		panic(fmt.Sprintf("nn: %s of %s and %d×%d into %s, sizes must fit", name, a.shape(), b.rows, b.cols, c.shape()))
	}
	if b.kernels != p.kernels {
		panic(fmt.Sprintf("nn: %s of a factor that was packed for %s, want %s", name, b.kernels.name, p.kernels.name))
	}
	switch {
	case len(c.Data) == 0:
	case b.rows > 0:
		p.multiply(product{m: a.Rows, n: b.cols, k: b.rows, c: c, add: add, a: operand{a.Data, a.Cols, false}, ready: b.data})
	case !add:
		clear(c.Data)
	}
}
