package distill

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"sotto/compute/nn"
)

// components returns the mean of the rows and the directions of largest
// variance, one a column.
func components(x nn.Matrix, dim int) (basis *mat.Dense, mean []float64, err error) {
	mean = make([]float64, x.Cols)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			mean[j] += float64(v) / float64(x.Rows)
		}
	}
	centred := centre(x, mean)
	product := nn.NewMatrix(x.Cols, x.Cols)
	nn.NewPool(1).MulTN(product, centred, centred)
	square := mat.NewSymDense(x.Cols, nil)
	for i := range x.Cols {
		for j := i; j < x.Cols; j++ {
			v := float64(product.Row(i)[j])
			if v-v != 0 { // the factorisation must not see infinity
				return nil, nil, errors.New("distill: the teacher's numbers are too large for their squares to be summed")
			}
			square.SetSym(i, j, v)
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(square, true) {
		return nil, nil, errors.New("distill: the principal components could not be computed")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	basis = mat.NewDense(x.Cols, dim, nil)
	for k := range dim { // eigenvalues are in ascending order
		for j := range x.Cols {
			basis.Set(j, k, vectors.At(j, x.Cols-1-k))
		}
	}
	return basis, mean, nil
}

// centre returns the rows, less the mean.
func centre(x nn.Matrix, mean []float64) nn.Matrix {
	c := x.Clone()
	for i := range c.Rows {
		for j := range mean {
			c.Row(i)[j] -= float32(mean[j])
		}
	}
	return c
}

// project returns the rows, less the mean, in the coordinates of the basis.
func project(x nn.Matrix, basis *mat.Dense, mean []float64) nn.Matrix {
	_, dim := basis.Dims()
	b := nn.NewMatrix(x.Cols, dim)
	for j := range x.Cols {
		for k := range dim {
			b.Row(j)[k] = float32(basis.At(j, k))
		}
	}
	y := nn.NewMatrix(x.Rows, dim)
	nn.NewPool(1).Mul(y, centre(x, mean), b)
	return y
}

// weigh multiplies the vector of a token by ln(1 + its place), since a
// vocabulary is in order of frequency, and makes special tokens zero.
func weigh(table nn.Matrix, vocabulary []string) {
	for i, token := range vocabulary {
		w := float32(math.Log(float64(1 + i)))
		if special(token) {
			w = 0
		}
		for j := range table.Row(i) {
			table.Row(i)[j] *= w
		}
	}
}
