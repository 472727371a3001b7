package nn

// A tile is wasted on a product with few columns, or with a short inner
// dimension. Thin products run on other kernels, which compute each element by
// the operations of a tile in the same order: the bits are the same, so it is a
// matter of speed alone which products take this path.
const (
	thinLimit = 4   // most columns, or most of the inner dimension
	thinRows  = 16  // fewest rows of a product with few columns, as many as pair takes
	thinLanes = 512 // most rows of the result that are computed at a time
	thinDepth = 16  // most of the inner dimension at a time: 32 kB with thinLanes
)

// thin computes a product if it is thin, and reports whether it did.
func (p *Pool) thin(g product) bool {
	switch {
	case p.kernels.pair == nil || g.ready != nil:
		return false
	case g.n <= thinLimit && g.m >= thinRows:
		p.fewColumns(g)
	case g.k <= thinLimit && len(g.where.Data) > 0:
		p.shallow(g) // a tile is as fast by itself, but would leave the zeros to another pass
	default:
		return false
	}
	return true
}

// fewColumns computes a product column by column, many rows at a time. The last
// of them begin early enough to be as many, and compute some rows again.
func (p *Pool) fewColumns(g product) {
	size := min(even(g.m, thinLanes, thinRows, p.workers), g.m)
	depth := even(g.k, depthLimit, 1, 1) // as in slab
	p.each((g.m+size-1)/size, func(worker, part int) {
		rows := span{min(part*size, g.m-size), size}
		fresh := span{part * size, rows.at + size - part*size}
		h := &p.hands[worker]
		h.edge = grow(h.edge, (g.n+1)*size) // pair writes an even number of columns
		for k := 0; k < g.k; k += depth {
			deep := span{k, min(depth, g.k-k)}
			if g.a.across {
				p.columns(h, g, rows, deep, false)
			} else {
				p.pairs(h, g, rows, deep)
			}
			g.turn(fresh, h.edge[fresh.at-rows.at:], size, k > 0)
		}
		for i := range fresh.n {
			g.complete(p.kernels, fresh.at+i, span{0, g.n})
		}
	})
}

// columns sets h.edge to what a part of the inner dimension contributes to some
// rows, one column after the other, or adds it to what is there if more is set.
// The rows of the result lie side by side in the left factor.
func (p *Pool) columns(h *hand, g product, rows, depth span, more bool) {
	for k := 0; k < depth.n; k += thinDepth {
		left, _, stride := g.a.at(rows.at, depth.at+k)
		for j := range g.n {
			right, _, step := g.b.at(j, depth.at+k)
			p.kernels.blend(h.edge[j*rows.n:][:rows.n], blend{
				k: min(thinDepth, depth.n-k), a: right, step: step, b: left, stride: stride, more: more || k > 0,
			})
		}
	}
}

// pairs is columns for rows of the result that are rows of the left factor, two
// columns at a time. The last of the inner dimension, which do not fill a group
// of four, are turned and left to columns.
func (p *Pool) pairs(h *hand, g product, rows, depth span) {
	main := depth.n &^ 3
	for i := 0; main > 0 && i < rows.n; i += thinRows {
		at := min(i, rows.n-thinRows) // the last ones compute some rows again
		left, _, _ := g.a.at(rows.at+at, depth.at)
		for j := 0; j < g.n; j += 2 {
			first, _, step := g.b.at(j, depth.at)
			second, _, _ := g.b.at(min(j+1, g.n-1), depth.at)
			p.kernels.pair(h.edge[j*rows.n+at:], pair{
				k: main, a: left, stride: g.a.stride, columns: [2][]float32{first, second}, step: step, gap: rows.n,
			})
		}
	}
	if main == depth.n {
		return
	}
	rest := span{depth.at + main, depth.n - main}
	h.left = grow(h.left, rest.n*rows.n)
	for i := range rows.n {
		for k, v := range g.a.data[(rows.at+i)*g.a.stride+rest.at:][:rest.n] {
			h.left[k*rows.n+i] = v
		}
	}
	g.a = operand{h.left, rows.n, true}
	g.b.data, _, _ = g.b.at(0, rest.at)
	p.columns(h, g, span{0, rows.n}, span{0, rest.n}, main > 0)
}

// turn moves columns, which lie gap apart, to some rows of the result. It adds
// what a tile would add: what is there, if an earlier part of the inner
// dimension has been, or the bias.
func (g *product) turn(rows span, columns []float32, gap int, later bool) {
	for i := range rows.n {
		to := g.c.Data[(rows.at+i)*g.n:][:g.n]
		for j := range to {
			v := columns[j*gap+i]
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

// shallow computes a product with a short inner dimension row by row, together
// with its zeros. The right factor is wanted by rows.
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
	p.rows(g.m, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			left, _, step := g.a.at(i, 0)
			p.kernels.blend(g.c.Row(i), blend{k: g.k, a: left, step: step, b: right, stride: stride, where: g.where.Row(i)})
		}
	})
}
