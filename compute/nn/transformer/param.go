package transformer

import (
	"slices"
	"strconv"

	"sotto/compute/nn"
)

// affine is x·weightᵀ + bias with the weight out×in, as files have it.
type affine struct {
	weight, bias nn.Matrix
	dWeight      nn.Matrix
	dBias        nn.Matrix
	names        []string // of the parts that lie one above the other, of equal height
}

// normal holds the parameters of a normalisation.
type normal struct {
	scale, shift   nn.Matrix
	dScale, dShift nn.Matrix
	name           string
}

// params returns the parts as parameters of their own, over the same memory.
func (a *affine) params() []nn.Param {
	var all []nn.Param
	out := a.weight.Rows / len(a.names)
	for i, name := range a.names {
		lo, hi := i*out, (i+1)*out
		part := func(m nn.Matrix) nn.Matrix { return nn.Matrix{Rows: 1, Cols: out, Data: m.Data[lo:hi:hi]} }
		all = append(all,
			nn.Param{Name: name + ".weight", Value: a.weight.Slice(lo, hi), Grad: a.dWeight.Slice(lo, hi)},
			nn.Param{Name: name + ".bias", Value: part(a.bias), Grad: part(a.dBias)})
	}
	return all
}

func (n *normal) params() []nn.Param {
	return []nn.Param{
		{Name: n.name + ".weight", Value: n.scale, Grad: n.dScale},
		{Name: n.name + ".bias", Value: n.shift, Grad: n.dShift},
	}
}

// taker makes parameters of tensors.
type taker struct {
	tensor func(name string, shape ...int) []float32
}

func (t taker) matrix(name string, rows, cols int) nn.Matrix {
	return nn.Matrix{Rows: rows, Cols: cols, Data: t.tensor(name, rows, cols)[: rows*cols : rows*cols]}
}

func (t taker) vector(name string, n int) nn.Matrix {
	return nn.Matrix{Rows: 1, Cols: n, Data: t.tensor(name, n)[:n:n]}
}

// affine joins layers of equal sizes, one above the other.
func (t taker) affine(in, out int, names ...string) affine {
	a := affine{names: names, dWeight: nn.NewMatrix(len(names)*out, in), dBias: nn.NewMatrix(1, len(names)*out)}
	if len(names) == 1 {
		a.weight, a.bias = t.matrix(names[0]+".weight", out, in), t.vector(names[0]+".bias", out)
		return a
	}
	a.weight, a.bias = nn.NewMatrix(len(names)*out, in), nn.NewMatrix(1, len(names)*out)
	for i, name := range names {
		copy(a.weight.Slice(i*out, (i+1)*out).Data, t.tensor(name+".weight", out, in))
		copy(a.bias.Data[i*out:(i+1)*out], t.tensor(name+".bias", out))
	}
	return a
}

func (t taker) normal(name string, n int) normal {
	return normal{name: name, scale: t.vector(name+".weight", n), shift: t.vector(name+".bias", n), dScale: nn.NewMatrix(1, n), dShift: nn.NewMatrix(1, n)}
}

// layer is one layer of the encoder, with what its last forward pass kept.
type layer struct {
	number       int
	mixed        affine // queries, keys, values
	attended     affine
	attendedNorm normal
	inner, outer affine
	outerNorm    normal
	kept         kept
}

func (t taker) layer(c Config, number int) *layer {
	at := "encoder.layer." + strconv.Itoa(number) + "."
	self := at + "attention.self."
	return &layer{
		number:       number,
		mixed:        t.affine(c.Hidden, c.Hidden, self+"query", self+"key", self+"value"),
		attended:     t.affine(c.Hidden, c.Hidden, at+"attention.output.dense"),
		attendedNorm: t.normal(at+"attention.output.LayerNorm", c.Hidden),
		inner:        t.affine(c.Hidden, c.Intermediate, at+"intermediate.dense"),
		outer:        t.affine(c.Intermediate, c.Hidden, at+"output.dense"),
		outerNorm:    t.normal(at+"output.LayerNorm", c.Hidden),
	}
}

func (l *layer) params() []nn.Param {
	return slices.Concat(l.mixed.params(), l.attended.params(), l.attendedNorm.params(), l.inner.params(), l.outer.params(), l.outerNorm.params())
}
