package measure

import "sotto/compute/nn"

// What the tests of this package look at.
var (
	Affinities       = affinities
	Neighbours       = neighbours
	EntropyTolerance = entropyTolerance
)

// Row returns row i of a square.
func (s square) Row(i int) []float64 { return s.row(i) }

// Gradient returns the gradient of the divergence at y.
func Gradient(pool *nn.Pool, p square, y [][2]float64) [][2]float64 {
	d := newDescent(pool, p, y)
	d.slope(1)
	return d.gradient
}
