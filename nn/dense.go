package nn

import (
	"math"
	weakrand "math/rand/v2"
)

// Dense is the affine layer Y = X·W + b, with X n×in, W in×out and b 1×out.
type Dense struct {
	// NoInputGrad leaves out the gradient with respect to the input, which
	// nobody needs for the first layer of a model: Backward returns the empty
	// matrix.
	NoInputGrad bool

	weight, bias Param
	x            Matrix // the last input
	y, dx        Matrix // buffers
}

// NewDense returns a layer with zero bias and weights that are uniform in
// ±√(6/(in+out)), after Glorot and Bengio (AISTATS 2010), known as Xavier
// initialisation. It panics if in or out is not positive.
func NewDense(in, out int, rng *weakrand.Rand) *Dense {
	if in < 1 || out < 1 {
		panic("nn: NewDense of " + Matrix{Rows: in, Cols: out}.shape() + ", want positive sizes")
	}
	d := &Dense{
		weight: Param{"weight", NewMatrix(in, out), NewMatrix(in, out)},
		bias:   Param{"bias", NewMatrix(1, out), NewMatrix(1, out)},
	}
	limit := math.Sqrt(6 / float64(in+out))
	for i := range d.weight.Value.Data {
		d.weight.Value.Data[i] = float32(limit * (2*rng.Float64() - 1))
	}
	return d
}

// Params implements [Layer]: the weight, in×out, and the bias, 1×out.
func (d *Dense) Params() []Param { return []Param{d.weight, d.bias} }

// Forward implements [Layer].
func (d *Dense) Forward(p *Pool, _ Mode, x Matrix) Matrix {
	w := d.weight.Value
	x.want("input of Dense", x.Rows, w.Rows)
	d.x, d.y = x, d.y.reshape(x.Rows, w.Cols)
	bias := d.bias.Value.Data
	p.rows(x.Rows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(d.y.Row(i), bias)
		}
	})
	p.AddMul(d.y, x, w)
	return d.y
}

// Backward implements [Layer]: dW = Xᵀ·dY, db = Σ rows of dY, dX = dY·Wᵀ.
func (d *Dense) Backward(p *Pool, grad Matrix) Matrix {
	grad.want("gradient of Dense", d.y.Rows, d.y.Cols)
	p.MulTN(d.weight.Grad, d.x, grad)
	p.sumRows(d.bias.Grad.Data, grad)
	if d.NoInputGrad {
		return Matrix{}
	}
	d.dx = d.dx.reshape(d.x.Rows, d.x.Cols)
	p.MulNT(d.dx, grad, d.weight.Value)
	return d.dx
}

// columnBlock is the number of columns that a worker sums at a time.
const columnBlock = 64

// sumRows sets dst to the sum of the rows of m, first to last in each column.
func (p *Pool) sumRows(dst []float32, m Matrix) {
	p.each((m.Cols+columnBlock-1)/columnBlock, func(_, b int) {
		lo, hi := b*columnBlock, min(m.Cols, (b+1)*columnBlock)
		sum := dst[lo:hi]
		clear(sum)
		for i := range m.Rows {
			p.kernels.axpy(sum, m.Row(i)[lo:hi], 1)
		}
	})
}
