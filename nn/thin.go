package nn

// A tile is wasted on a product with few columns, or with a short inner
// dimension. Thin products run on sums of rows instead, in which each element is
// computed by the operations of a tile in the same order: the bits are the same,
// so it is a matter of speed alone which products take this path.
const (
	thinLimit = 4   // most columns, or most of the inner dimension
	thinLanes = 64  // rows of the result that are computed at a time, as many as blend8 likes
	thinDepth = 128 // most of the inner dimension at a time: 32 kB with thinLanes
)

// thin computes a product if it is thin, and reports whether it did.
func (p *Pool) thin(g product) bool {
	switch {
	case !p.kernels.thin || g.ready != nil:
		return false
	case g.n <= thinLimit && g.m >= thinLanes:
		p.fewColumns(g)
	case g.k <= thinLimit && g.m >= thinLimit:
		p.shallow(g)
	default:
		return false
	}
	return true
}

// fewColumns computes a product column by column, thinLanes rows at a time. The
// last of them begin early enough to be as many, and compute some rows again.
func (p *Pool) fewColumns(g product) {
	p.each((g.m+thinLanes-1)/thinLanes, func(worker, part int) {
		at := min(part*thinLanes, g.m-thinLanes)
		fresh := span{part * thinLanes, at + thinLanes - part*thinLanes}
		h := &p.hands[worker]
		h.edge = grow(h.edge, g.n*thinLanes)
		depth := even(g.k, depthLimit, 1, 1) // as in slab
		for k := 0; k < g.k; k += depth {
			p.columns(h, g, at, span{k, min(depth, g.k-k)})
			g.turn(fresh, h.edge[fresh.at-at:], k > 0)
		}
		for i := 0; g.finish != nil && i < fresh.n; i++ {
			g.finish(fresh.at+i, 0, g.n)
		}
	})
}

// columns sets h.edge to what a part of the inner dimension contributes to
// thinLanes rows from at on, one column after the other.
func (p *Pool) columns(h *hand, g product, at int, depth span) {
	for k := 0; k < depth.n; k += thinDepth {
		deep := span{depth.at + k, min(thinDepth, depth.n-k)}
		left, _, stride := g.a.at(at, deep.at)
		if !g.a.across {
			h.left = grow(h.left, thinLanes*deep.n)
			p.kernels.weave(h.left, left, thinLanes, g.a.stride, deep.n)
			left, stride = h.left, thinLanes
		}
		for j := range g.n {
			right, _, step := g.b.at(j, deep.at)
			p.kernels.blend(h.edge[j*thinLanes:][:thinLanes], blend{
				k: deep.n, a: right, step: step, b: left, stride: stride, more: k > 0,
			})
		}
	}
}

// turn moves columns, which lie thinLanes apart, to some rows of the result. It
// adds what a tile would add: what is there, if an earlier part of the inner
// dimension has been, or the bias.
func (g *product) turn(rows span, columns []float32, later bool) {
	for i := range rows.n {
		to := g.c.Data[(rows.at+i)*g.n:][:g.n]
		for j := range to {
			v := columns[j*thinLanes+i]
			switch {
			case g.add || later:
				v += to[j]
			case g.bias != nil:
				v += g.bias[j]
			}
			to[j] = v
		}
	}
}

// shallow computes a product with a short inner dimension row by row. The right
// factor is wanted by rows.
func (p *Pool) shallow(g product) {
	right, lane, stride := g.b.at(0, 0)
	if lane != 1 {
		p.right = grow(p.right, g.k*g.n)
		for j := range g.n {
			for k := range g.k {
				p.right[k*g.n+j] = right[j*lane+k*stride]
			}
		}
		right, stride = p.right, g.n
	}
	p.each((g.m+rowBlock-1)/rowBlock, func(worker, block int) {
		h := &p.hands[worker]
		for i := block * rowBlock; i < min(g.m, (block+1)*rowBlock); i++ {
			left, _, step := g.a.at(i, 0)
			p.row(h, g, i, blend{k: g.k, a: left, step: step, b: right, stride: stride})
		}
	})
}

// row sets a row of a product.
func (p *Pool) row(h *hand, g product, i int, sum blend) {
	to := g.c.Row(i)
	switch {
	case g.add || g.bias != nil:
		if !g.add {
			copy(to, g.bias)
		}
		h.edge = grow(h.edge, g.n)
		p.kernels.blend(h.edge, sum)
		p.kernels.axpy(to, h.edge, 1)
	default:
		p.kernels.blend(to, sum)
	}
	if g.finish != nil {
		g.finish(i, 0, g.n)
	}
}
