package measure

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"sotto/compute/nn"
)

// PCA projects the rows of x on their two directions of largest variance, in
// decreasing order, with the mean at the origin. explained is the share of the
// whole variance that lies along each. A direction along which nothing varies
// gives zeros: the second of vectors on a line, both of equal rows.
//
// Along each direction the spot farthest from the origin, the first of equally
// far ones, has the positive sign, so that the result is the same for every
// run. The time is of the order of m²·(rows + columns), m being the smaller of
// rows and columns. It is an error if x has no number, or one that is not
// finite.
func PCA(x nn.Matrix) (spots [][2]float32, explained [2]float64, err error) {
	if err = check(x); err != nil {
		return nil, explained, err
	}
	axes, explained, err := principal(x)
	if err != nil {
		return nil, explained, err
	}
	spots = make([][2]float32, x.Rows)
	for i := range spots {
		spots[i] = [2]float32{float32(axes[0][i]), float32(axes[1][i])}
	}
	return spots, explained, nil
}

// check refuses what cannot be laid out. The error says where, not what.
func check(x nn.Matrix) error {
	if x.Rows < 1 || x.Cols < 1 {
		return fmt.Errorf("plane: x is %d×%d, must have a row and a column", x.Rows, x.Cols)
	}
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			if v-v != 0 {
				return fmt.Errorf("plane: row %d has a number in column %d that is not finite", i, j)
			}
		}
	}
	return nil
}

// principal returns the coordinates of the rows along the first two principal
// axes.
func principal(x nn.Matrix) (axes [2][]float64, explained [2]float64, err error) {
	c := centred(x)
	// With the singular values s of c = U·diag(s)·Vᵀ, the products c·cᵀ and cᵀ·c
	// have the same eigenvalues s², and c·V = U·diag(s). The smaller one will do.
	wide := x.Cols >= x.Rows
	var square mat.SymDense
	if wide {
		square.SymOuterK(1, c)
	} else {
		square.SymOuterK(1, c.T())
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(&square, true) {
		return axes, explained, errors.New("plane: the principal axes could not be computed")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	values, total := eigen.Values(nil), mat.Trace(&square) // values ascend
	for k := range axes {
		axes[k] = make([]float64, x.Rows)
		at := len(values) - 1 - k
		// What rounding alone makes of a zero stays below this.
		if at < 0 || !(values[at] > float64(x.Rows+x.Cols)*0x1p-52*total) {
			continue
		}
		explained[k] = values[at] / total
		axis := mat.NewVecDense(x.Rows, axes[k])
		if wide {
			axis.ScaleVec(math.Sqrt(values[at]), vectors.ColView(at))
		} else {
			axis.MulVec(c, vectors.ColView(at))
		}
		orient(axes[k])
	}
	return axes, explained, nil
}

// centred returns the rows less their mean.
func centred(x nn.Matrix) *mat.Dense {
	mean := make([]float64, x.Cols)
	for i := range x.Rows {
		for j, v := range x.Row(i) {
			mean[j] += float64(v) / float64(x.Rows)
		}
	}
	c := mat.NewDense(x.Rows, x.Cols, nil)
	for i := range x.Rows {
		row := c.RawRowView(i)
		for j, v := range x.Row(i) {
			row[j] = float64(v) - mean[j]
		}
	}
	return c
}

// orient gives the number of largest magnitude a positive sign.
func orient(axis []float64) {
	var top float64
	for _, v := range axis {
		if math.Abs(v) > math.Abs(top) {
			top = v
		}
	}
	if top < 0 {
		for i := range axis {
			axis[i] = -axis[i]
		}
	}
}
