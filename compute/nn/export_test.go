package nn

// NewKernelPool returns a Pool that runs on the kernels of that name, or nil if
// this machine cannot.
func NewKernelPool(name string, workers int) *Pool {
	for _, k := range runnable() {
		if k.name == name {
			return newPool(workers, k)
		}
	}
	return nil
}

// NewPortablePool returns a Pool that runs on the portable kernels.
func NewPortablePool(workers int) *Pool { return newPool(workers, &portable) }

// Tile runs the kernel of products on packed panels, times times, and returns
// the number of floating point operations.
func (p *Pool) Tile(k, times int, a, b, c []float32) float64 {
	mr, nr := p.kernels.mr, p.kernels.nr
	t := &tile{k: k, a: a, lane: 1, depth: mr, b: b, c: c, stride: nr, rows: mr, cols: nr}
	for range times {
		p.kernels.tile(t)
	}
	return 2 * float64(times) * float64(k) * float64(mr) * float64(nr)
}

// TileSize returns the numbers of rows and columns of a tile.
func (p *Pool) TileSize() (rows, cols int) { return p.kernels.mr, p.kernels.nr }

// Blend runs the kernel of weighted sums of rows, of as many numbers as dst has,
// with the weights a.
func (p *Pool) Blend(dst, a, b, where []float32, more bool) {
	p.kernels.blend(dst, blend{k: len(a), a: a, step: 1, b: b, stride: len(dst), where: where, more: more})
}
