package train_test

import (
	"bytes"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/mech"
	"sotto/promise/noise"
)

func release(t *testing.T, m *model.Model, x nn.Matrix, rows []int, seed uint64) []float32 {
	t.Helper()
	y, err := m.Release(nn.NewPool(2), x, rows, model.SimulationKey(seed))
	if err != nil {
		t.Fatal(err)
	}
	if y.Rows != len(rows) || y.Cols != m.Dim() {
		t.Fatalf("release is %d×%d, want %d×%d", y.Rows, y.Cols, len(rows), m.Dim())
	}
	return y.Data
}

func all(n int) []int {
	rows := make([]int, n)
	for i := range rows {
		rows[i] = i
	}
	return rows
}

func TestRelease(t *testing.T) {
	d := plant(2400, 1, 1, 1) // more than pass through the layers at a time
	rows := all(2400)
	for name, h := range methods(1) {
		t.Run(name, func(t *testing.T) {
			m := fit(t, h, d, 1)
			_, protects := m.Statement()
			y := release(t, m, d.X, rows, 1)
			if !slices.Equal(y, release(t, m, d.X, rows, 1)) {
				t.Error("two releases under one key differ")
			}
			if slices.Equal(y, release(t, m, d.X, rows, 2)) == protects {
				t.Errorf("releases under two keys are equal: %t, want %t", protects, !protects)
			}
			one, err := m.Release(nn.NewPool(1), d.X, rows, model.SimulationKey(1))
			if err != nil || !slices.Equal(one.Data, y) {
				t.Errorf("one worker and two differ (%v)", err)
			}
			// The noise of a row depends on its place alone: the first rows of a
			// longer list are released alike, whatever is behind them.
			for _, n := range []int{1, 63, 64, 65, 2047, 2048, 2049} {
				if part := release(t, m, d.X, rows[:n], 1); !slices.Equal(part, y[:n*m.Dim()]) {
					t.Errorf("the first %d rows alone are released differently", n)
				}
			}
			if len(release(t, m, d.X, nil, 1)) != 0 {
				t.Error("no rows have a release")
			}
			// The same row at two places has noise of its own at each, also in
			// another block and another batch.
			same := release(t, m, d.X, slices.Repeat([]int{5}, 2200), 1)
			dim := m.Dim()
			for _, at := range []int{1, 64, 2048, 2112} {
				if equal := slices.Equal(same[:dim], same[at*dim:(at+1)*dim]); equal == protects {
					t.Errorf("places 0 and %d have the same release: %t", at, equal)
				}
			}
		})
	}
}

func TestReleaseFaults(t *testing.T) {
	d := plant(100, 1, 1, 1)
	m := fit(t, train.Noise{Training: settings(1), Release: mech.Params{Mechanism: "laplace-l1", Epsilon: 8}}, d, 1)
	p := nn.NewPool(1)
	if _, err := m.Release(p, d.X, d.test, []byte("too short")); err == nil || !strings.Contains(err.Error(), "16") {
		t.Errorf("short key: error is %v, want one that asks for 16 bytes", err)
	}
	bad := d.X.Clone()
	bad.Row(70)[3] = float32(math.Inf(1))
	for name, h := range methods(1) {
		m = fit(t, h, d, 1)
		y, err := m.Release(p, bad, all(100), model.SimulationKey(1))
		if constant := m.Architecture().Constant != ""; (err == nil) != constant {
			t.Errorf("%s: infinity in row 70: error is %v", name, err)
		} else if !constant && (y.Data != nil || !strings.Contains(err.Error(), "row 70")) {
			t.Errorf("%s: infinity in row 70: %d numbers are released with error %v", name, len(y.Data), err)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("rows of another width are released")
		}
	}()
	_, _ = m.Release(p, nn.NewMatrix(1, 3), []int{0}, model.SimulationKey(1))
}

// TestAnyClass checks that guesses are uniform: the share of each of 5 classes
// among 50,000 guesses is within excess of 1/5. Both sides of 5 classes make a
// false failure ten times as likely as on one side, so the bound is that for
// 1e-6: √(ln 1e6/(2n)).
func TestAnyClass(t *testing.T) {
	d := plant(100, 1, 1, 1)
	d.Classes = 5
	m := fit(t, train.Random{}, d, 1)
	const n = 50_000
	guesses := m.Predict(nn.NewPool(1), nn.NewMatrix(n, 0), 1)[0]
	counts := make([]int, 5)
	for _, c := range guesses {
		counts[c]++
	}
	for c, k := range counts {
		if bound := math.Sqrt(math.Log(1e6) / (2 * n)); math.Abs(float64(k)/n-0.2) > bound {
			t.Errorf("class %d is guessed %d times of %d, want a share of 0.2 ± %v", c, k, n, bound)
		}
	}
	if slices.Equal(guesses, m.Predict(nn.NewPool(1), nn.NewMatrix(n, 0), 2)[0]) {
		t.Error("two seeds have the same guesses")
	}
	if !slices.Equal(guesses, m.Predict(nn.NewPool(1), nn.NewMatrix(n, 0), 1)[0]) {
		t.Error("a seed has two lists of guesses")
	}
}

func TestConstantModels(t *testing.T) {
	d := plant(100, 1, 1, 1)
	for _, h := range []train.Method{train.Majority{}, train.Random{}} {
		m := fit(t, h, d, 1)
		if m.Dim() != 0 || len(release(t, m, d.X, d.test, 1)) != 0 {
			t.Errorf("%T: %d numbers are released, want none", h, m.Dim())
		}
		scores := m.Logits(nn.NewPool(1), nn.NewMatrix(3, 0))
		if scores.Rows != 3 || scores.Cols != 2 || (scores.Data[0] == scores.Data[1]) != (h == train.Random{}) {
			t.Errorf("%T: scores are %v", h, scores)
		}
	}
}

// TestOwnMemory checks that nothing a caller holds can change a model, nor one
// clone another.
func TestOwnMemory(t *testing.T) {
	d := plant(200, 1, 1, 1)
	s := settings(1)
	s.Standardise = true
	h := train.Federate{Training: s, Release: mech.Params{Mechanism: "laplace-l1", Epsilon: 8}}
	m := fit(t, h, d, 1)
	before, want := release(t, m, d.X, d.test, 1), weights(t, m)
	a := m.Architecture()
	a.Release.Epsilon, a.Encoder[0], a.Classifier[0] = 1, 1, 1
	h.Encoder[1] = 3
	c := m.Clone()
	if !bytes.Equal(weights(t, c), want) || c.Kept != m.Kept {
		t.Error("a clone differs")
	}
	for name, x := range c.Tensors() {
		if strings.HasPrefix(name, "classifier.") {
			clear(x.Data)
		}
	}
	release(t, c, d.X, d.Train, 2)
	if got := m.Architecture(); got.Release.Epsilon != 8 || got.Encoder[0] != 16 || got.Encoder[1] != 8 || got.Classifier[0] != 2 {
		t.Errorf("architecture was changed from outside: %+v", got)
	}
	if g := m.Clone().Guarantee(); math.Abs(float64(g.Epsilon)-8) > 1e-3 {
		t.Errorf("guarantee of a clone is %v, want ε = 8", g)
	}
	if !slices.Equal(release(t, m, d.X, d.test, 1), before) || !bytes.Equal(weights(t, m), want) {
		t.Error("a clone changed the model")
	}
}

// TestFront checks that a model taken apart before its last layer and put
// together again has the same scores, up to the rounding of float32 in sums of
// some hundred terms.
func TestFront(t *testing.T) {
	d := plant(300, 1, 1, 1)
	p := nn.NewPool(1)
	for name, shape := range map[string]train.Shape{
		"twitter":     train.Twitter(),
		"bios":        train.Bios(),
		"one layer":   {Encoder: []int{5}},
		"one hidden":  {Encoder: []int{5}, Classifier: []int{7}},
		"many hidden": {Encoder: []int{5, 6}, Classifier: []int{7, 4, 3}},
	} {
		for _, standardise := range []bool{false, true} {
			m := fit(t, train.Unprotected{Training: train.Training{Shape: shape, Epochs: 2, Standardise: standardise}}, d, 1)
			y, err := m.Release(p, d.X, d.test, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := m.Logits(p, y)
			front := m.Front()
			hidden, err := front.Release(p, d.X, d.test, nil)
			if err != nil {
				t.Fatal(err)
			}
			near(t, name+": last layer on the front", lastLayer(m).Forward(p, nn.Infer, hidden), want)
			one := nn.NewMatrix(hidden.Cols, hidden.Cols)
			for i := range hidden.Cols {
				one.Row(i)[i] = 1
			}
			again, err := front.With(one, lastLayer(m), model.Progress{}, 2)
			if err != nil {
				t.Fatal(err)
			}
			if y, err = again.Release(p, d.X, d.test, nil); err != nil {
				t.Fatal(err)
			}
			near(t, name+": put together again", again.Logits(p, y), want)
		}
	}
}

// lastLayer returns a copy of the classifier's last layer.
func lastLayer(m *model.Model) *nn.Dense {
	last := len(m.Architecture().Classifier) - 1
	weight := m.Tensors()[fmt.Sprintf("classifier.%d.weight", last)]
	d := nn.NewDense(weight.Rows, weight.Cols, weakrand.New(weakrand.NewPCG(0, 0)))
	copy(d.Params()[0].Value.Data, weight.Data)
	copy(d.Params()[1].Value.Data, m.Tensors()[fmt.Sprintf("classifier.%d.bias", last)].Data)
	return d
}

// near compares matrices with a tolerance of 1e-4 of the largest number, which
// is 1,700 units of float32: more than the sums of 300 products in four layers
// can differ by.
func near(t *testing.T, what string, got, want nn.Matrix) {
	t.Helper()
	if got.Rows != want.Rows || got.Cols != want.Cols {
		t.Fatalf("%s: %d×%d, want %d×%d", what, got.Rows, got.Cols, want.Rows, want.Cols)
	}
	size := 0.0
	for _, v := range want.Data {
		size = max(size, math.Abs(float64(v)))
	}
	for i := range want.Data {
		if !(math.Abs(float64(got.Data[i]-want.Data[i])) <= 1e-4*size) {
			t.Fatalf("%s: element %d is %v, want %v", what, i, got.Data[i], want.Data[i])
		}
	}
}

// TestNormaliser checks that the mean of a mechanism's releases is what its
// layer gives, so that gradients pass through both as through the layer alone.
// The mean of 100 or more is close to normal, with n^−½ of the deviation of a
// release, and 7 times that is exceeded by one of 300 numbers with a
// probability far below 1e-5 (300·2.6e-12 if it were normal).
func TestNormaliser(t *testing.T) {
	const dim = 50
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	x := nn.NewMatrix(1, dim)
	for j := range x.Data {
		x.Data[j] = float32(3 + 2*rng.NormFloat64())
	}
	for _, c := range []struct {
		mechanism, variant string
		epsilon            float64
		deviation          float64 // of the noise of a number
		n                  int
	}{
		{"laplace-l1", mech.Paper, 1e4, math.Sqrt2 * 2 / 1e4, 100},
		{"laplace-l1", mech.Released, 1e4, math.Sqrt2 * 2 / 1e4, 100},
		{"laplace-l2", mech.AsStated, 1e5, 2 * math.Sqrt(dim+1) / 1e5, 100},
		{"gaussian", mech.AsStated, 12, 0.6, 10_000}, // larger ε are outside of its sampler's grid
		{"dpnr", mech.Paper, 1e4, math.Sqrt2 / 1e4, 100},
		{"dpnr", mech.AsStated, 1e5, math.Sqrt2 * dim / 1e5, 100},
	} {
		m, err := mech.New(mech.Params{Mechanism: c.mechanism, Variant: c.variant, Epsilon: c.epsilon, Dim: dim})
		if err != nil {
			t.Fatal(err)
		}
		layer, err := model.Normaliser(m.Params())
		if err != nil {
			t.Fatal(err)
		}
		want := layer.Forward(nn.NewPool(1), nn.Infer, x)
		in, got := make([]float64, dim), make([]float64, dim)
		for j, v := range x.Data {
			in[j] = float64(v)
		}
		source := noise.Derive(model.SimulationKey(1), c.mechanism)
		for range c.n {
			y, err := m.Privatize(in, source)
			if err != nil {
				t.Fatal(err)
			}
			for j, v := range y {
				got[j] += v / float64(c.n)
			}
		}
		for j, bound := range slices.Repeat([]float64{7 * c.deviation / math.Sqrt(float64(c.n))}, dim) {
			if !(math.Abs(got[j]-float64(want.Data[j])) <= bound) {
				t.Errorf("%s %s: mean of coordinate %d is %v, want %v ± %v", c.mechanism, c.variant, j, got[j], want.Data[j], bound)
				break
			}
		}
	}
}

// TestScalingIsUsed checks that LDPNN releases a vector and four times that
// vector alike: a power of two rounds nothing, and a z-score removes it.
func TestScalingIsUsed(t *testing.T) {
	d := plant(100, 1, 1, 1)
	m := fit(t, train.LDPNN{Epochs: 1, Release: mech.Params{Mechanism: "bitrr", Epsilon: 1e4}}, d, 1)
	larger := d.X.Clone()
	for i := range larger.Data {
		larger.Data[i] *= 4
	}
	if got := m.Architecture().Scaling; got != model.ZScore {
		t.Errorf("scaling is %q, want %q", got, model.ZScore)
	}
	if !slices.Equal(release(t, m, d.X, d.test, 1), release(t, m, larger, d.test, 1)) {
		t.Error("the length of a vector makes a difference")
	}
}
