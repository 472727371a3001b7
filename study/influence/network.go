package influence

import (
	"errors"
	"fmt"

	"sotto/compute/nn"
	"sotto/internal/safetensors"
	"sotto/learn/model"
)

// network predicts influences. What is read of a context and of a part each becomes a
// vector of the width, c and t; and the influence is W2·tanh(W1·[c+t; c−t; c⊙t] + b1)
// + b2, with W1 square.
type network struct {
	width          int
	context, part  scale // of what is read
	c, t           *nn.Dense
	first, second  *nn.Dense
	tanh           nn.Tanh
	joined, gc, gt nn.Matrix
	vc, vt         nn.Matrix // outputs of c and t
}

// scale makes what is read comparable: by the mean and deviation of each column.
type scale struct{ shift, factor []float32 }

func (s scale) apply(x nn.Matrix) {
	for i := range x.Rows {
		model.Standardise(x.Row(i), s.shift, s.factor)
	}
}

// newNetwork returns a network that has learnt nothing.
func newNetwork(context, part, width, out int, seed uint64) *network {
	n := &network{width: width}
	n.c, n.t = nn.NewDense(context, width, seeded(seed, "context")), nn.NewDense(part, width, seeded(seed, "part"))
	n.first, n.second = nn.NewDense(3*width, 3*width, seeded(seed, "first")), nn.NewDense(3*width, out, seeded(seed, "second"))
	for i := range n.second.Params()[0].Value.Data { // at first a part does nothing, which is nearly right
		n.second.Params()[0].Value.Data[i] *= 0.1
	}
	n.c.NoInputGrad, n.t.NoInputGrad = true, true
	return n
}

func (n *network) params() []nn.Param {
	var all []nn.Param
	for _, l := range n.layers() {
		for _, p := range l.layer.Params() {
			p.Name = l.name + "." + p.Name
			all = append(all, p)
		}
	}
	return all
}

type namedLayer struct {
	name  string
	layer *nn.Dense
}

func (n *network) layers() []namedLayer {
	return []namedLayer{{"context", n.c}, {"part", n.t}, {"first", n.first}, {"second", n.second}}
}

// forward returns the influence of each part in its context, both as they are read and
// scaled.
func (n *network) forward(p *nn.Pool, mode nn.Mode, context, part nn.Matrix) nn.Matrix {
	n.vc, n.vt = n.c.Forward(p, mode, context), n.t.Forward(p, mode, part)
	n.joined = n.joined.Reshape(context.Rows, 3*n.width)
	for i := range context.Rows {
		join(n.joined.Row(i), n.vc.Row(i), n.vt.Row(i))
	}
	return n.second.Forward(p, mode, n.tanh.Forward(p, mode, n.first.Forward(p, mode, n.joined)))
}

// join sets dst to [c+t; c−t; c⊙t].
func join(dst, c, t []float32) {
	k := len(c)
	for j, x := range c {
		y := t[j]
		dst[j], dst[k+j], dst[2*k+j] = x+y, x-y, x*y
	}
}

// backward sets the gradients of all layers.
func (n *network) backward(p *nn.Pool, grad nn.Matrix) {
	g := n.first.Backward(p, n.tanh.Backward(p, n.second.Backward(p, grad)))
	n.gc, n.gt = n.gc.Reshape(g.Rows, n.width), n.gt.Reshape(g.Rows, n.width)
	k := n.width
	for i := range g.Rows {
		row, c, t := g.Row(i), n.vc.Row(i), n.vt.Row(i)
		gc, gt := n.gc.Row(i), n.gt.Row(i)
		for j := range k {
			gc[j] = row[j] + row[k+j] + float32(row[2*k+j]*t[j])
			gt[j] = row[j] - row[k+j] + float32(row[2*k+j]*c[j])
		}
	}
	n.c.Backward(p, n.gc)
	n.t.Backward(p, n.gt)
}

// apply returns the output of a layer as a matrix of its own.
func apply(p *nn.Pool, d *nn.Dense, x nn.Matrix) nn.Matrix {
	return d.Forward(p, nn.Infer, x).Clone()
}

// tensors returns what a file keeps.
func (n *network) tensors() []safetensors.Tensor {
	all := []safetensors.Tensor{
		{Name: "context.shift", Shape: []int{len(n.context.shift)}, Data: n.context.shift},
		{Name: "context.factor", Shape: []int{len(n.context.factor)}, Data: n.context.factor},
		{Name: "part.shift", Shape: []int{len(n.part.shift)}, Data: n.part.shift},
		{Name: "part.factor", Shape: []int{len(n.part.factor)}, Data: n.part.factor},
	}
	for _, p := range n.params() {
		all = append(all, safetensors.Tensor{Name: p.Name, Shape: []int{p.Value.Rows, p.Value.Cols}, Data: p.Value.Data})
	}
	return all
}

// readNetwork makes a network of a file, which must have exactly its tensors.
func readNetwork(f *safetensors.File, context, part, width, out int) (*network, error) {
	n := newNetwork(context, part, width, out, 0)
	n.context, n.part = newScale(context), newScale(part)
	for _, want := range n.tensors() {
		got, ok := f.Tensor(want.Name)
		if !ok {
			return nil, fmt.Errorf("influence: the weights have no %s, must have", want.Name)
		}
		if len(got.Data) != len(want.Data) || len(got.Shape) != len(want.Shape) {
			return nil, fmt.Errorf("influence: %s has %d numbers, must have %d", want.Name, len(got.Data), len(want.Data))
		}
		copy(want.Data, got.Data)
	}
	return n, nil
}

func newScale(n int) scale { return scale{make([]float32, n), make([]float32, n)} }

// errDiverged says that numbers are no longer finite.
var errDiverged = errors.New("influence: the training diverged: lower the rate")
