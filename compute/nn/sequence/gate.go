package sequence

import (
	"sotto/compute/nn"
	"sotto/compute/nn/vector"
)

// memory is what a layer of LSTM cells keeps of a pass, a row for each of the layout: the
// gates as they were used, input, forget, candidate, output side by side, the cells, their
// hyperbolic tangents, and the states that it returns.
type memory struct {
	gates, cells, squashed, out nn.Matrix
	dgates                      nn.Matrix
	loops                       *vector.Loops
}

func (m *memory) reshape(p *nn.Pool, rows, hidden int) {
	m.loops = vector.For(p.Kernel())
	m.gates, m.dgates = m.gates.Reshape(rows, 4*hidden), m.dgates.Reshape(rows, 4*hidden)
	m.cells, m.squashed, m.out = m.cells.Reshape(rows, hidden), m.squashed.Reshape(rows, hidden), m.out.Reshape(rows, hidden)
}

// forward computes a row from what its gates are before they are squashed, and from the
// cell before, nil for zeros:
//
//	c = f·c′ + i·g and h = o·tanh c, with i, f, o = σ(…) and g = tanh(…)
func (m *memory) forward(row int, before []float32) {
	h := m.out.Cols
	gates := m.gates.Row(row)
	i, f, g, o := gates[:h], gates[h:2*h], gates[2*h:3*h], gates[3*h:]
	c, squashed, out := m.cells.Row(row), m.squashed.Row(row), m.out.Row(row)
	m.loops.Sigmoid(gates[:2*h], gates[:2*h])
	m.loops.Tanh(g, g)
	m.loops.Sigmoid(o, o)
	for k := range c {
		c[k] = float32(i[k] * g[k])
	}
	for k, v := range before {
		c[k] += float32(f[k] * v)
	}
	m.loops.Tanh(squashed, c)
	for k, s := range squashed {
		out[k] = o[k] * s
	}
}

// backward sets the gradient of a row's gates from dh, that of its state, and turns dc
// from that of its cell into that of the cell before.
func (m *memory) backward(row int, before, dh, dc []float32) {
	h := m.out.Cols
	gates, grad := m.gates.Row(row), m.dgates.Row(row)
	i, f, g, o := gates[:h], gates[h:2*h], gates[2*h:3*h], gates[3*h:]
	di, df, dg, do := grad[:h], grad[h:2*h], grad[2*h:3*h], grad[3*h:]
	squashed := m.squashed.Row(row)
	for k, s := range squashed {
		d := dc[k] + float32(float32(dh[k]*o[k])*(1-float32(s*s)))
		do[k] = float32(dh[k]*s) * float32(o[k]*(1-o[k]))
		di[k] = float32(d*g[k]) * float32(i[k]*(1-i[k]))
		dg[k] = float32(d*i[k]) * (1 - float32(g[k]*g[k]))
		df[k] = 0
		if before != nil {
			df[k] = float32(d*before[k]) * float32(f[k]*(1-f[k]))
		}
		dc[k] = d * f[k]
	}
}
