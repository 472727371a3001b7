package train_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/mech"
)

// planted is a table with a class and a group in it, and rows to score on.
type planted struct {
	train.Data
	test []int
}

// plant returns rows of unit Gaussians. Two columns are shifted by ±label
// according to the class, two others by ±group according to the group; the
// class is a fair coin, and so is the group. Half of the rows are for training,
// a quarter each for validating and scoring.
func plant(rows int, label, group float64, seed uint64) planted {
	const cols = 8
	rng := weakrand.New(weakrand.NewPCG(seed, 1))
	d := planted{Data: train.Data{X: nn.NewMatrix(rows, cols), Classes: 2, Groups: 2}}
	for i := range rows {
		y, z := rng.IntN(2), rng.IntN(2)
		x := d.X.Row(i)
		for j := range x {
			x[j] = float32(rng.NormFloat64())
		}
		for j := range 2 {
			x[j] += float32(label * float64(2*y-1))
			x[2+j] += float32(group * float64(2*z-1))
		}
		d.Y, d.Z = append(d.Y, y), append(d.Z, z)
		switch {
		case i < rows/2:
			d.Train = append(d.Train, i)
		case i < rows*3/4:
			d.Validation = append(d.Validation, i)
		default:
			d.test = append(d.test, i)
		}
	}
	return d
}

// small is a shape that trains in a moment.
func small() train.Shape {
	return train.Shape{Encoder: []int{16, 8}, Adversary: []int{8}}
}

func settings(epochs int) train.Training {
	return train.Training{Shape: small(), Epochs: epochs, Batch: 32, Rate: 0.005}
}

// methods returns one of each, with settings that make it quick.
func methods(epochs int) map[string]train.Method { return methodsOf(settings(epochs)) }

func methodsOf(t train.Training) map[string]train.Method {
	l1 := mech.Params{Mechanism: "laplace-l1", Epsilon: 20}
	return map[string]train.Method{
		"majority":      train.Majority{},
		"random":        train.Random{},
		"unconstrained": train.Unprotected{Training: t},
		"noise":         train.Noise{Training: t, Release: l1},
		"dpnr":          train.DPNR{Training: t, Release: mech.Params{Epsilon: 100}},
		"adversarial":   train.Adversarial{Training: t},
		"multiple":      train.Multiple{Training: t},
		"federate":      train.Federate{Training: t, Release: l1},
		"inlp":          train.INLP{Training: t, Iterations: 2},
		"ldpnn":         train.LDPNN{Hidden: []int{8}, Epochs: t.Epochs, Batch: t.Batch, Release: mech.Params{Mechanism: "bitrr", Epsilon: 60}},
		"privemb":       train.PrivEmb{Epochs: t.Epochs, Batch: t.Batch, Release: mech.Params{Epsilon: 20, Own: mech.PrivEmbParams{OutputDim: 4}}},
	}
}

func fit(t *testing.T, m train.Method, d planted, seed uint64) *model.Model {
	t.Helper()
	model, err := train.Fit(t.Context(), m, d.Data, train.Options{Seed: seed})
	if err != nil {
		t.Fatalf("%T: %v", m, err)
	}
	return model
}

// accuracy is that of a model's answers to released rows.
func accuracy(t *testing.T, m *model.Model, d planted, rows []int) float64 {
	t.Helper()
	p := nn.NewPool(1)
	y, err := m.Release(p, d.X, rows, model.SimulationKey(7))
	if err != nil {
		t.Fatal(err)
	}
	right := 0
	for i, c := range m.Predict(p, y, 7)[0] {
		if c == d.Y[rows[i]] {
			right++
		}
	}
	return float64(right) / float64(len(rows))
}

// weights returns the bytes of a model's weights, as saved.
func weights(t *testing.T, m *model.Model) []byte {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "model")
	if err := m.Save(dir, model.Manifest{}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, model.WeightsFile))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// excess is how far a share of n independent trials lies above its mean with
// probability 1e-5 at most (Hoeffding): exp(−2nt²) = 1e-5.
func excess(n int) float64 { return math.Sqrt(math.Log(1e5) / (2 * float64(n))) }

func TestSameBits(t *testing.T) {
	d := plant(1200, 1, 1, 1)
	s := settings(3)
	s.Batch = 250 // several blocks of rows, so that there is something to share
	for name, m := range methodsOf(s) {
		t.Run(name, func(t *testing.T) {
			var all [][]byte
			for _, o := range []train.Options{
				{Seed: 1}, {Seed: 1}, {Seed: 1, Pool: nn.NewPool(2)}, {Seed: 2}, {Seed: 1, Pool: nn.NewPool(5)},
			} {
				model, err := train.Fit(t.Context(), m, d.Data, o)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, weights(t, model))
			}
			if !bytes.Equal(all[0], all[1]) {
				t.Error("two runs of a seed differ")
			}
			if !bytes.Equal(all[0], all[2]) || !bytes.Equal(all[0], all[4]) {
				t.Error("one worker, two and five differ")
			}
			if constant := name == "majority" || name == "random"; bytes.Equal(all[0], all[3]) != constant {
				t.Errorf("two seeds are equal: %t, want %t", !constant, constant)
			}
		})
	}
}

func TestFitLeavesArguments(t *testing.T) {
	d := plant(200, 1, 1, 1)
	before := fmt.Sprint(d)
	for name, m := range methods(1) {
		was := fmt.Sprintf("%+v", m)
		fit(t, m, d, 1)
		if got := fmt.Sprintf("%+v", m); got != was {
			t.Errorf("%s: method is %s after Fit, want %s", name, got, was)
		}
	}
	if fmt.Sprint(d) != before {
		t.Error("Fit changed the data")
	}
}

// TestLambda checks the schedule against λ·(2/(1+e^{−7e/E}) − 1), computed by
// hand as λ·tanh(3.5·e/E).
func TestLambda(t *testing.T) {
	for _, c := range []struct {
		lambda        float64
		epoch, epochs int
		want          float64
	}{
		{1, 0, 30, 0},
		{1, 15, 30, 0.941375538}, // tanh 1.75
		{2.8, 15, 30, 2.635851508},
		{1, 29, 30, 0.997699596}, // tanh 3.38333…
		{0.3, 9, 45, 0.181310333},
		{1, 0, 1, 0},
	} {
		if got := train.Lambda(c.lambda, c.epoch, c.epochs); math.Abs(got-c.want) > 1e-8 {
			t.Errorf("λ = %v in epoch %d of %d is %.9f, want %.9f", c.lambda, c.epoch, c.epochs, got, c.want)
		}
	}
}

// TestAdversaryGradient compares what an adversary sends back with finite
// differences of its loss: −λ times the gradient, whatever keeps the
// adversaries apart, and nothing for rows whose group is unknown. Its own layers
// follow the loss and the push.
func TestAdversaryGradient(t *testing.T) {
	const rows, width, lambda, weight = 6, 3, 0.7, 0.5
	p := nn.NewPool(1)
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	r, push := nn.NewMatrix(rows, width), nn.NewMatrix(rows, 5)
	for _, m := range []nn.Matrix{r, push} {
		for i := range m.Data {
			m.Data[i] = float32(rng.NormFloat64())
		}
	}
	groups := []int{0, 1, 1, 0, 1, train.Unknown}
	a := train.NewAdversary(width, []int{5}, 2, lambda)
	known := func() float64 { // the loss that gradients belong to
		whole := a.Loss(p, r, groups) * rows
		last := a.Loss(p, r.Slice(rows-1, rows), []int{0})
		return (whole - last) / rows
	}
	pushed := func() float64 {
		sum := known()
		a.Loss(p, r, groups)
		for i, h := range a.Hidden().Data {
			sum += weight * float64(h) * float64(push.Data[i])
		}
		return sum
	}
	slope := func(v *float32, f func() float64) float64 {
		const step = 1e-2
		was := *v
		*v = was + step
		high := f()
		*v = was - step
		low := f()
		*v = was
		return (high - low) / (2 * step)
	}
	for _, with := range []nn.Matrix{{}, push} {
		a.Loss(p, r, groups)
		got := a.Backward(p, with, weight).Clone()
		var own []nn.Matrix
		for _, q := range a.Params() {
			own = append(own, q.Grad.Clone())
		}
		for i := range r.Data {
			// A float32 loss near 1 has an error of 6e-8·few, so the slope one of 1e-5.
			if want := -lambda * slope(&r.Data[i], known); math.Abs(float64(got.Data[i])-want) > 2e-3 {
				t.Errorf("push %t: gradient %d for the representation is %v, want %v", with.Data != nil, i, got.Data[i], want)
			}
		}
		f := known
		if with.Data != nil {
			f = pushed
		}
		for k, q := range a.Params() {
			for i := range q.Value.Data {
				if want := slope(&q.Value.Data[i], f); math.Abs(float64(own[k].Data[i])-want) > 2e-3 {
					t.Errorf("push %t: gradient %d of %s is %v, want %v", with.Data != nil, i, q.Name, own[k].Data[i], want)
				}
			}
		}
	}
	for _, v := range a.Backward(p, nn.Matrix{}, 0).Row(rows - 1) {
		if v != 0 {
			t.Errorf("a row of unknown group has gradient %v, want 0", v)
		}
	}
}

func TestDiverges(t *testing.T) {
	d := plant(200, 1, 1, 1)
	s := settings(3)
	s.Rate = 1e30
	for name, m := range map[string]train.Method{
		"unconstrained": train.Unprotected{Training: s},
		"noise":         train.Noise{Training: s, Release: mech.Params{Mechanism: "laplace-l1", Epsilon: 8}},
		"adversarial":   train.Adversarial{Training: s},
		"last step":     train.Unprotected{Training: train.Training{Shape: small(), Epochs: 1, Batch: 1000, Rate: 1e39}},
		"privemb":       train.PrivEmb{Epochs: 3, Rate: 1e38, Release: mech.Params{Epsilon: 20}},
	} {
		model, err := train.Fit(context.Background(), m, d.Data, train.Options{Seed: 1})
		if err == nil || !strings.Contains(err.Error(), "diverged") {
			t.Errorf("%s at an absurd rate: error is %v, want one that says so", name, err)
		}
		if model != nil {
			accuracy(t, model, d, d.test) // fails if what was kept is not finite
		}
	}
}

// TestDefaults checks what zero values mean: the weights are those of a training
// that says so.
func TestDefaults(t *testing.T) {
	d := plant(200, 1, 1, 1)
	s := settings(2)
	with := func(change func(*train.Training)) train.Training {
		c := s
		change(&c)
		return c
	}
	l1 := mech.Params{Mechanism: "laplace-l1", Epsilon: 8}
	bits := mech.Params{Mechanism: "bitrr", Epsilon: 60}
	for name, c := range map[string]struct {
		zero, same, other train.Method
	}{
		"dropout": {
			train.Unprotected{Training: s},
			train.Unprotected{Training: with(func(c *train.Training) { c.Dropout = 0.1 })},
			train.Unprotected{Training: with(func(c *train.Training) { c.Dropout = -1 })},
		},
		"rate": {
			train.Unprotected{Training: with(func(c *train.Training) { c.Rate = 0 })},
			train.Unprotected{Training: with(func(c *train.Training) { c.Rate = 0.001 })},
			train.Unprotected{Training: s},
		},
		"batch": {
			train.Unprotected{Training: with(func(c *train.Training) { c.Batch = 0 })},
			train.Unprotected{Training: with(func(c *train.Training) { c.Batch = 6 })}, // 100 rows in 16 steps
			train.Unprotected{Training: s},
		},
		"shape": {
			train.Adversarial{Training: train.Training{Epochs: 1}},
			train.Adversarial{Training: train.Training{Epochs: 1, Shape: train.Twitter()}},
			train.Adversarial{Training: train.Training{Epochs: 1, Shape: train.Bios()}},
		},
		"adversarial": {train.Adversarial{Training: s}, train.Adversarial{Training: s, Lambda: 1}, train.Adversarial{Training: s, Lambda: 2}},
		"federate":    {train.Federate{Training: s, Release: l1}, train.Federate{Training: s, Release: l1, Lambda: 1}, train.Federate{Training: s, Release: l1, Lambda: 2}},
		"multiple": {
			train.Multiple{Training: s},
			train.Multiple{Training: s, Lambda: 1, Adversaries: 3, Orthogonality: 0.1},
			train.Multiple{Training: s, Lambda: 1, Adversaries: 3, Orthogonality: 1},
		},
		"adversaries": {train.Multiple{Training: s}, train.Multiple{Training: s, Adversaries: 3}, train.Multiple{Training: s, Adversaries: 2}},
		"inlp":        {train.INLP{Training: s}, train.INLP{Training: s, Iterations: 5}, train.INLP{Training: s, Iterations: 1}},
		"ldpnn": {
			train.LDPNN{Epochs: 1, Release: bits},
			train.LDPNN{Epochs: 1, Release: bits, Hidden: []int{128}, Dropout: 0.5, Batch: 32, Rate: 0.01},
			train.LDPNN{Epochs: 1, Release: bits, Hidden: []int{}},
		},
		"privemb": {
			train.PrivEmb{Epochs: 2, Release: mech.Params{Epsilon: 8}},
			train.PrivEmb{Epochs: 2, Rate: 0.01, Batch: 6, Release: mech.Params{Mechanism: "privemb", Variant: mech.Orthonormal, Epsilon: 8, Own: mech.PrivEmbParams{OutputDim: 8}}},
			train.PrivEmb{Epochs: 2, Release: mech.Params{Epsilon: 8, Own: mech.PrivEmbParams{OutputDim: 7}}},
		},
		"dpnr": {
			train.DPNR{Training: s, Release: mech.Params{Epsilon: 8}},
			train.DPNR{Training: s, Release: mech.Params{Mechanism: "dpnr", Variant: mech.AsStated, Epsilon: 8, Dim: 8}},
			train.DPNR{Training: s, Release: mech.Params{Variant: mech.Paper, Epsilon: 8}},
		},
	} {
		want := weights(t, fit(t, c.zero, d, 1))
		if !bytes.Equal(weights(t, fit(t, c.same, d, 1)), want) {
			t.Errorf("%s: the default is not what it should be", name)
		}
		if bytes.Equal(weights(t, fit(t, c.other, d, 1)), want) {
			t.Errorf("%s: another setting changes nothing", name)
		}
	}
	for name, c := range map[string]struct {
		method train.Method
		epochs int
	}{
		"unconstrained": {train.Unprotected{Training: train.Training{Shape: small()}}, 30},
		"noise":         {train.Noise{Training: train.Training{Shape: small()}, Release: l1}, 45},
		"ldpnn":         {train.LDPNN{Hidden: []int{}, Release: bits}, 50},
		"privemb":       {train.PrivEmb{Release: mech.Params{Epsilon: 8}}, 30},
	} {
		if got := fit(t, c.method, d, 1).Kept.Epochs; got != c.epochs {
			t.Errorf("%s: epochs are %d, want %d", name, got, c.epochs)
		}
	}
}

// TestGradient compares the gradient of every weight in one step, through
// adversary, noise and normalisation, with finite differences: the encoder
// follows the classifier's loss less λ times the mean of the adversaries', everything else
// its own loss.
func TestGradient(t *testing.T) {
	d := plant(24, 1, 1, 1)
	d.Train, d.Validation = d.Train[:6], d.Train[6:7]
	for name, release := range map[string]*mech.Params{
		"bare": nil,
		"l1":   {Mechanism: "laplace-l1", Epsilon: 50, Dim: 4},
		"l2":   {Mechanism: "laplace-l2", Epsilon: 50, Dim: 4},
		"dpnr": {Mechanism: "dpnr", Epsilon: 50, Dim: 4},
	} {
		const lambda, adversaries = 0.6, 2
		l, err := train.NewLearner(d.Data, []int{5, 4}, release, lambda, adversaries)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Step(); err != nil {
			t.Fatal(err)
		}
		var params []nn.Param
		for _, q := range l.Params() {
			q.Grad = q.Grad.Clone()
			params = append(params, q)
		}
		wrong := 0
		for _, q := range params {
			for i := range q.Value.Data {
				const step = 2e-4
				was := q.Value.Data[i]
				q.Value.Data[i] = was + step
				highOwn, highOthers := l.Losses()
				q.Value.Data[i] = was - step
				lowOwn, lowOthers := l.Losses()
				q.Value.Data[i] = was
				own, others := (highOwn-lowOwn)/(2*step), (highOthers-lowOthers)/(2*step)
				want := own + others
				if strings.HasPrefix(q.Name, "encoder") {
					want = own - lambda/adversaries*others
				}
				if got := float64(q.Grad.Data[i]); math.Abs(got-want) > 2e-3+0.02*math.Abs(want) {
					wrong++
					t.Logf("%s: gradient %d of %s is %v, want %v", name, i, q.Name, got, want)
				}
			}
		}
		// ReLU has a kink, and some weight may lie at one.
		if wrong > 2 {
			t.Errorf("%s: %d gradients are wrong", name, wrong)
		}
	}
}
