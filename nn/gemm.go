package nn

import "fmt"

// The product is computed as Goto and van de Geijn describe (Anatomy of
// High-Performance Matrix Multiplication, ACM TOMS 2008). The right factor is
// packed once into panels as wide as a tile of the result; each worker packs a
// block of the left factor into panels as high as a tile, and runs the kernel
// over all pairs of panels. A panel of the right factor stays in the
// first-level cache, a block of the left one in the second.
const (
	depthLimit  = 320  // most of the inner dimension that a panel holds
	heightLimit = 192  // most rows of the result that a worker takes at a time
	widthLimit  = 2048 // most columns of the right factor that are packed at a time
	packGroup   = 4    // panels of the right factor that a worker packs at a time
)

// operand is a factor of a product as lanes × depth: a lane is a row of the
// result for the left factor and a column for the right one.
type operand struct {
	data   []float32
	stride int  // between rows of the stored matrix
	across bool // lanes lie side by side in a stored row; otherwise each is a row
}

// product is one matrix product, C (+)= A·B with A m×k and B k×n.
type product struct {
	m, n, k int
	a, b    operand
	c       Matrix
	add     bool // to what is in c
}

// Mul sets c = a·b, with a m×k, b k×n and c m×n. It panics if the sizes do not
// fit. c must not share memory with a or b; this holds for all six products.
func (p *Pool) Mul(c, a, b Matrix) { p.product("Mul", c, a, b, form{}) }

// AddMul sets c += a·b. It panics if the sizes do not fit.
func (p *Pool) AddMul(c, a, b Matrix) { p.product("AddMul", c, a, b, form{add: true}) }

// MulTN sets c = aᵀ·b, with a k×m, b k×n and c m×n. It panics if the sizes do
// not fit.
func (p *Pool) MulTN(c, a, b Matrix) { p.product("MulTN", c, a, b, form{left: true}) }

// AddMulTN sets c += aᵀ·b. It panics if the sizes do not fit.
func (p *Pool) AddMulTN(c, a, b Matrix) { p.product("AddMulTN", c, a, b, form{left: true, add: true}) }

// MulNT sets c = a·bᵀ, with a m×k, b n×k and c m×n. It panics if the sizes do
// not fit.
func (p *Pool) MulNT(c, a, b Matrix) { p.product("MulNT", c, a, b, form{right: true}) }

// AddMulNT sets c += a·bᵀ. It panics if the sizes do not fit.
func (p *Pool) AddMulNT(c, a, b Matrix) {
	p.product("AddMulNT", c, a, b, form{right: true, add: true})
}

// form says which factors are transposed and whether c is added to.
type form struct{ left, right, add bool }

func (p *Pool) product(name string, c, a, b Matrix, f form) {
	a.sound(name + "'s a")
	b.sound(name + "'s b")
	c.sound(name + "'s c")
	m, ka := a.Rows, a.Cols
	if f.left {
		m, ka = ka, m
	}
	kb, n := b.Rows, b.Cols
	if f.right {
		kb, n = n, kb
	}
	if ka != kb || c.Rows != m || c.Cols != n {
		panic(fmt.Sprintf("nn: %s of %s and %s into %s, sizes must fit", name, a.shape(), b.shape(), c.shape()))
	}
	if m == 0 || n == 0 {
		return
	}
	if ka == 0 {
		if !f.add {
			clear(c.Data)
		}
		return
	}
	p.multiply(product{
		m: m, n: n, k: ka, c: c, add: f.add,
		a: operand{a.Data, a.Cols, f.left},
		b: operand{b.Data, b.Cols, !f.right},
	})
}

// multiply computes a product of no empty matrices, one slab of columns after
// the other.
func (p *Pool) multiply(g product) {
	mr, nr := p.kernels.mr, p.kernels.nr
	depth := even(g.k, depthLimit, 1, 1)
	height := even(g.m, heightLimit, mr, p.workers)
	p.right = grow(p.right, min(g.n+nr-1, widthLimit)/nr*nr*g.k)
	for j0 := 0; j0 < g.n; j0 += widthLimit {
		cols := min(g.n-j0, widthLimit)
		panels := (cols + nr - 1) / nr
		p.each((panels+packGroup-1)/packGroup, func(_, group int) {
			j := group * packGroup
			lanes := span{j0 + j*nr, min(packGroup*nr, cols-j*nr)}
			for k0 := 0; k0 < g.k; k0 += depth {
				kc := min(depth, g.k-k0)
				// Panels of one depth lie side by side: k0·(panels·nr) numbers
				// come before them.
				g.b.pack(p.right[k0*panels*nr+j*kc*nr:], lanes, span{k0, kc}, p.kernels, nr)
			}
		})
		p.each((g.m+height-1)/height, func(worker, i int) {
			p.block(worker, g, span{i * height, min(height, g.m-i*height)}, span{j0, cols}, depth)
		})
	}
}

// block computes the given rows and columns of a product.
func (p *Pool) block(worker int, g product, rows, cols span, depth int) {
	mr, nr := p.kernels.mr, p.kernels.nr
	left := grow(p.left[worker], (rows.n+mr-1)/mr*mr*depth)
	edge := grow(p.edge[worker], mr*nr)
	p.left[worker], p.edge[worker] = left, edge
	panels := (cols.n + nr - 1) / nr
	for k0 := 0; k0 < g.k; k0 += depth {
		kc := min(depth, g.k-k0)
		g.a.pack(left, rows, span{k0, kc}, p.kernels, mr)
		right := p.right[k0*panels*nr:]
		add := g.add || k0 > 0
		for j := 0; j < cols.n; j += nr {
			b := right[j*kc:][:kc*nr]
			for i := 0; i < rows.n; i += mr {
				a := left[i*kc:][:kc*mr]
				c := g.c.Data[(rows.at+i)*g.n+cols.at+j:]
				if i+mr <= rows.n && j+nr <= cols.n {
					p.kernels.tile(kc, a, b, c, g.n, add)
					continue
				}
				if p.kernels.half != nil && 2*(cols.n-j) <= nr {
					p.kernels.half(kc, a, b, edge)
				} else {
					p.kernels.tile(kc, a, b, edge, nr, false)
				}
				trim(c, g.n, edge, nr, min(mr, rows.n-i), min(nr, cols.n-j), add)
			}
		}
	}
}

// trim moves the part of a tile that lies within the result.
func trim(c []float32, stride int, tile []float32, width, rows, cols int, add bool) {
	for i := range rows {
		from := tile[i*width:][:cols]
		to := c[i*stride:][:cols]
		if !add {
			copy(to, from)
			continue
		}
		for j, v := range from {
			to[j] += v
		}
	}
}

// span is n indices from at on.
type span struct{ at, n int }

// even splits n into parts of nearly equal size, a multiple of unit and about
// limit at most, whose number is a multiple of share; it returns the size.
func even(n, limit, unit, share int) int {
	parts := (n + limit - 1) / limit
	parts = (parts + share - 1) / share * share
	size := (n + parts - 1) / parts
	return (size + unit - 1) / unit * unit
}

// grow returns a slice of n numbers, s itself if it is large enough. New ones
// are large, because large allocations begin on a page.
func grow(s []float32, n int) []float32 {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]float32, n, max(n, 1<<14))
}
