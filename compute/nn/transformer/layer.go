package transformer

import (
	"sotto/compute/nn"
)

// The places where numbers are dropped in a pass: one behind the embeddings, and
// three in each layer.
const (
	siteEmbedded = iota
	siteWeights  // of attention, one behind another for each head of each sequence
	siteAttended
	siteOuter
	sitesOfLayer = 3
)

func (l *layer) site(site int) int { return l.number*sitesOfLayer + site }

// kept is what the backward pass of a layer needs.
type kept struct {
	x       nn.Matrix // what came in
	mixed   nn.Matrix // queries, keys and values, without their bias
	weights []float32 // of attention: sequence after sequence, head after head
	joined  nn.Matrix // the results of all heads
	before  nn.Matrix // what the first normalisation took
	middle  nn.Matrix // and what it made
	inner   nn.Matrix // before GELU, without bias
	active  nn.Matrix // behind it
	after   nn.Matrix // what the second normalisation took
	out     nn.Matrix
}

// space is memory that layers share, since they need it one after the other.
type space struct {
	weightAt []int // where the weights of attention of a sequence begin
	heads    []head

	wide   nn.Matrix // a gradient within a layer
	mixed  nn.Matrix // one of queries, keys and values
	narrow [2]nn.Matrix
	sums   nn.Matrix // of scale and shift, by block of rows
}

// fit makes room for a batch.
func (s *space) fit(c Config, b *Batch) {
	s.weightAt = s.weightAt[:0]
	at := 0
	for i := range b.Sequences() {
		s.weightAt = append(s.weightAt, at)
		n := b.Starts[i+1] - b.Starts[i]
		at += c.Heads * n * padded(n)
	}
	s.weightAt = append(s.weightAt, at)
}

// forward takes x through one layer.
func (e *Encoder) forward(p *nn.Pool, l *layer, x nn.Matrix) nn.Matrix {
	k, n, h := &l.kept, x.Rows, e.config.Hidden
	k.x = x
	k.mixed, k.joined, k.inner = k.mixed.Reshape(n, 3*h), k.joined.Reshape(n, h), k.inner.Reshape(n, e.config.Intermediate)
	k.before, k.middle, k.after, k.out = k.before.Reshape(n, h), k.middle.Reshape(n, h), k.after.Reshape(n, h), k.out.Reshape(n, h)
	k.active = k.active.Reshape(n, e.config.Intermediate)
	p.MulNT(k.mixed, x, l.mixed.weight)
	e.attend(p, l)
	p.MulNT(k.before, k.joined, l.attended.weight)
	e.close(p, l, siteAttended, &l.attended, &l.attendedNorm, x, k.before, k.middle)
	p.MulNT(k.inner, k.middle, l.inner.weight)
	rows(p, n, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(k.active.Row(i), k.inner.Row(i))
			e.vectors.GELU(k.active.Row(i), l.inner.bias.Data)
		}
	})
	p.MulNT(k.after, k.active, l.outer.weight)
	e.close(p, l, siteOuter, &l.outer, &l.outerNorm, k.middle, k.after, k.out)
	return k.out
}

// close adds the bias to y, drops, adds what leads around, and sets out to the
// normalised sum.
func (e *Encoder) close(p *nn.Pool, l *layer, site int, a *affine, norm *normal, around, y, out nn.Matrix) {
	drop, drops := e.dropAt(l.site(site))
	rows(p, y.Rows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := y.Row(i)
			e.vectors.Add(row, row, a.bias.Data)
			if drops {
				e.vectors.Drop(row, row, drop.At(uint64(i)))
			}
			e.vectors.Add(row, row, around.Row(i))
			e.normalise(out.Row(i), row, norm)
		}
	})
}

// normalise sets out to the normalised x.
func (e *Encoder) normalise(out, x []float32, n *normal) {
	copy(out, x)
	e.vectors.Norm(out, e.zeros[:len(x)], n.scale.Data, n.shift.Data, float32(e.config.Epsilon))
}

// backward takes the gradient of what a layer returned, which it changes, and
// returns that of what came in, unless nobody wants it. It sets the gradients of
// the layer's parameters, or adds to them.
func (e *Encoder) backward(p *nn.Pool, l *layer, grad nn.Matrix, more, wanted bool) nn.Matrix {
	k, s, n, h := &l.kept, &e.space, grad.Rows, e.config.Hidden
	s.wide, s.mixed = s.wide.Reshape(n, e.config.Intermediate), s.mixed.Reshape(n, 3*h)
	for i := range s.narrow {
		s.narrow[i] = s.narrow[i].Reshape(n, h)
	}
	around, dropped := s.narrow[0], s.narrow[1]

	e.normBackward(p, around, grad, k.after, &l.outerNorm, more)
	e.undrop(p, dropped, around, l.site(siteOuter))
	l.outer.learn(p, dropped, k.active, more)
	p.Mul(s.wide, dropped, l.outer.weight)
	rows(p, n, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			e.vectors.GELUGrad(s.wide.Row(i), s.wide.Row(i), k.inner.Row(i), l.inner.bias.Data)
		}
	})
	l.inner.learn(p, s.wide, k.middle, more)
	p.AddMul(around, s.wide, l.inner.weight)

	e.normBackward(p, grad, around, k.before, &l.attendedNorm, more)
	e.undrop(p, dropped, grad, l.site(siteAttended))
	l.attended.learn(p, dropped, k.joined, more)
	p.Mul(around, dropped, l.attended.weight)
	e.attendBackward(p, l, around)
	l.mixed.learn(p, s.mixed, k.x, more)
	if !wanted {
		return nn.Matrix{}
	}
	p.AddMul(grad, s.mixed, l.mixed.weight)
	return grad
}

// learn finds the gradients of an affine layer from that of its output and from
// its input.
func (a *affine) learn(p *nn.Pool, grad, x nn.Matrix, more bool) {
	if more {
		p.AddMulTN(a.dWeight, grad, x)
		p.AddRows(a.dBias.Data, grad)
		return
	}
	p.MulTN(a.dWeight, grad, x)
	p.SumRows(a.dBias.Data, grad)
}

// undrop sets dst to the gradient with respect to what was dropped from.
func (e *Encoder) undrop(p *nn.Pool, dst, grad nn.Matrix, site int) {
	drop, drops := e.dropAt(site)
	rows(p, grad.Rows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if drops {
				e.vectors.Drop(dst.Row(i), grad.Row(i), drop.At(uint64(i)))
			} else {
				copy(dst.Row(i), grad.Row(i))
			}
		}
	})
}

// normBackward sets dst, which may be grad, to the gradient with respect to x,
// which was normalised.
func (e *Encoder) normBackward(p *nn.Pool, dst, grad, x nn.Matrix, n *normal, more bool) {
	h, s := e.config.Hidden, &e.space
	s.sums = s.sums.Reshape((x.Rows+rowBlock-1)/rowBlock, 2*h)
	clear(s.sums.Data)
	rows(p, x.Rows, func(block, lo, hi int) {
		sums := s.sums.Row(block)
		for i := lo; i < hi; i++ {
			e.vectors.NormGrad(dst.Row(i), grad.Row(i), x.Row(i), n.scale.Data, sums[:h], sums[h:], float32(e.config.Epsilon))
		}
	})
	if !more {
		clear(n.dScale.Data)
		clear(n.dShift.Data)
	}
	for b := range s.sums.Rows {
		e.vectors.Add(n.dScale.Data, n.dScale.Data, s.sums.Row(b)[:h])
		e.vectors.Add(n.dShift.Data, n.dShift.Data, s.sums.Row(b)[h:])
	}
}
