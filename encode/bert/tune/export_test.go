package tune

import (
	"sotto/nn"
)

// KeepLess bounds how much is kept of what frozen layers make.
func (t *Trainer) KeepLess(numbers int) { t.vectors.below.most = numbers }

// Vectors returns what the encoder as it is now makes of some texts.
func (t *Trainer) Vectors(rows []int) nn.Matrix {
	return t.vectors.plain(nn.NewPool(1), nn.Infer, rows).Clone()
}

// Pair returns the vectors of pairs, of which the rows of x are the first and the
// second in turn, and the gradient with respect to x of their product with weights.
func Pair(x, weights nn.Matrix) (y, dx nn.Matrix) {
	var q pair
	y = q.forward(x)
	return y, q.backward(weights)
}
