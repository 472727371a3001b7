package tune

import (
	"sotto/nn"
)

// KeepLess bounds how much is kept of what frozen layers make.
func (t *Trainer) KeepLess(numbers int) { t.below.most = numbers }

// Vectors returns what the encoder as it is now makes of all texts that are learnt
// from or validate.
func (t *Trainer) Vectors(rows []int) nn.Matrix {
	t.pool = nn.NewPool(1)
	t.scores(nn.Infer, rows)
	return t.head[0].Forward(t.pool, nn.Infer, t.pooling.Forward(t.pool, t.encoder.Above(t.pool, nn.Infer, &t.batch, t.below.of(t, rows)), &t.batch)).Clone()
}
