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
	for range times {
		p.kernels.tile(k, a, b, c, p.kernels.nr, false)
	}
	return 2 * float64(times) * float64(k) * float64(p.kernels.mr) * float64(p.kernels.nr)
}

// TileSize returns the numbers of rows and columns of a tile.
func (p *Pool) TileSize() (rows, cols int) { return p.kernels.mr, p.kernels.nr }
