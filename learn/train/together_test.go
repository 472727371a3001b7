package train_test

import (
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/train"
	"sotto/promise/mech"
)

// together returns the network of a method that takes some columns from an encoder.
func together(t *testing.T, m train.Method, d planted, columns int) *train.Together {
	t.Helper()
	f, err := m.Prepare(d.Data)
	if err != nil {
		t.Fatal(err)
	}
	network, err := f.Together(columns, 1)
	if err != nil {
		t.Fatal(err)
	}
	return network
}

// joint are the methods that train with an encoder, without dropout.
func joint() map[string]train.Method {
	s := settings(4)
	s.Dropout = -1
	return map[string]train.Method{
		"dpnr":        train.DPNR{Training: s, Release: mech.Params{Epsilon: 200}},
		"adversarial": train.Adversarial{Training: s, Lambda: 0.7},
		"multiple":    train.Multiple{Training: s, Lambda: 0.7},
		"federate":    train.Federate{Training: s, Lambda: 0.7, Release: mech.Params{Mechanism: "laplace-l1", Epsilon: 20}},
	}
}

// TestTogetherGradient compares what an encoder is taught with differences along some
// directions: of the classifier's loss, less that of the adversaries by their weight.
func TestTogetherGradient(t *testing.T) {
	d := plant(128, 1, 1, 1)
	const columns = 6 // of 8; the others are numbers
	x := d.X.Gather(d.Train).Columns(0, columns)
	for name, m := range joint() {
		rng := weakrand.New(weakrand.NewPCG(5, 6))
		network := together(t, m, d, columns)
		if err := network.Advance(0.5); err != nil {
			t.Fatal(err)
		}
		lambda := 0.0
		if name != "dpnr" {
			lambda = train.Lambda(0.7, 2, 4)
		}
		grad, err := network.Gradient(d.Train, x)
		if err != nil {
			t.Fatal(err)
		}
		grad = grad.Clone()
		norm := 0.0
		for _, g := range grad.Data {
			norm += float64(g) * float64(g)
		}
		norm = math.Sqrt(norm)
		for range 5 { // mostly along the gradient, so that there is something to see
			const h = 1.0 / 256
			want, sides := 0.0, [2]float64{}
			direction := nn.NewMatrix(x.Rows, x.Cols)
			for i, g := range grad.Data {
				v := float64(g)/norm + rng.NormFloat64()/20
				direction.Data[i] = float32(v)
				want += v * float64(g)
			}
			for k, step := range []float32{h, -h} {
				moved := x.Clone()
				for i, v := range direction.Data {
					moved.Data[i] += step * v
				}
				own, others := network.Losses(d.Train, moved)
				sides[k] = own - lambda*others
			}
			// A loss is off by 1e-7 at most, and so the difference by 2e-5; the rest is
			// for the bends of ReLU.
			if got := (sides[0] - sides[1]) / (2 * h); !(math.Abs(got-want) < 0.02*want+2e-5) {
				t.Errorf("%s: along a direction the gradient is %v, differences say %v", name, want, got)
			}
		}
	}
}

// TestTogetherStart trains networks with an encoder that scales rows, and checks that
// they go on in a fit from where they stood, standardised or not.
func TestTogetherStart(t *testing.T) {
	d := plant(1200, 1, 1, 1)
	const columns = 6
	scale := []float32{2, 0.5, 3, 1, 1, 0.25}
	pool := nn.NewPool(1)
	for _, standardise := range []bool{false, true} {
		s := settings(1)
		s.Standardise, s.Dropout, s.Keep = standardise, -1, train.Last
		network := together(t, train.Adversarial{Training: s}, d, columns)
		o, err := nn.Adam{Rate: 0.01}.New(network.Params())
		if err != nil {
			t.Fatal(err)
		}
		vectors := func(rows []int) nn.Matrix {
			x := d.X.Gather(rows).Columns(0, columns)
			for i := range x.Rows {
				for j := range x.Row(i) {
					x.Row(i)[j] *= scale[j]
				}
			}
			return x
		}
		for range 20 {
			if _, _, err = network.Learn(pool, d.Train, vectors(d.Train)); err != nil {
				t.Fatal(err)
			}
			o.Step(pool)
		}
		scores, err := network.Scores(pool, d.Validation, vectors(d.Validation))
		if err != nil {
			t.Fatal(err)
		}
		right := 0
		for i, row := range d.Validation {
			if nn.Argmax(scores.Row(i)) == d.Y[row] {
				right++
			}
		}
		want := float64(right) / float64(len(d.Validation))
		start := &train.Start{Scale: scale, Tensors: map[string]nn.Matrix{}}
		for _, q := range network.Params() {
			start.Tensors[q.Name] = q.Value.Clone()
		}
		s.Rate = 1e-12
		on := d
		on.Start = start
		got := accuracy(t, fit(t, train.Adversarial{Training: s}, on, 1), d, d.Validation)
		if !(want > 0.8) || math.Abs(got-want) > 0.01 { // a row on the border may fall to the other side
			t.Errorf("standardised %v: what goes on has accuracy %v, what it began with %v; want as much, above 0.8", standardise, got, want)
		}
		s.Encoder = []int{16, 9}
		if _, err := (train.Adversarial{Training: s}).Prepare(on.Data); err == nil || !strings.Contains(err.Error(), "the network begins with") {
			t.Errorf("a start of other widths gives %v", err)
		}
	}
}

// TestTogetherSame checks that what is drawn follows from the seed and the counters,
// whatever the number of workers, and that About tells settings and seeds apart.
func TestTogetherSame(t *testing.T) {
	d := plant(400, 1, 1, 1)
	x := d.X.Gather(d.Train)
	seen := map[string]string{}
	for name, m := range joint() {
		losses := map[float64]bool{}
		for _, workers := range []int{1, 3} {
			network := together(t, m, d, 8)
			for _, pass := range network.Passes() {
				*pass = 5
			}
			loss, _, err := network.Learn(nn.NewPool(workers), d.Train, x)
			if err != nil {
				t.Fatal(err)
			}
			losses[loss] = true
			if workers == 1 {
				if other, ok := seen[network.About()]; ok {
					t.Errorf("%s and %s have the same digest", name, other)
				}
				seen[network.About()] = name
			}
		}
		if len(losses) != 1 {
			t.Errorf("%s: one worker and three have losses %v, want the same", name, losses)
		}
		f, err := m.Prepare(d.Data)
		if err != nil {
			t.Fatal(err)
		}
		other, err := f.Together(8, 2)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := seen[other.About()]; ok {
			t.Errorf("%s: another seed has the same digest", name)
		}
		if _, err := f.Together(9, 1); err == nil {
			t.Errorf("%s: an encoder of more columns than the rows have is taken", name)
		}
		if last := name != "dpnr"; other.KeepLast() != last {
			t.Errorf("%s keeps the last epoch: %v, want %v", name, other.KeepLast(), last)
		}
	}
	var names []string
	for name, m := range methods(1) {
		if f, err := m.Prepare(d.Data); err == nil && f.Together != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if want := []string{"adversarial", "dpnr", "federate", "multiple", "noise", "unconstrained"}; !slices.Equal(names, want) {
		t.Errorf("methods that train with an encoder are %v, want %v", names, want)
	}
}
