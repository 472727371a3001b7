package parse

import (
	"math"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
)

// linear is the affine map y = x·w + b.
type linear struct {
	w, b   nn.Matrix
	gw, gb nn.Matrix  // gradients, in training
	packed *nn.Packed // w, in use
}

// newLinear returns weights that are uniform in ±√(6/(in+out)), and no bias.
func newLinear(in, out int, rng *weakrand.Rand) *linear {
	l := &linear{w: nn.NewMatrix(in, out), b: nn.NewMatrix(1, out)}
	limit := math.Sqrt(6 / float64(in+out))
	for i := range l.w.Data {
		l.w.Data[i] = float32(limit * (2*float64(rng.Float64()) - 1))
	}
	return l
}

// forward sets y to the map of the rows of x.
func (l *linear) forward(p *nn.Pool, y, x nn.Matrix) {
	if l.packed != nil {
		p.MulPacked(y, x, l.packed)
	} else {
		p.Mul(y, x, l.w)
	}
	for i := range y.Rows {
		row := y.Row(i)
		bias := l.b.Data[:len(row)]
		for j := range row {
			row[j] += bias[j]
		}
	}
}

// backward finds the gradients for dy, that of y, and sets dx to that of x,
// unless it is empty.
func (l *linear) backward(p *nn.Pool, dx, x, dy nn.Matrix) {
	p.MulTN(l.gw, x, dy)
	p.SumRows(l.gb.Data, dy)
	if dx.Rows > 0 {
		p.MulNT(dx, dy, l.w)
	}
}

// params returns the weights with their gradients, which it makes.
func (l *linear) params(name string) []nn.Param {
	l.gw, l.gb = nn.NewMatrix(l.w.Rows, l.w.Cols), nn.NewMatrix(1, l.b.Cols)
	return []nn.Param{{Name: name + ".weight", Value: l.w, Grad: l.gw}, {Name: name + ".bias", Value: l.b, Grad: l.gb}}
}

// relu sets what is negative to 0.
func relu(x nn.Matrix) {
	for i, v := range x.Data {
		x.Data[i] = max(v, 0)
	}
}

// reluGrad sets the gradient to 0 where relu gave 0.
func reluGrad(grad, y nn.Matrix) {
	values := y.Data[:len(grad.Data)]
	for i := range grad.Data {
		if values[i] <= 0 {
			grad.Data[i] = 0
		}
	}
}
