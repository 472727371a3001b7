package nn_test

import (
	"fmt"
	"math"
	"testing"

	"sotto/compute/nn"
)

// adamReference is one step of Adam in double precision.
func adamReference(w, g, m, v []float64, t int, h nn.AdamW) {
	for i := range w {
		d := g[i] + h.L2*w[i]
		m[i] = h.Beta1*m[i] + (1-h.Beta1)*d
		v[i] = h.Beta2*v[i] + (1-h.Beta2)*d*d
		mean, square := m[i]/(1-math.Pow(h.Beta1, float64(t))), v[i]/(1-math.Pow(h.Beta2, float64(t)))
		w[i] -= h.Rate * (mean/(math.Sqrt(square)+h.Epsilon) + h.Decay*w[i])
	}
}

// params returns one parameter of n numbers and one of a single number.
func params(n int) []nn.Param {
	return []nn.Param{
		{Name: "a", Value: random(rng(1), 1, n), Grad: nn.NewMatrix(1, n)},
		{Name: "b", Value: random(rng(2), 1, 1), Grad: nn.NewMatrix(1, 1)},
	}
}

// TestAdam runs Adam and AdamW beside the reference, on vectors longer than
// what a worker takes at a time. Each of 20 steps rounds w a few times, by
// 2⁻²⁴·|w| < 3·10⁻⁷ each, so the two stay within 10⁻⁵·4.
func TestAdam(t *testing.T) {
	for _, h := range []nn.AdamW{
		{Adam: nn.Adam{Rate: 0.001, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}},
		{Adam: nn.Adam{Rate: 0.01, Beta1: 0.8, Beta2: 0.99, Epsilon: 1e-4, L2: 0.5}},
		{Adam: nn.Adam{Rate: 0.01, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}, Decay: 0.3},
	} {
		for _, p := range pools() {
			ps := params(1<<14 + 37)
			o, err := h.New(ps)
			if err != nil {
				t.Fatal(err)
			}
			w, m, v := wide(ps[0].Value), wide(nn.NewMatrix(1, 1<<14+37)), wide(nn.NewMatrix(1, 1<<14+37))
			r := rng(3)
			for step := 1; step <= 20; step++ {
				copy(ps[0].Grad.Data, random(r, 1, len(w)).Data)
				o.Step(p)
				adamReference(w, wide(ps[0].Grad), m, v, step, h)
			}
			for i, x := range ps[0].Value.Data {
				if math.Abs(float64(x)-w[i]) > 4e-5 {
					t.Fatalf("%s %+v: w[%d] = %v, want %v", p.Kernel(), h, i, x, w[i])
				}
			}
		}
	}
}

// TestAdamDefaults checks the first step, which is Rate·sign(g) whatever g is.
func TestAdamDefaults(t *testing.T) {
	ps := params(9)
	before := ps[0].Value.Clone()
	for i := range ps[0].Grad.Data {
		ps[0].Grad.Data[i] = float32(math.Pow(-10, float64(i%5)))
	}
	o, err := nn.Adam{}.New(ps)
	if err != nil {
		t.Fatal(err)
	}
	o.Step(nn.NewPool(1))
	for i, x := range ps[0].Value.Data {
		want := float64(before.Data[i]) - math.Copysign(0.001, float64(ps[0].Grad.Data[i]))
		if math.Abs(float64(x)-want) > 1e-6 {
			t.Errorf("w[%d] = %v, want %v", i, x, want)
		}
	}
}

func TestSGD(t *testing.T) {
	h := nn.SGD{Rate: 0.1, Momentum: 0.9, Decay: 0.05}
	for _, p := range pools() {
		ps := params(100)
		o, err := h.New(ps)
		if err != nil {
			t.Fatal(err)
		}
		w, v := wide(ps[0].Value), make([]float64, 100)
		r := rng(3)
		for step := range 30 {
			copy(ps[0].Grad.Data, random(r, 1, 100).Data)
			o.Step(p)
			for i, g := range ps[0].Grad.Data {
				v[i] = h.Momentum*v[i] + float64(g)
				w[i] -= h.Rate / (1 + h.Decay*float64(step)) * v[i]
			}
		}
		for i, x := range ps[0].Value.Data {
			if math.Abs(float64(x)-w[i]) > 4e-5 { // as in TestAdam
				t.Fatalf("w[%d] = %v, want %v", i, x, w[i])
			}
		}
	}
}

func TestOptimizerState(t *testing.T) {
	ps := params(3)
	o, err := nn.Adam{}.New(ps)
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, s := range o.State() {
		got += fmt.Sprintf("%s %d×%d, ", s.Name, s.Value.Rows, s.Value.Cols)
	}
	if want := "a.m 1×3, a.v 1×3, b.m 1×1, b.v 1×1, "; got != want {
		t.Errorf("State is %q, want %q", got, want)
	}
}

func TestOptimizerErrors(t *testing.T) {
	nan := math.NaN()
	type rule interface {
		Validate() error
		New(params []nn.Param) (*nn.Optimizer, error)
	}
	for _, h := range []rule{
		nn.SGD{Rate: -1},
		nn.SGD{Rate: nan},
		nn.SGD{Momentum: 1},
		nn.SGD{Momentum: nan},
		nn.SGD{Decay: -1},
		nn.SGD{Decay: math.Inf(1)},
		nn.Adam{Rate: -1},
		nn.Adam{Beta1: 1},
		nn.Adam{Beta2: nan},
		nn.Adam{Epsilon: -1},
		nn.Adam{L2: -1},
		nn.AdamW{Decay: -1},
		nn.AdamW{Adam: nn.Adam{Beta1: -0.1}},
	} {
		if h.Validate() == nil {
			t.Errorf("%T%+v: Validate returns nil", h, h)
		}
		if o, err := h.New(nil); err == nil || o != nil {
			t.Errorf("%T%+v: New = %v, %v, want an error", h, h, o, err)
		}
	}
	panics(t, "a gradient of another size", func() {
		_, _ = nn.Adam{}.New([]nn.Param{{Name: "a", Value: nn.NewMatrix(1, 2), Grad: nn.NewMatrix(2, 1)}})
	})
}

func ExampleSGD() {
	w := nn.Param{
		Name:  "w",
		Value: nn.Matrix{Rows: 1, Cols: 1, Data: []float32{8}},
		Grad:  nn.NewMatrix(1, 1),
	}
	o, err := nn.SGD{Rate: 0.25}.New([]nn.Param{w})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 { // w² has the gradient 2w
		w.Grad.Data[0] = 2 * w.Value.Data[0]
		o.Step(nn.NewPool(1))
		fmt.Println(w.Value.Data[0])
	}
	// Output:
	// 4
	// 2
	// 1
}

// A moment that decays is zero in the end, and never lingers among the
// subnormal numbers, where arithmetic is slow.
func TestMomentsEnd(t *testing.T) {
	const smallest = 0x1p-126 // that is normal
	for _, tt := range []struct {
		name string
		make func([]nn.Param) (*nn.Optimizer, error)
	}{
		{"SGD", nn.SGD{Momentum: 0.9}.New},
		{"Adam", nn.Adam{}.New},
	} {
		ps := params(3)
		o, err := tt.make(ps)
		if err != nil {
			t.Fatal(err)
		}
		p := nn.NewPool(1)
		for j := range ps[0].Grad.Data {
			ps[0].Grad.Data[j] = 1
		}
		o.Step(p)
		clear(ps[0].Grad.Data)
		for range 3000 {
			o.Step(p)
			for _, q := range o.State() {
				for _, v := range q.Value.Data {
					if v != 0 && v < smallest && v > -smallest {
						t.Fatalf("%s: %s is %v after %d steps, want 0 or a normal number", tt.name, q.Name, v, o.Steps)
					}
				}
			}
		}
		if first := o.State()[0].Value.Data[0]; first != 0 {
			t.Errorf("%s: the first moment is %v after %d steps without gradient, want 0", tt.name, first, o.Steps)
		}
	}
}
