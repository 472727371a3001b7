package cells

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"sotto/compute/nn"
)

// directions is how many of the directions along which texts spread most are kept
// half-whitened.
const directions = 32

// whitened returns the rows along their main directions, each divided by the fourth
// root of the variance along it: half of the way to directions that all count alike.
func (m *maker) whitened() (nn.Matrix, error) {
	if m.white.Rows > 0 {
		return m.white, nil
	}
	x, k := m.x, min(directions, m.x.Cols)
	mean := make([]float64, x.Cols)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			mean[j] += float64(v) / float64(x.Rows)
		}
	}
	centred := nn.NewMatrix(x.Rows, x.Cols)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			centred.Row(i)[j] = v - float32(mean[j])
		}
	}
	products := nn.NewMatrix(x.Cols, x.Cols)
	m.pool.MulTN(products, centred, centred)
	spread := mat.NewSymDense(x.Cols, nil)
	for i := range x.Cols {
		for j := i; j < x.Cols; j++ {
			spread.SetSym(i, j, float64(products.Row(i)[j])/float64(x.Rows))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(spread, true) {
		return m.white, errors.New("cells: the main directions of the vectors were not found, must be: are all numbers finite?")
	}
	var of mat.Dense
	eigen.VectorsTo(&of)
	values := eigen.Values(nil) // in ascending order
	turn := nn.NewMatrix(x.Cols, k)
	for c := range k {
		at := x.Cols - 1 - c
		scale := 1.0
		if v := values[at]; v > 1e-12*values[x.Cols-1] {
			scale = math.Pow(v, -0.25)
		}
		for i := range x.Cols {
			turn.Row(i)[c] = float32(of.At(i, at) * scale)
		}
	}
	m.white = nn.NewMatrix(x.Rows, k)
	m.pool.Mul(m.white, centred, turn)
	return m.white, nil
}
