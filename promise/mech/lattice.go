package mech

import (
	"math"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// noiseBlock is how many noise integers are drawn at a time.
const noiseBlock = 256

// addLaplaceTo rounds the numbers x·scale toward zero to integers, the cells,
// adds discrete Laplace noise and divides by radius, the number of integers in a
// unit. The half centres the noise, whose law is symmetric about −½. dst and x
// may be the same slice.
func addLaplaceTo(dst, x []float64, scale float64, radius int64, s *noise.Stream) {
	inverse := 1 / float64(radius)
	var k [noiseBlock]int64
	for len(dst) > 0 {
		n := min(len(dst), noiseBlock)
		s.Laplace(k[:n])
		in, out := x[:n], dst[:n]
		for i, v := range k[:n] {
			// The sum is one of integers: what follows is a function of it alone.
			out[i] = (float64(int64(in[i]*scale)+v) + 0.5) * inverse
		}
		dst, x = dst[n:], x[n:]
	}
}

// unlattice returns the integer k that was released as (k+½)/radius, and an
// error if y is no such number.
func unlattice(y float64, radius int64) (int64, error) {
	c := float64(y*float64(radius)) - 0.5
	k := math.Round(c)
	if !(math.Abs(c-k) < 0.25) || math.Abs(k) > 1<<52 {
		return 0, errRelease
	}
	return int64(k), nil
}

// laplaceLogRatio sums ln P(k−a)/P(k−b) over the coordinates of a release.
func laplaceLogRatio(y, a, b []float64, radius int64) (float64, error) {
	sum := 0.0
	for i, v := range y {
		k, err := unlattice(v, radius)
		if err != nil {
			return 0, err
		}
		sum += noise.LaplaceLog(k-int64(a[i])) - noise.LaplaceLog(k-int64(b[i]))
	}
	return sum, nil
}

// shrink moves the integers in cells toward zero until Σ|cell| is less by
// excess. It is called only where rounding errors of a norm went the wrong way.
func shrink(cells []float64, excess int64) {
	for i := 0; excess > 0; i++ {
		step := min(int64(math.Abs(cells[i])), excess)
		cells[i] -= math.Copysign(float64(step), cells[i])
		excess -= step
	}
}

// cellsFor returns how many lattice steps cost at most epsilon together.
func cellsFor(epsilon float64) int64 { return int64(epsilon / noise.LaplaceStep()) }

// lossOf returns the loss of moving by that many lattice steps, rounded up.
func lossOf(steps int64) dp.Epsilon {
	return dp.RoundUp(dp.Epsilon(float64(steps) * noise.LaplaceStep()))
}
