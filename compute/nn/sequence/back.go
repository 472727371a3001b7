package sequence

import (
	"sotto/compute/nn"
	"sotto/compute/nn/vector"
)

// Backward takes the gradient with respect to the scores of the last pass, sets those of
// parameters, and returns those with respect to the rows of the memory and to how the
// layers began. All are valid until the next call.
func (d *Decoder) Backward(p *nn.Pool, grad nn.Matrix) (dX nn.Matrix, dStart [2]nn.Matrix) {
	s, n, rows := d.shape, d.steps.Sequences(), d.steps.Rows()
	dOut := d.dropOut.Backward(p, d.out.Backward(p, grad))
	d.dX = d.dX.Reshape(d.sources.X.Rows, s.Memory)
	clear(d.dX.Data)
	for layer := range d.dh {
		d.dh[layer], d.dc[layer] = d.dh[layer].Reshape(n, s.Hidden), d.dc[layer].Reshape(n, s.Hidden)
		clear(d.dh[layer].Data)
		clear(d.dc[layer].Data)
	}
	d.dIn1, d.dIn2, d.dAsked = d.dIn1.Reshape(n, s.Memory+s.Hidden), d.dIn2.Reshape(n, 2*s.Hidden), d.dAsked.Reshape(n, 2*s.Hidden)
	d.dq = d.dq.Reshape(rows, s.Memory)
	d.scratch = resize(d.scratch, n)
	back := [3]*nn.Packed{p.PackT(d.query.Value), p.PackT(d.first.Value), p.PackT(d.second.Value)}
	for t := d.steps.Count() - 1; t >= 0; t-- {
		d.stepBack(p, t, dOut, back)
	}
	p.MulTN(d.query.Grad, d.asked, d.dq)
	p.MulTN(d.first.Grad, d.in1, d.m1.dgates)
	p.MulTN(d.second.Grad, d.in2, d.m2.dgates)
	clear(d.bias.Grad.Data)
	for k := range rows {
		add(d.bias.Grad.Data, 1, d.m2.dgates.Row(k))
	}
	d.dEmbedded = d.dEmbedded.Reshape(rows, 4*s.Hidden+s.Memory)
	blocks(p, rows, func(k int) {
		copy(d.dEmbedded.Row(k), d.m1.dgates.Row(k))
		copy(d.dEmbedded.Row(k)[4*s.Hidden:], d.dq.Row(k))
	})
	d.words.Backward(d.drop.Backward(p, d.embedded.Backward(p, d.dEmbedded)), 0)
	for layer := range d.dh { // state and cell begin alike
		for k := range n {
			add(d.dh[layer].Row(k), 1, d.dc[layer].Row(k))
		}
	}
	return d.dX, d.dh
}

// stepBack goes back through a step. dh and dc hold what the later steps want.
func (d *Decoder) stepBack(p *nn.Pool, t int, dOut nn.Matrix, back [3]*nn.Packed) {
	h, w := d.shape.Hidden, d.shape.Memory
	lo, hi := d.steps.at(t)
	n := hi - lo
	blocks(p, n, func(k int) {
		_, cell := d.previous(1, t, k)
		add(d.dh[1].Row(k), 1, dOut.Row(lo+k))
		d.m2.backward(lo+k, cell, d.dh[1].Row(k), d.dc[1].Row(k))
	})
	p.MulPacked(d.dIn2.Slice(0, n), d.m2.dgates.Slice(lo, hi), back[2])
	blocks(p, n, func(k int) {
		_, cell := d.previous(0, t, k)
		add(d.dh[0].Row(k), 1, d.dIn2.Row(k)[:h])
		copy(d.dh[1].Row(k), d.dIn2.Row(k)[h:])
		d.m1.backward(lo+k, cell, d.dh[0].Row(k), d.dc[0].Row(k))
	})
	p.MulPacked(d.dIn1.Slice(0, n), d.m1.dgates.Slice(lo, hi), back[1])
	blocks(p, n, func(k int) {
		copy(d.dh[0].Row(k), d.dIn1.Row(k)[w:])
		d.attendBack(k, lo+k)
	})
	p.MulPacked(d.dAsked.Slice(0, n), d.dq.Slice(lo, hi), back[0])
	blocks(p, n, func(k int) {
		add(d.dh[0].Row(k), 1, d.dAsked.Row(k)[:h])
		add(d.dh[1].Row(k), 1, d.dAsked.Row(k)[h:])
	})
}

// attendBack goes back through the attention of a row: with p the weights, m the rows, g
// the gradient of their mean and s = p·(m·g − Σ p·m·g) that of the scores, the query has
// Σ s·m, and a row of the memory p·g + s·q.
func (d *Decoder) attendBack(sequence, row int) {
	rows, weights := d.sources.Rows[sequence], d.attention[row]
	grad, q, dq := d.dIn1.Row(sequence)[:d.shape.Memory], d.q.Row(row), d.dq.Row(row)
	d.scratch[sequence] = resize(d.scratch[sequence], len(rows))
	s, sum := d.scratch[sequence], float32(0)
	for j, r := range rows {
		s[j] = vector.Dot(d.sources.X.Row(r), grad)
		sum += float32(weights[j] * s[j])
	}
	clear(dq)
	for j, r := range rows {
		slope := float32(weights[j] * (s[j] - sum))
		add(dq, slope, d.sources.X.Row(r))
		to := d.dX.Row(r)
		add(to, weights[j], grad)
		add(to, slope, q)
	}
}
