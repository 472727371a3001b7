package transformer_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer"
	"sotto/compute/nn/transformer/tiny"
	"sotto/promise/dp/dptest"
)

// open makes an encoder of a model's parameters.
func open(tb testing.TB, m *tiny.Model, kernel string, change func(*transformer.Config)) *transformer.Encoder {
	tb.Helper()
	c := transformer.Config{
		Hidden: m.Hidden, Layers: m.Layers, Heads: m.Heads, Intermediate: m.Inner, Vocabulary: m.Vocabulary,
		Positions: m.Positions, Types: m.Types, Epsilon: tiny.Epsilon, Frozen: transformer.Nothing, Seed: 7,
	}
	if change != nil {
		change(&c)
	}
	e, err := transformer.New(c, kernel, func(name string, shape ...int) []float32 {
		t, ok := m.Tensors[name]
		if !ok || !slices.Equal(t.Shape, shape) {
			tb.Fatalf("asks for %s of shape %v, want one of the model's", name, shape)
		}
		return slices.Clone(t.Data)
	})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// batch returns sequences of the given lengths.
func batch(m *tiny.Model, lengths ...int) *transformer.Batch {
	b := &transformer.Batch{}
	for _, n := range lengths {
		b.Add(m.Sequence(n))
	}
	return b
}

// TestForward compares with the definition, for sequences side by side.
func TestForward(t *testing.T) {
	for _, m := range []*tiny.Model{tiny.Small(), tiny.Even()} {
		p := nn.NewPool(2)
		b := batch(m, 1, 19, 7)
		got := open(t, m, p.Kernel(), nil).Forward(p, nn.Infer, b)
		for i := range b.Sequences() {
			lo, hi := b.Starts[i], b.Starts[i+1]
			for row, want := range m.Reference(b.IDs[lo:hi], b.Types[lo:hi]) {
				for j, v := range want {
					if d := math.Abs(float64(got.Row(lo + row)[j]) - v); !(d < 1e-5) {
						t.Fatalf("number %d of token %d of sequence %d is off by %.3g, want less than 1e-5", j, row, i, d)
					}
				}
			}
		}
	}
}

// weighted is a loss: the sum of what comes out times some weights.
func weighted(out [][]float64, weights nn.Matrix) float64 {
	sum := 0.0
	for i, row := range out {
		for j, v := range row {
			sum += v * float64(weights.Row(i)[j])
		}
	}
	return sum
}

// TestGradients compares the gradient of every parameter with differences of the
// definition, with dropout and without.
func TestGradients(t *testing.T) {
	for _, m := range []*tiny.Model{tiny.Small(), tiny.Even()} {
		for _, rate := range []float64{0, 0.3} {
			t.Run(fmt.Sprintf("width %d, dropout %v", m.Hidden, rate), func(t *testing.T) {
				p := nn.NewPool(2)
				e := open(t, m, p.Kernel(), func(c *transformer.Config) { c.Dropout = rate })
				b := batch(m, 9)
				out := e.Forward(p, nn.Train, b)
				weights := nn.Matrix{Rows: out.Rows, Cols: out.Cols, Data: tiny.Normal(tiny.Generator(), len(out.Data), 1)}
				m.Drop = func(site, item int, x []float64) {
					mask := make([]float32, len(x))
					for i := range mask {
						mask[i] = 1
					}
					e.Drop(site, item, mask)
					for i := range x {
						x[i] *= float64(mask[i])
					}
				}
				e.Backward(p, weights.Clone(), false)
				for _, q := range e.Params() {
					checkGradient(t, m, b, weights, q)
				}
			})
		}
	}
}

// checkGradient compares some numbers of a gradient.
func checkGradient(t *testing.T, m *tiny.Model, b *transformer.Batch, weights nn.Matrix, q nn.Param) {
	t.Helper()
	const step = 1e-5
	most := 10
	if dptest.Long() {
		most = 20
	}
	grad := whole(q)
	nudge := make([]float64, len(grad))
	m.Nudge = map[string][]float64{q.Name: nudge}
	defer func() { m.Nudge = nil }()
	scale := 0.0
	for _, g := range grad {
		scale = max(scale, math.Abs(float64(g)))
	}
	if scale == 0 && q.Name != "encoder.layer.0.attention.self.key.bias" && q.Name != "encoder.layer.1.attention.self.key.bias" {
		t.Errorf("%s has no gradient", q.Name)
	}
	for i := 0; i < len(grad); i += 1 + len(grad)/most {
		nudge[i] = step
		up := weighted(m.Reference(b.IDs, b.Types), weights)
		nudge[i] = -step
		down := weighted(m.Reference(b.IDs, b.Types), weights)
		nudge[i] = 0
		want := (up - down) / (2 * step)
		if d := math.Abs(float64(grad[i]) - want); !(d < 2e-5*max(1, scale)) {
			t.Errorf("gradient %d of %s is %g, want %g", i, q.Name, grad[i], want)
		}
	}
}

// whole returns a gradient with its zeros.
func whole(q nn.Param) []float32 {
	if q.Touched == nil {
		return q.Grad.Data
	}
	all := nn.NewMatrix(q.Value.Rows, q.Value.Cols)
	for i, row := range q.Touched.Rows {
		copy(all.Row(row), q.Touched.Grad.Row(i))
	}
	return all.Data
}

// TestPieces checks that a batch in pieces has the gradients of a whole one.
func TestPieces(t *testing.T) {
	m, p := tiny.Even(), nn.NewPool(2)
	e := open(t, m, p.Kernel(), nil)
	gradients := func(lengths ...[]int) (all [][]float32) {
		for i, some := range lengths {
			b := batch(m, some...)
			out := e.Forward(p, nn.Train, b)
			grad := out.Clone()
			e.Backward(p, grad, i > 0)
		}
		for _, q := range e.Params() {
			all = append(all, slices.Clone(whole(q)))
		}
		return all
	}
	want := gradients([]int{5, 17, 3})
	got := gradients([]int{5}, []int{17, 3})
	for k, q := range e.Params() {
		for i := range want[k] {
			if d := math.Abs(float64(got[k][i] - want[k][i])); !(d < 1e-3) {
				t.Fatalf("gradient %d of %s is off by %g in pieces", i, q.Name, d)
			}
		}
	}
}

// TestSameBits trains with one worker and with several.
func TestSameBits(t *testing.T) {
	m := tiny.Even()
	run := func(p *nn.Pool) []float32 {
		e := open(t, m, p.Kernel(), func(c *transformer.Config) { c.Dropout = 0.1 })
		adam, err := nn.AdamW{Decay: 0.01}.New(e.Params())
		if err != nil {
			t.Fatal(err)
		}
		b := batch(m, 9, 33, 40, 1, 18, 5)
		for range 3 {
			out := e.Forward(p, nn.Train, b)
			e.Backward(p, out.Clone(), false)
			p.ClipNorm(e.Params(), 1)
			adam.Step(p)
		}
		var all []float32
		for _, q := range e.All() {
			all = append(all, q.Value.Data...)
		}
		return all
	}
	want := run(nn.NewPool(1))
	if !slices.Equal(run(nn.NewPool(1)), want) || !slices.Equal(run(nn.NewPool(2)), want) || !slices.Equal(run(nn.NewPool(3)), want) {
		t.Error("another number of workers has other bits")
	}
}

// TestFrozen checks that what is frozen can be kept, and that nothing else changes.
func TestFrozen(t *testing.T) {
	m, p := tiny.Even(), nn.NewPool(1)
	all := open(t, m, p.Kernel(), nil)
	for _, frozen := range []int{0, 1} {
		e := open(t, m, p.Kernel(), func(c *transformer.Config) { c.Frozen = frozen })
		b := batch(m, 9, 4)
		want := all.Forward(p, nn.Train, b)
		got := e.Above(p, nn.Train, b, e.Below(p, b).Clone())
		if !slices.Equal(got.Data, want.Data) {
			t.Errorf("with %d layers frozen the result differs", frozen)
		}
		all.Backward(p, want.Clone(), false)
		e.Backward(p, got.Clone(), false)
		if n, want := len(e.Params()), (m.Layers-frozen)*16; n != want {
			t.Errorf("%d parameters learn with %d layers frozen, want %d", n, frozen, want)
		}
		for _, q := range e.Params() {
			i := slices.IndexFunc(all.Params(), func(r nn.Param) bool { return r.Name == q.Name })
			if !slices.Equal(q.Grad.Data, all.Params()[i].Grad.Data) {
				t.Errorf("gradient of %s differs with %d layers frozen", q.Name, frozen)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	m, p := tiny.Small(), nn.NewPool(1)
	e := open(t, m, p.Kernel(), nil)
	for name, b := range map[string]*transformer.Batch{
		"long": batch(m, 41),
		"id":   {IDs: []int32{20}, Types: []int32{0}, Starts: []int{0, 1}},
		"type": {IDs: []int32{0}, Types: []int32{-1}, Starts: []int{0, 1}},
	} {
		if e.Check(b) == nil {
			t.Errorf("Check accepts a batch with a wrong %s", name)
		}
	}
	if err := e.Check(batch(m, 40, 1)); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*transformer.Config){
		"heads":   func(c *transformer.Config) { c.Heads = 3 },
		"frozen":  func(c *transformer.Config) { c.Frozen = 2 },
		"dropout": func(c *transformer.Config) { c.Dropout = math.NaN() },
	} {
		c := transformer.Config{Hidden: 8, Layers: 2, Heads: 2, Intermediate: 8, Vocabulary: 8, Positions: 8, Types: 2, Epsilon: 1e-5}
		if change(&c); c.Frozen == 2 && c.Validate() == nil {
			t.Errorf("New accepts wrong %s", name)
		}
		if _, err := transformer.New(c, "portable", func(string, ...int) []float32 { return make([]float32, 64) }); err == nil {
			t.Errorf("New accepts wrong %s", name)
		}
	}
}
