package nn

import "fmt"

// Mode says what a forward pass is for.
type Mode string

// The modes of a forward pass. They differ for [Dropout] alone: noise is drawn
// in both.
const (
	Train Mode = "train"
	Infer Mode = "infer"
)

// Layer is a differentiable function of the rows of a batch. A layer keeps
// what its backward pass needs in buffers of its own, which grow to the
// largest batch seen: a result is valid until the next call of the same
// method, and a layer stands in one place of one model.
type Layer interface {
	// Forward returns the output for x, one row each. x must not change before
	// the call of Backward. It panics if x has the wrong number of columns.
	Forward(p *Pool, mode Mode, x Matrix) Matrix

	// Backward takes the gradient of a loss with respect to the last output,
	// returns it with respect to the last input, and sets, not adds to, the
	// gradients of Params. It panics if grad is not of the last output's size.
	Backward(p *Pool, grad Matrix) Matrix

	// Params returns the parameters, always in the same order; none for most
	// layers.
	Params() []Param
}

// Param is a named parameter with the gradient that the last backward pass
// found. Both matrices share memory with the layer.
type Param struct {
	Name        string // such as "weight", within a [Sequential] "0.weight"
	Value, Grad Matrix
	// Touched, unless nil, has the gradient in place of Grad: that of a table of
	// which a batch reads a few rows. The rows that it does not name stay as they
	// are in a step, and so do their moments.
	Touched *Touched
}

// Touched is the gradient of some rows of a table.
type Touched struct {
	Rows []int  // which, each once
	Grad Matrix // a row for each of them
}

// stateless has no parameters.
type stateless struct{}

// Params implements [Layer] and returns nil.
func (stateless) Params() []Param { return nil }

// Sequential applies layers one after the other. A [ReLU] behind or before a
// [Dense] layer is computed with it, while its numbers are in the cache: with
// the same bits, but without memory of its own.
type Sequential []Layer

// Forward implements [Layer].
func (s Sequential) Forward(p *Pool, mode Mode, x Matrix) Matrix {
	for i := 0; i < len(s); i++ {
		if dense, relu := s.pair(i, i+1); relu != nil {
			x = dense.forward(p, x, func(y []float32) { p.kernels.relu(y, y) })
			relu.out = x
			i++
			continue
		}
		x = s[i].Forward(p, mode, x)
	}
	return x
}

// Backward implements [Layer].
func (s Sequential) Backward(p *Pool, grad Matrix) Matrix {
	for i := len(s) - 1; i >= 0; i-- {
		if dense, relu := s.pair(i, i-1); relu != nil && !dense.NoInputGrad {
			grad = dense.backward(p, grad, dense.x) // what the ReLU returned
			i--
			continue
		}
		grad = s[i].Backward(p, grad)
	}
	return grad
}

// pair returns layer i and its neighbour j if they are a Dense layer and a ReLU.
func (s Sequential) pair(i, j int) (*Dense, *ReLU) {
	if j < 0 || j >= len(s) {
		return nil, nil
	}
	dense, ok := s[i].(*Dense)
	if !ok {
		return nil, nil
	}
	relu, _ := s[j].(*ReLU)
	return dense, relu
}

// Params implements [Layer]. The name of a parameter is preceded by the
// position of its layer and a dot.
func (s Sequential) Params() []Param {
	var all []Param
	for i, l := range s {
		for _, q := range l.Params() {
			q.Name = fmt.Sprintf("%d.%s", i, q.Name)
			all = append(all, q)
		}
	}
	return all
}

// Dense returns the layers that have weights.
func (s Sequential) Dense() []*Dense {
	var all []*Dense
	for _, l := range s {
		if d, ok := l.(*Dense); ok {
			all = append(all, d)
		}
	}
	return all
}
