package tune

import (
	"sotto/compute/nn"
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

// Gradients returns the loss of some rows in training, and everything that learns
// with its gradients.
func (t *Trainer) Gradients(rows []int) (float64, []nn.Param, error) {
	t.pool = nn.NewPool(1)
	loss, grad, err := t.head.Learn(t.pool, rows, t.vectors.of(t.pool, nn.Train, rows))
	if err != nil {
		return 0, nil, err
	}
	t.vectors.back(t.pool, grad, false)
	return loss, t.params(), nil
}
