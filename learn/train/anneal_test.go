package train_test

import (
	"math"
	weakrand "math/rand/v2"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// TestAnneal checks the schedule: ε falls evenly in its logarithm and is what was
// asked for from the middle on.
func TestAnneal(t *testing.T) {
	p := mech.Params{Mechanism: "laplace-l1", Dim: 4, Epsilon: 2}
	for _, c := range []struct {
		anneal float64
		epoch  int
		want   float64
	}{
		{8, 0, 16}, {8, 5, 2 * math.Sqrt(8)}, {8, 10, 2}, {8, 19, 2}, {1, 0, 2}, {0, 0, 2},
	} {
		// What is sampled costs less than asked by what rounding gives away.
		if got, err := train.Annealed(c.anneal, p, c.epoch, 20); err != nil || !(math.Abs(got/c.want-1) < 1e-3) {
			t.Errorf("anneal %v, epoch %d: ε is %v, %v, want %v", c.anneal, c.epoch, got, err, c.want)
		}
	}
	for _, anneal := range []float64{0.5, -1, 1001, math.NaN(), math.Inf(1)} {
		s := settings(1)
		s.Anneal = anneal
		_, err := train.Fit(t.Context(), train.Noise{Training: s, Release: p}, plant(40, 1, 1, 1).Data, train.Options{Seed: 1})
		if err == nil || !strings.Contains(err.Error(), "anneal is") {
			t.Errorf("anneal %v: %v, want a refusal", anneal, err)
		}
	}
}

// TestAnnealedModel: a model that began with little noise is validated and
// released with all of it. At ε = 0.1 nobody is right on more than the limit and
// what chance adds, in the luckiest of all epochs too (Hoeffding, and as many
// comparisons as epochs); with the noise of the first epoch, ε = 100, the classes
// would be told in more than nine rows of ten.
func TestAnnealedModel(t *testing.T) {
	const epochs, epsilon = 6, 0.1
	d := plant(2000, 2, 2, 1)
	s := settings(epochs)
	s.Anneal = 1000
	release := mech.Params{Mechanism: "laplace-l1", Epsilon: epsilon}
	m := fit(t, train.Noise{Training: s, Release: release}, d, 1)
	if g := m.Guarantee(); g.Unit != dp.Text || !(g.Epsilon <= epsilon*(1+1e-6) && g.Epsilon >= epsilon*0.999) {
		t.Errorf("guarantee is %v, want ε = %v", g, epsilon)
	}
	ones := 0.0
	for _, row := range d.Validation {
		ones += float64(d.Y[row]) / float64(len(d.Validation))
	}
	limit, err := dp.AccuracyBound(epsilon, []float64{max(ones, 1-ones), min(ones, 1-ones)})
	if err != nil {
		t.Fatal(err)
	}
	if most := limit + math.Sqrt(math.Log(1e5*epochs)/(2*float64(len(d.Validation)))); m.Kept.Accuracy > most {
		t.Errorf("validation accuracy is %v, want at most %v: all of the noise", m.Kept.Accuracy, most)
	}
	s.Anneal = 0
	if string(weights(t, m)) == string(weights(t, fit(t, train.Noise{Training: s, Release: release}, d, 1))) {
		t.Error("annealing changed nothing")
	}
}

// TestSquash checks the layer before one-bit releases: within the limit, and with
// the gradient of its finite differences.
func TestSquash(t *testing.T) {
	layer, err := model.Normaliser(mech.Params{Mechanism: "bitrr", Variant: mech.OneBit, Dim: 4, Epsilon: 1})
	if err != nil {
		t.Fatal(err)
	}
	p := nn.NewPool(1)
	rng := weakrand.New(weakrand.NewPCG(2, 1))
	x := nn.NewMatrix(6, 4)
	for i := range x.Data {
		x.Data[i] = float32(rng.NormFloat64() * 4)
	}
	for i, y := range layer.Forward(p, nn.Train, x).Data {
		if want := 4 * math.Tanh(float64(x.Data[i])/4); math.Abs(float64(y)-want) > 1e-6 {
			t.Errorf("squashed number is %v, want %v", y, want)
		}
	}
	ones := nn.NewMatrix(6, 4)
	for i := range ones.Data {
		ones.Data[i] = 1
	}
	gradient := layer.Backward(p, ones)
	const h = 1. / 1024 // h²·f‴/6 and the rounding of y, 4·6e-8/h, are below 3e-4
	for i, v := range x.Data {
		up, down := nn.NewMatrix(1, 4), nn.NewMatrix(1, 4)
		up.Data[0], down.Data[0] = v+h, v-h
		high := float64(layer.Forward(p, nn.Train, up).Data[0])
		low := float64(layer.Forward(p, nn.Train, down).Data[0])
		if got, want := float64(gradient.Data[i]), (high-low)/(2*h); math.Abs(got-want) > 3e-4 {
			t.Errorf("gradient is %v, want %v", got, want)
		}
	}
}
