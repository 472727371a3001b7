package vector

// squash returns a loop over a whole vector, of a kernel for eight numbers at a time and of
// the function that has the same bits, for the rest.
func squash(kernel func(n int, dst, x *float32, c *[28][Lanes]float32), one func(float32) float32) func(dst, x []float32) {
	return func(dst, x []float32) {
		x = x[:len(dst)]
		n := len(dst) &^ 7
		if n > 0 {
			kernel(n, &dst[0], &x[0], &constants)
		}
		each(dst[n:], x[n:], one)
	}
}

// The functions below are in squash_amd64.s, for AVX2. n is a positive multiple of 8.

//go:noescape
func sigmoid8(n int, dst, x *float32, c *[28][Lanes]float32)

//go:noescape
func tanh8(n int, dst, x *float32, c *[28][Lanes]float32)
