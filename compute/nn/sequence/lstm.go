package sequence

import (
	weakrand "math/rand/v2"

	"sotto/compute/nn"
)

// LSTM is a layer of long short-term memory (Hochreiter and Schmidhuber, 1997, with the
// forget gate of Gers, Schmidhuber and Cummins, 2000) that begins with zeros.
type LSTM struct {
	input  *nn.Dense // of all gates
	again  nn.Param  // from the state before to the gates
	hidden int

	steps    Steps
	m        memory
	previous nn.Matrix // the state before each row
	dh, dc   nn.Matrix // what the later steps want of the state and the cell
	total    nn.Matrix
}

// NewLSTM returns a layer that makes states of hidden numbers from rows of in numbers. Its
// forget gates begin nearly open, with a bias of 1.
func NewLSTM(in, hidden int, rng *weakrand.Rand) *LSTM {
	l := &LSTM{input: nn.NewDense(in, 4*hidden, rng), again: weight("again", hidden, 4*hidden, rng), hidden: hidden}
	open(l.input, hidden)
	return l
}

// open sets the bias of forget gates to 1.
func open(d *nn.Dense, hidden int) {
	bias := d.Params()[1].Value.Data
	for k := hidden; k < 2*hidden; k++ {
		bias[k] = 1
	}
}

// Params lists what is learnt.
func (l *LSTM) Params() []nn.Param { return append(named("input", l.input.Params()), l.again) }

// Forward returns the states, a row for each of x, valid until the next call.
func (l *LSTM) Forward(p *nn.Pool, x nn.Matrix, steps Steps) nn.Matrix {
	l.steps = steps
	l.m.reshape(p, steps.Rows(), l.hidden)
	copy(l.m.gates.Data, l.input.Forward(p, nn.Train, x).Data)
	l.previous = l.previous.Reshape(steps.Rows(), l.hidden)
	again := p.Pack(l.again.Value)
	for t := range steps.Count() {
		lo, hi := steps.at(t)
		gone := l.before(t)
		if t == 0 {
			clear(l.previous.Slice(lo, hi).Data)
		} else {
			copy(l.previous.Slice(lo, hi).Data, l.m.out.Slice(gone, gone+hi-lo).Data)
			p.AddMulPacked(l.m.gates.Slice(lo, hi), l.previous.Slice(lo, hi), again)
		}
		blocks(p, hi-lo, func(k int) { l.m.forward(lo+k, l.cell(t, gone+k)) })
	}
	return l.m.out
}

// before returns where the step before one begins.
func (l *LSTM) before(t int) int {
	if t == 0 {
		return 0
	}
	lo, _ := l.steps.at(t - 1)
	return lo
}

// cell returns the cell of a row before step t.
func (l *LSTM) cell(t, row int) []float32 {
	if t == 0 {
		return nil
	}
	return l.m.cells.Row(row)
}

// Backward takes the gradient with respect to the states, returns it with respect to x and
// sets those of parameters.
func (l *LSTM) Backward(p *nn.Pool, grad nn.Matrix) nn.Matrix {
	n := l.steps.Sequences()
	l.dh, l.dc, l.total = l.dh.Reshape(n, l.hidden), l.dc.Reshape(n, l.hidden), l.total.Reshape(n, l.hidden)
	clear(l.dh.Data)
	clear(l.dc.Data)
	again := p.PackT(l.again.Value)
	for t := l.steps.Count() - 1; t >= 0; t-- {
		lo, hi := l.steps.at(t)
		gone := l.before(t)
		blocks(p, hi-lo, func(k int) {
			dh := l.dh.Row(k)
			add(dh, 1, grad.Row(lo+k))
			l.m.backward(lo+k, l.cell(t, gone+k), dh, l.dc.Row(k))
		})
		if t > 0 {
			p.MulPacked(l.dh.Slice(0, hi-lo), l.m.dgates.Slice(lo, hi), again)
		}
	}
	p.MulTN(l.again.Grad, l.previous, l.m.dgates)
	return l.input.Backward(p, l.m.dgates)
}

// blocks calls f for each item below n, on the workers of the pool, some at a time.
func blocks(p *nn.Pool, n int, f func(item int)) {
	const size = 8
	p.Each((n+size-1)/size, func(_, b int) {
		for k := b * size; k < min(n, (b+1)*size); k++ {
			f(k)
		}
	})
}

// Both is two layers of LSTM, of which one reads the sequences from their ends. They run
// side by side where there are two workers.
type Both struct {
	ways   [2]*LSTM
	back   []int // of each row, that of the same sequence from its end
	x, dx  [2]nn.Matrix
	out    nn.Matrix
	dOut   [2]nn.Matrix
	sum    nn.Matrix
	alone  [2]*nn.Pool
	kernel string
}

// NewBoth returns layers that make states of 2·hidden numbers, those of the way forwards
// first.
func NewBoth(in, hidden int, rng *weakrand.Rand) *Both {
	return &Both{ways: [2]*LSTM{NewLSTM(in, hidden, rng), NewLSTM(in, hidden, rng)}}
}

// Params lists what is learnt.
func (b *Both) Params() []nn.Param {
	return append(named("forward", b.ways[0].Params()), named("backward", b.ways[1].Params())...)
}

// each runs both ways, each on a pool of one worker.
func (b *Both) each(p *nn.Pool, f func(way int, alone *nn.Pool)) {
	if b.kernel != p.Kernel() || b.alone[0] == nil {
		b.alone, b.kernel = [2]*nn.Pool{p.Alone(), p.Alone()}, p.Kernel()
	}
	p.Each(2, func(_, way int) { f(way, b.alone[way]) })
}

// Forward returns the states, valid until the next call.
func (b *Both) Forward(p *nn.Pool, x nn.Matrix, steps Steps) nn.Matrix {
	hidden := b.ways[0].hidden
	b.back = steps.backwards(b.back)
	b.out = b.out.Reshape(x.Rows, 2*hidden)
	b.x[0], b.x[1] = x, b.x[1].Reshape(x.Rows, x.Cols)
	b.each(p, func(way int, alone *nn.Pool) {
		if way == 0 {
			h := b.ways[0].Forward(alone, x, steps)
			for k := range h.Rows {
				copy(b.out.Row(k)[:hidden], h.Row(k))
			}
			return
		}
		for k, from := range b.back {
			copy(b.x[1].Row(k), x.Row(from))
		}
		h := b.ways[1].Forward(alone, b.x[1], steps)
		for k, from := range b.back {
			copy(b.out.Row(k)[hidden:], h.Row(from))
		}
	})
	return b.out
}

// Backward takes the gradient with respect to the states, returns it with respect to x and
// sets those of parameters.
func (b *Both) Backward(p *nn.Pool, grad nn.Matrix) nn.Matrix {
	hidden := b.ways[0].hidden
	b.each(p, func(way int, alone *nn.Pool) {
		b.dOut[way] = b.dOut[way].Reshape(grad.Rows, hidden)
		for k, from := range b.back {
			if way == 0 {
				from = k
			}
			copy(b.dOut[way].Row(k), grad.Row(from)[way*hidden:(way+1)*hidden])
		}
		b.dx[way] = b.ways[way].Backward(alone, b.dOut[way])
	})
	b.sum = b.sum.Reshape(grad.Rows, b.dx[0].Cols)
	blocks(p, grad.Rows, func(k int) {
		to, first, second := b.sum.Row(k), b.dx[0].Row(k), b.dx[1].Row(b.back[k])
		for j := range to {
			to[j] = first[j] + second[j]
		}
	})
	return b.sum
}
