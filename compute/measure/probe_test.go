package measure_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

// TestPlanted plants the attribute in one of ten columns.
func TestPlanted(t *testing.T) {
	for _, classes := range []int{2, 3} {
		r := rng(5)
		a := fit(t, 2, measure.Probe{}, planted(r, 400, 10, classes), classes)
		d := planted(r, 300, 10, classes)
		if got := measure.Accuracy(d.Z, a.Predict(nn.NewPool(2), d.X)); got != 1 {
			t.Errorf("%d classes: accuracy = %v, want 1", classes, got)
		}
	}
}

// TestIndependent scores on coins that are independent of the input, so the
// right guesses are binomial with probability ½ whatever the attacker does. The
// exact interval misses ½ with probability 10⁻⁵ at most.
func TestIndependent(t *testing.T) {
	r := rng(6)
	data := func(n int) measure.Labelled { return measure.Labelled{X: normal(r, n, 5), Z: labels(r, n, 2)} }
	a := fit(t, 2, measure.Probe{}, data(400), 2)
	const n = 4000
	d := data(n)
	accuracy := measure.Accuracy(d.Z, a.Predict(nn.NewPool(2), d.X))
	low, high := measure.ClopperPearson(int(math.Round(accuracy*n)), n, 1-1e-5)
	if !(low <= 0.5 && 0.5 <= high) {
		t.Errorf("accuracy on coins = %v, in [%v, %v], want ½", accuracy, low, high)
	}
}

// xor returns the corners of a square, equally often, with the attribute 1
// where the signs differ.
func xor(n int) measure.Labelled {
	d := measure.Labelled{X: nn.NewMatrix(n, 2), Z: make([]int, n)}
	for i := range n {
		a, b := i&1, i>>1&1
		d.X.Row(i)[0], d.X.Row(i)[1], d.Z[i] = float32(2*a-1), float32(2*b-1), a^b
	}
	return d
}

// TestXOR needs a hidden layer: a line has at most three corners right.
func TestXOR(t *testing.T) {
	d := xor(400)
	for _, c := range []struct {
		name      string
		hidden    []int
		low, high float64
	}{
		{"reference", nil, 1, 1},
		{"two layers", []int{16, 8}, 1, 1},
		{"linear", []int{}, 0, 0.75},
	} {
		a := fit(t, 1, measure.Probe{Hidden: c.hidden}, d, 2)
		if got := measure.Accuracy(d.Z, a.Predict(nn.NewPool(1), d.X)); !(got >= c.low && got <= c.high) {
			t.Errorf("%s: accuracy = %v, want in [%v, %v]", c.name, got, c.low, c.high)
		}
	}
}

// TestWorkers compares all bits, for a number of rows that leaves a batch over.
func TestWorkers(t *testing.T) {
	r := rng(7)
	for _, classes := range []int{2, 4} {
		d := planted(r, 501, 30, classes)
		h := measure.Probe{Hidden: []int{64}, Epochs: 10, Seed: 3}
		one, two := fit(t, 1, h, d, classes), fit(t, 2, h, d, classes)
		x := normal(r, 1500, 30) // more than are predicted at a time
		a, b := one.Probabilities(nn.NewPool(1), x), two.Probabilities(nn.NewPool(2), x)
		if !sameBits(a, b) {
			t.Errorf("%d classes: probabilities of one and of two workers differ", classes)
		}
		h.Seed = 4
		if sameBits(a, fit(t, 1, h, d, classes).Probabilities(nn.NewPool(1), x)) {
			t.Errorf("%d classes: another seed gives the same bits", classes)
		}
		order := r.Perm(x.Rows)
		if !sameBits(pickRows(a, order), one.Probabilities(nn.NewPool(1), pickRows(x, order))) {
			t.Errorf("%d classes: the probabilities of a row depend on its place", classes)
		}
	}
}

// TestUnknownRows mixes in rows without an attribute, which must change nothing.
func TestUnknownRows(t *testing.T) {
	r := rng(8)
	d := planted(r, 100, 4, 2)
	mixed := measure.Labelled{X: normal(r, 200, 4), Z: make([]int, 200)}
	for i := range mixed.Z {
		mixed.Z[i] = -1
		if i%2 == 1 {
			copy(mixed.X.Row(i), d.X.Row(i/2))
			mixed.Z[i] = d.Z[i/2]
		}
	}
	h := measure.Probe{Epochs: 5}
	a, b := fit(t, 1, h, d, 2), fit(t, 1, h, mixed, 2)
	if b.Rows != 100 || b.Epochs != 5 {
		t.Errorf("fitted on %d rows in %d epochs, want 100 and 5", b.Rows, b.Epochs)
	}
	x, p := normal(r, 50, 4), nn.NewPool(1)
	if !sameBits(a.Probabilities(p, x), b.Probabilities(p, x)) {
		t.Error("rows without an attribute changed the attacker")
	}
}

// TestAlpha compares a linear probe on one balanced column of ±1 with the exact
// minimum of its loss on n rows, Σ_k share_k·ln(1+e^{∓w}) + Alpha/(2n)·w²: by
// symmetry the bias is 0. Adam at a rate of 0.01 ends within 10⁻³ of it.
func TestAlpha(t *testing.T) {
	const n = 40
	d := measure.Labelled{X: nn.NewMatrix(n, 1), Z: make([]int, n)}
	for i := range n { // the sign tells the attribute in 9 of 10 rows
		sign := i % 2
		d.X.Row(i)[0], d.Z[i] = float32(2*sign-1), sign
		if i/2%10 == 0 {
			d.Z[i] = 1 - sign
		}
	}
	for _, alpha := range []float64{1e-9, 1, 10} {
		low, high := 0.0, 10.0
		for range 60 { // the derivative −0.9/(1+e^w) + 0.1/(1+e^{−w}) + Alpha/n·w grows
			w := (low + high) / 2
			if -0.9/(1+math.Exp(w))+0.1/(1+math.Exp(-w))+alpha/n*w > 0 {
				high = w
			} else {
				low = w
			}
		}
		h := measure.Probe{Hidden: []int{}, Rate: 0.01, Alpha: alpha, Epochs: 3000, Patience: 3000}
		p := fit(t, 1, h, d, 2).Probabilities(nn.NewPool(1), nn.Matrix{Rows: 1, Cols: 1, Data: []float32{1}})
		if got, want := float64(p.Data[1]), 1/(1+math.Exp(-low)); !near(got, want, 1e-3) {
			t.Errorf("alpha %v: P(1) = %v, want %v", alpha, got, want)
		}
	}
}

// TestStandardised shifts and stretches columns, by powers of two so that the
// standardised numbers are the same, and adds a constant one.
func TestStandardised(t *testing.T) {
	d := xor(400)
	wide := measure.Labelled{X: nn.NewMatrix(400, 3), Z: d.Z}
	for i := range wide.X.Rows {
		v := d.X.Row(i)
		copy(wide.X.Row(i), []float32{1024 * v[0], 64 + v[1]/4, 0.1})
	}
	a, p := fit(t, 1, measure.Probe{}, wide, 2), nn.NewPool(1)
	if got := measure.Accuracy(d.Z, a.Predict(p, wide.X)); got != 1 {
		t.Errorf("accuracy = %v, want 1", got)
	}
	before := a.Probabilities(p, wide.X)
	for i := range wide.X.Rows {
		wide.X.Row(i)[2] = 1e30 // a column without variation carries nothing
	}
	if !sameBits(before, a.Probabilities(p, wide.X)) {
		t.Error("a column that was constant in the rows fitted changes probabilities")
	}
}

func TestStop(t *testing.T) {
	d := measure.Labelled{X: normal(rng(9), 100, 3), Z: labels(rng(10), 100, 2)}
	// No step is large enough for progress after the first epoch, so training
	// ends when Patience + 1 more have passed.
	h := measure.Probe{Rate: 1e-9, Patience: 4}
	if got := fit(t, 1, h, d, 2).Epochs; got != 6 {
		t.Errorf("epochs = %d, want 6", got)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (measure.Probe{}).Fit(ctx, nn.NewPool(1), d.X, d.Z, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("Fit = %v, want %v", err, context.Canceled)
	}
}

func TestNotFinite(t *testing.T) {
	d := planted(rng(11), 100, 4, 2)
	a := fit(t, 1, measure.Probe{Epochs: 2}, d, 2)
	x := normal(rng(12), 4, 4)
	x.Row(1)[0], x.Row(2)[3], x.Row(3)[1] = float32(nan), float32(math.Inf(-1)), math.MaxFloat32
	got := a.Predict(nn.NewPool(1), x)
	if got[0] < 0 || got[1] != -1 || got[2] != -1 || got[3] < 0 {
		t.Errorf("Predict = %v, want −1 for the second and third row alone", got)
	}
	if !panics(func() { a.Predict(nn.NewPool(1), normal(rng(1), 2, 3)) }) {
		t.Error("Predict of rows with a column too few did not panic")
	}
	if got := a.Predict(nn.NewPool(1), nn.NewMatrix(0, 4)); len(got) != 0 {
		t.Errorf("Predict of no rows = %v", got)
	}
}

func TestFitErrors(t *testing.T) {
	good := planted(rng(13), 20, 3, 2)
	spoilt := func(v float64) measure.Labelled {
		x := good.X.Clone()
		x.Row(7)[1] = float32(v)
		return measure.Labelled{X: x, Z: good.Z}
	}
	constant := func(z int) measure.Labelled {
		d := measure.Labelled{X: good.X, Z: make([]int, 20)}
		for i := range d.Z {
			d.Z[i] = z
		}
		return d
	}
	for _, c := range []struct {
		name    string
		probe   measure.Probe
		data    measure.Labelled
		classes int
		message string
	}{
		{"constant", measure.Probe{}, constant(1), 2, "the same in all rows"},
		{"unknown", measure.Probe{}, constant(-1), 2, "unknown in all rows"},
		{"too large", measure.Probe{}, constant(2), 2, "must be below 2"},
		{"one class", measure.Probe{}, good, 1, "number of classes is 1"},
		{"NaN", measure.Probe{}, spoilt(nan), 2, "row 7"},
		{"infinite", measure.Probe{}, spoilt(math.Inf(1)), 2, "row 7"},
		{"no columns", measure.Probe{}, measure.Labelled{X: nn.NewMatrix(20, 0), Z: good.Z}, 2, "no columns"},
		{"hidden", measure.Probe{Hidden: []int{4, 0}}, good, 2, "0 units"},
		{"rate", measure.Probe{Rate: nan}, good, 2, "rate is NaN"},
		{"alpha", measure.Probe{Alpha: -1}, good, 2, "alpha is -1"},
		{"batch", measure.Probe{Batch: -5}, good, 2, "batch is -5"},
		{"diverged", measure.Probe{Rate: 1e30}, good, 2, "training loss"},
	} {
		_, err := c.probe.Fit(context.Background(), nn.NewPool(1), c.data.X, c.data.Z, c.classes)
		if err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: Fit = %v, want an error with %q", c.name, err, c.message)
		}
	}
}

// BenchmarkProbe is one epoch of the reference attacker.
func BenchmarkProbe(b *testing.B) {
	d := planted(rng(1), 16000, 300, 2)
	p := nn.NewPool(2)
	for b.Loop() {
		h := measure.Probe{Epochs: 1}
		if _, err := h.Fit(b.Context(), p, d.X, d.Z, 2); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPredict scores as many rows.
func BenchmarkPredict(b *testing.B) {
	d := planted(rng(1), 16000, 300, 2)
	a, p := fit(b, 2, measure.Probe{Epochs: 1}, d, 2), nn.NewPool(2)
	for b.Loop() {
		a.Predict(p, d.X)
	}
}
