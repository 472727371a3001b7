package nn

import (
	"fmt"
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
		weight: Param{Name: "weight", Value: NewMatrix(in, out), Grad: NewMatrix(in, out)},
		bias:   Param{Name: "bias", Value: NewMatrix(1, out), Grad: NewMatrix(1, out)},
	}
	limit := math.Sqrt(6 / float64(in+out))
	for i := range d.weight.Value.Data {
		d.weight.Value.Data[i] = float32(limit * (2*float64(rng.Float64()) - 1))
	}
	return d
}

// Params implements [Layer]: the weight, in×out, and the bias, 1×out.
func (d *Dense) Params() []Param { return []Param{d.weight, d.bias} }

// Forward implements [Layer].
func (d *Dense) Forward(p *Pool, _ Mode, x Matrix) Matrix { return d.forward(p, x, nil) }

// forward is Forward, with something done to each row of the result.
func (d *Dense) forward(p *Pool, x Matrix, then func(y []float32)) Matrix {
	w := d.weight.Value
	x.want("input of Dense", x.Rows, w.Rows)
	d.x, d.y = x, d.y.Reshape(x.Rows, w.Cols)
	if x.Rows == 0 {
		return d.y
	}
	g := product{
		m: x.Rows, n: w.Cols, k: w.Rows, c: d.y, bias: d.bias.Value.Data,
		a: operand{x.Data, x.Cols, false},
		b: operand{w.Data, w.Cols, true},
	}
	if then != nil {
		g.finish = func(row, lo, hi int) { then(d.y.Row(row)[lo:hi]) }
	}
	p.multiply(g)
	return d.y
}

// Backward implements [Layer]: dW = Xᵀ·dY, db = Σ rows of dY, dX = dY·Wᵀ.
func (d *Dense) Backward(p *Pool, grad Matrix) Matrix { return d.backward(p, grad, Matrix{}) }

// backward is Backward, with zeros in the result where a matrix of its size,
// unless it is empty, is not positive.
func (d *Dense) backward(p *Pool, grad, where Matrix) Matrix {
	w := d.weight.Value
	grad.want("gradient of Dense", d.y.Rows, d.y.Cols)
	p.MulTN(d.weight.Grad, d.x, grad)
	p.SumRows(d.bias.Grad.Data, grad)
	if d.NoInputGrad {
		return Matrix{}
	}
	d.dx = d.dx.Reshape(d.x.Rows, d.x.Cols)
	if grad.Rows == 0 {
		return d.dx
	}
	p.multiply(product{
		m: grad.Rows, n: w.Rows, k: w.Cols, c: d.dx, where: where,
		a: operand{grad.Data, grad.Cols, false},
		b: operand{w.Data, w.Cols, false},
	})
	return d.dx
}

// one is the weight of every row in a sum of rows.
var one = []float32{1}

// sumGroup is the number of rows that are summed at a time: few enough that they
// are read nearly in the order in which they lie in memory.
const sumGroup = 16

// SumRows sets dst to the sum of the rows of m, first to last in each column. It
// panics if dst does not have as many numbers as a row.
func (p *Pool) SumRows(dst []float32, m Matrix) {
	clear(dst)
	p.AddRows(dst, m)
}

// AddRows adds the rows of m to dst, first to last in each column. It panics if
// dst does not have as many numbers as a row.
func (p *Pool) AddRows(dst []float32, m Matrix) {
	m.sound("AddRows's m")
	if len(dst) != m.Cols {
		panic(fmt.Sprintf("nn: AddRows of %s to %d numbers, want %d", m.shape(), len(dst), m.Cols))
	}
	if m.Rows == 0 || m.Cols == 0 {
		return
	}
	size := even(m.Cols, m.Cols, 16, p.workers)
	p.each((m.Cols+size-1)/size, func(_, b int) {
		lo, hi := b*size, min(m.Cols, (b+1)*size)
		for i := 0; i < m.Rows; i += sumGroup {
			p.kernels.blend(dst[lo:hi], blend{
				k: min(sumGroup, m.Rows-i), a: one, b: m.Data[i*m.Cols+lo:], stride: m.Cols, more: true,
			})
		}
	})
}
