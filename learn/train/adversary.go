package train

import (
	"math"

	"sotto/compute/nn"
)

// adversary predicts the group from a representation, behind a layer that
// reverses what it teaches the encoder.
type adversary struct {
	Reversal *nn.GradientReversal
	body     nn.Sequential // hidden layers
	head     *nn.Dense
	loss     nn.SoftmaxCrossEntropy

	Hidden nn.Matrix // outputs of the hidden layers in the last pass
	grad   nn.Matrix // of the last loss
	groups []int
}

// newAdversary makes one with hidden layers of the given widths, none of which makes it
// linear.
func newAdversary(b *builder, width int, hidden []int, groups int, dropout float64) *adversary {
	a := &adversary{Reversal: &nn.GradientReversal{}, body: b.Hidden(width, hidden, dropout)}
	if len(hidden) > 0 {
		width = hidden[len(hidden)-1]
	}
	a.head = nn.NewDense(width, groups, b.Rand)
	return a
}

// Params returns what the adversary trains.
func (a *adversary) Params() []nn.Param {
	return append(named("body", a.body.Params()), named("head", a.head.Params())...)
}

// Forward returns the loss on rows of the given groups. Rows whose group is
// unknown, which is negative, have no gradient.
func (a *adversary) Forward(p *nn.Pool, r nn.Matrix, groups []int) float64 {
	a.groups = a.groups[:0]
	for _, z := range groups {
		a.groups = append(a.groups, max(z, 0))
	}
	a.Hidden = a.body.Forward(p, nn.Train, a.Reversal.Forward(p, nn.Train, r))
	loss, grad := a.loss.Loss(p, a.head.Forward(p, nn.Train, a.Hidden), a.groups)
	for i, z := range groups {
		if z < 0 {
			clear(grad.Row(i))
		}
	}
	a.grad = grad
	return loss
}

// Backward trains on the last rows and returns the gradient for the
// representation, reversed.
//
// Where push is not empty, the hidden layers also follow weight·push, a
// gradient for their outputs. The representation does not: it would be taught
// to make the adversaries alike, and could do so without end by growing.
func (a *adversary) Backward(p *nn.Pool, push nn.Matrix, weight float32) nn.Matrix {
	grad := a.head.Backward(p, a.grad)
	reversed := a.Reversal.Backward(p, a.body.Backward(p, grad))
	if push.Data != nil {
		p.AddScaled(grad, weight, push)
		a.body.Backward(p, grad) // sets the gradients of the layers anew
	}
	return reversed
}

// apart keeps adversaries from learning the same. The zero value is ready for use.
type apart struct {
	orthogonal nn.Orthogonality
}

// Push returns the gradients that draw the adversaries' hidden outputs
// towards being orthogonal. Each row is taken as a direction, as the difference loss
// is usually written: else adversaries come apart by shrinking,
// know nothing any more, and the encoder fools them by leaving all sense.
func (a *apart) Push(p *nn.Pool, hidden []nn.Matrix) []nn.Matrix {
	const tiny = 1e-6
	norms := make([][]float32, len(hidden))
	directions := make([]nn.Matrix, len(hidden))
	for i, h := range hidden {
		norms[i], directions[i] = make([]float32, h.Rows), h.Clone()
		for r := range h.Rows {
			row, square := directions[i].Row(r), 0.0
			for _, v := range row {
				square += float64(v) * float64(v)
			}
			norms[i][r] = float32(math.Sqrt(square)) + tiny
			for j := range row {
				row[j] /= norms[i][r]
			}
		}
	}
	_, grads := a.orthogonal.Loss(p, directions)
	for i, g := range grads {
		for r := range g.Rows {
			for j := range g.Row(r) {
				g.Row(r)[j] /= norms[i][r] // a length is taken as given
			}
		}
	}
	return grads
}
