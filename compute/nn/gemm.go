package nn

import "fmt"

// The product is computed after Goto and van de Geijn (Anatomy of
// High-Performance Matrix Multiplication, ACM TOMS 2008). The right factor is
// packed once into panels as wide as a tile of the result. A worker takes some
// rows of the result, and for each panel of the left factor, as high as a tile,
// runs the kernel over all panels of the right one: the left panel stays in the
// first-level cache, the right panels of one depth in the second. The left
// factor is used where it is, unless its lanes are scattered too far.
const (
	depthLimit   = 320  // most of the inner dimension that a panel holds; a change changes bits
	heightLimit  = 192  // most rows of the result that a worker takes at a time, of several
	aloneLimit   = 384  // the same if there is but one, who has nobody to wait for
	widthLimit   = 1024 // most columns of the right factor that are packed at a time
	packGroup    = 4    // panels of the right factor that a worker packs at a time
	scatterLimit = 512  // furthest that numbers of a lane are used apart; prefetchers follow 2 kB
)

// operand is a factor of a product as lanes × depth: a lane is a row of the
// result for the left factor and a column for the right one.
type operand struct {
	data   []float32
	stride int  // between rows of the stored matrix
	across bool // lanes lie side by side in a stored row; otherwise each is a row
}

// scattered reports that lanes are too far apart to be used in place.
func (o operand) scattered() bool { return o.across && o.stride > scatterLimit }

// at returns the numbers from one of a lane on, and how far apart lanes and the
// numbers of one are.
func (o operand) at(lane, depth int) (from []float32, laneStep, depthStep int) {
	if o.across {
		return o.data[depth*o.stride+lane:], 1, o.stride
	}
	return o.data[lane*o.stride+depth:], o.stride, 1
}

// product is one matrix product, C (+)= A·B with A m×k and B k×n.
type product struct {
	m, n, k int
	a, b    operand
	ready   []float32 // b, if it is packed already
	c       Matrix
	add     bool      // to what is in c
	bias    []float32 // added to each row instead, unless nil
	// finish, unless nil, is called for each row of c and range of its columns
	// when they are computed and still in the cache.
	finish func(row, lo, hi int)
	// where, unless it is empty, has the size of c, which becomes zero where it
	// is not positive. Then add, bias and finish are not set.
	where Matrix
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
// the other unless it is thin.
func (p *Pool) multiply(g product) {
	if p.thin(g) {
		return
	}
	nr := p.kernels.nr
	if g.ready == nil {
		p.right = grow(p.right, (min(g.n, widthLimit)+nr-1)/nr*nr*g.k)
	}
	for j0 := 0; j0 < g.n; j0 += widthLimit {
		cols := span{j0, min(g.n-j0, widthLimit)}
		if g.ready != nil {
			p.slab(g, cols, g.ready[j0*g.k:])
			continue
		}
		p.packSlab(p.right, g.b, g.k, cols)
		p.slab(g, cols, p.right)
	}
}

// slab computes some columns of a product, whose right factor is packed. Workers
// share its rows, or its columns if there are few rows.
func (p *Pool) slab(g product, cols span, right []float32) {
	mr, nr := p.kernels.mr, p.kernels.nr
	limit := heightLimit
	if p.workers == 1 {
		limit = aloneLimit
	}
	height, breadth := even(g.m, limit, mr, p.workers), cols.n
	if p.workers > 1 && g.m <= heightLimit && cols.n >= 2*nr*p.workers && !g.a.scattered() {
		height, breadth = g.m, even(cols.n, cols.n, nr, p.workers)
	}
	width := (cols.n + nr - 1) / nr * nr
	depth := even(g.k, depthLimit, 1, 1)
	down, across := (g.m+height-1)/height, (cols.n+breadth-1)/breadth
	p.each(down*across, func(worker, part int) {
		i, j := part/across*height, part%across*breadth
		rows, some := span{i, min(height, g.m-i)}, span{cols.at + j, min(breadth, cols.n-j)}
		for k := 0; k < g.k; k += depth {
			deep := span{k, min(depth, g.k-k)}
			p.block(&p.hands[worker], g, rows, some, deep, right[k*width+j*deep.n:])
		}
	})
}

// packSlab packs some columns of a right factor with k rows.
func (p *Pool) packSlab(dst []float32, b operand, k int, cols span) {
	nr := p.kernels.nr
	depth := even(k, depthLimit, 1, 1)
	width := (cols.n + nr - 1) / nr * nr
	p.each((width+packGroup*nr-1)/(packGroup*nr), func(_, group int) {
		j := group * packGroup * nr
		lanes := span{cols.at + j, min(packGroup*nr, cols.n-j)}
		for at := 0; at < k; at += depth {
			deep := span{at, min(depth, k-at)} // panels of one depth lie side by side
			b.pack(dst[at*width+j*deep.n:], lanes, deep, p.kernels, nr)
		}
	})
}

// block adds to the given rows and columns of a product what the given part of
// the inner dimension contributes. The right factor is packed.
func (p *Pool) block(h *hand, g product, rows, cols, depth span, right []float32) {
	mr, nr := p.kernels.mr, p.kernels.nr
	packed := g.a.scattered()
	if packed {
		h.left = grow(h.left, (rows.n+mr-1)/mr*mr*depth.n)
		g.a.pack(h.left, rows, depth, p.kernels, mr)
	}
	t := &h.tile
	for i := 0; i < rows.n; i += mr {
		*t = tile{k: depth.n, stride: g.n, rows: min(mr, rows.n-i)}
		switch {
		case packed:
			t.a, t.lane, t.depth = h.left[i*depth.n:], 1, mr
		case t.rows == mr || t.rows%4 == 0 && p.kernels.fours && cols.n%nr == 0:
			t.a, t.lane, t.depth = g.a.at(rows.at+i, depth.at)
		default: // rows that are missing to fill the panel are zero
			h.left = grow(h.left, mr*depth.n)
			g.a.pack(h.left, span{rows.at + i, t.rows}, depth, p.kernels, mr)
			t.a, t.lane, t.depth = h.left, 1, mr
		}
		for j := 0; j < cols.n; j += nr {
			t.b, t.cols = right[j*depth.n:], min(nr, cols.n-j)
			t.c = g.c.Data[(rows.at+i)*g.n+cols.at+j:]
			switch {
			case g.add || depth.at > 0:
				t.add, t.addStride = t.c, g.n
			case g.bias != nil:
				t.add = g.bias[cols.at+j:]
			}
			p.tile(h, t)
		}
		for r := 0; depth.at+depth.n == g.k && r < t.rows; r++ {
			g.complete(p.kernels, rows.at+i+r, cols)
		}
	}
}

// complete does what is left to do when some columns of a row are computed.
func (g *product) complete(kern *kernels, row int, cols span) {
	lo, hi := cols.at, cols.at+cols.n
	switch {
	case len(g.where.Data) > 0:
		c := g.c.Row(row)[lo:hi]
		kern.reluGrad(c, c, g.where.Row(row)[lo:hi])
	case g.finish != nil:
		g.finish(row, lo, hi)
	}
}

// tile computes a tile that may be cut off by the border of the result.
func (p *Pool) tile(h *hand, t *tile) {
	switch {
	case p.kernels.slim != nil && 2*t.cols <= p.kernels.nr:
		p.kernels.slim(t)
	case p.kernels.slim != nil || t.rows == p.kernels.mr && t.cols == p.kernels.nr:
		p.kernels.tile(t)
	default:
		h.whole = *t
		h.edge = grow(h.edge, p.kernels.mr*p.kernels.nr)
		h.whole.c, h.whole.stride, h.whole.add = h.edge, p.kernels.nr, nil
		p.kernels.tile(&h.whole)
		t.trim(h.edge, p.kernels.nr)
	}
}

// trim moves the part of a tile that lies within the result there.
func (t *tile) trim(edge []float32, width int) {
	for i := range t.rows {
		to := t.c[i*t.stride:][:t.cols]
		from := edge[i*width:][:t.cols]
		if t.add == nil {
			copy(to, from)
			continue
		}
		add := t.add[i*t.addStride:][:t.cols]
		for j, v := range from {
			to[j] = add[j] + v
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
