package transformer

import "sotto/compute/nn"

// Attention returns a copy of the weights with which, in one head of one layer of
// the last pass, each token of a sequence, a row, took up each other, a column: they
// are not negative, and those of a row have sum 1. Dropout is not in them. It panics
// if there is no such layer, head or sequence, or if the layer was not computed in
// that pass because what it makes was given to Above.
func (e *Encoder) Attention(layer, head, sequence int) nn.Matrix {
	b := e.batch
	n := b.Starts[sequence+1] - b.Starts[sequence]
	if head < 0 || head >= e.config.Heads {
		panic("transformer: Attention of a head that there is not")
	}
	from := e.space.weightAt[sequence] + head*n*padded(n)
	all := nn.Matrix{Rows: n, Cols: padded(n), Data: e.layers[layer].kept.weights[from : from+n*padded(n)]}
	return all.Columns(0, n)
}

// TokenGradients returns the gradient of the last loss with respect to the sum of
// the embeddings of each token of the batch, valid until the next pass: which tokens
// the loss hangs on, and in which direction. It is empty where embeddings are
// frozen, or before Backward.
func (e *Encoder) TokenGradients() nn.Matrix { return e.table.dSum }
