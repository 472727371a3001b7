package train

import "sotto/nn"

// adversary predicts the group from a representation, behind a layer that
// reverses what it teaches the encoder.
type adversary struct {
	reversal *nn.GradientReversal
	body     nn.Sequential // hidden layers
	head     *nn.Dense
	loss     nn.SoftmaxCrossEntropy

	hidden nn.Matrix // last output of body
	grad   nn.Matrix // of the last loss
	groups []int
}

func newAdversary(b *builder, width int, hidden []int, groups int, dropout float64) *adversary {
	a := &adversary{reversal: &nn.GradientReversal{}, body: b.hidden(width, hidden, dropout)}
	if len(hidden) > 0 {
		width = hidden[len(hidden)-1]
	}
	a.head = nn.NewDense(width, groups, b.rng)
	return a
}

func (a *adversary) params() []nn.Param {
	return append(named("body", a.body.Params()), named("head", a.head.Params())...)
}

// forward returns the loss on rows of the given groups. Rows whose group is
// unknown have no gradient.
func (a *adversary) forward(p *nn.Pool, r nn.Matrix, groups []int) float64 {
	a.groups = a.groups[:0]
	for _, z := range groups {
		a.groups = append(a.groups, max(z, 0))
	}
	a.hidden = a.body.Forward(p, nn.Train, a.reversal.Forward(p, nn.Train, r))
	loss, grad := a.loss.Loss(p, a.head.Forward(p, nn.Train, a.hidden), a.groups)
	for i, z := range groups {
		if z == Unknown {
			clear(grad.Row(i))
		}
	}
	a.grad = grad
	return loss
}

// backward trains on the last rows and returns the gradient for the
// representation, reversed.
//
// Where push is not empty, the hidden layers also follow weight·push, a
// gradient for their outputs. The representation does not: it would be taught
// to make the adversaries alike, and could do so without end by growing.
func (a *adversary) backward(p *nn.Pool, push nn.Matrix, weight float32) nn.Matrix {
	grad := a.head.Backward(p, a.grad)
	reversed := a.reversal.Backward(p, a.body.Backward(p, grad))
	if push.Data != nil {
		p.AddScaled(grad, weight, push)
		a.body.Backward(p, grad) // sets the gradients of the layers anew
	}
	return reversed
}
