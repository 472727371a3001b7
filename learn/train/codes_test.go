package train_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sotto/compute/channel"
	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

func codes(epsilon float64, selected, dim int) train.Codes {
	return train.Codes{Training: settings(4), Release: mech.Params{Epsilon: epsilon, Dim: dim, Own: mech.CodesParams{Selected: selected}}}
}

// coding is a release of codes, with the weights of its labels and the most codes
// that there may be, 0 for any number.
type coding struct {
	method  train.Method
	data    planted
	weights []float64
	epsilon float64
	most    int
}

// coded lists releases of codes: of one label and of two, of equal weights and
// others.
func coded() map[string]coding {
	one, two := plant(2000, 0.8, 0.6, 1), second(plant(2000, 0.8, 0.6, 1), 0, false)
	heavy := second(plant(2000, 0.8, 0.6, 1), 3, false)
	return map[string]coding{
		"one label":            {codes(1, 0, 0), one, []float64{1}, 1, 0},
		"two labels":           {codes(2, 0, 0), two, []float64{0.5, 0.5}, 2, 0},
		"two labels, weighted": {codes(0.5, 0, 0), heavy, []float64{0.25, 0.75}, 0.5, 0},
		"two selected":         {codes(1, 2, 0), two, []float64{0.5, 0.5}, 1, 0},
		"few codes":            {codes(3, 0, 2), two, []float64{0.5, 0.5}, 3, 2},
		"label":                {train.Label{Training: settings(4), Release: mech.Params{Epsilon: 1}}, one, []float64{1}, 1, 0},
		"fair":                 {fairCodes(1), one, []float64{1}, 1, 0},
		"fair, two labels":     {fairCodes(3), heavy, []float64{0.25, 0.75}, 3, 0},
		"fair, little ε":       {fairCodes(1e-5), two, []float64{0.5, 0.5}, 1e-5, 0},
		"no ε to speak of":     {codes(1e-5, 0, 0), two, []float64{0.5, 0.5}, 1e-5, 0},
	}
}

// TestCodesAreExpected releases the validation rows many times. The mean over
// releases is the accuracy that the model was chosen by, but for chance: the
// shares of right labels of rows × draws releases are independent and in [0, 1],
// so their mean is off by more than √(ln(2·10⁵)/2n) with probability 10⁻⁵ at most
// (Hoeffding). The codes' own law is exact.
func TestCodesAreExpected(t *testing.T) {
	const draws = 60
	for name, c := range coded() {
		t.Run(name, func(t *testing.T) {
			m := fit(t, c.method, c.data, 1)
			checkGuarantee(t, m, c.epsilon)
			if weighted := slices.Max(c.weights) > slices.Min(c.weights); (m.Architecture().Importance != nil) != weighted {
				t.Errorf("importance is %v, want it where labels count differently", m.Architecture().Importance)
			}
			if most := c.most; most > 0 && m.Dim() > most {
				t.Errorf("there are %d codes, want at most %d", m.Dim(), most)
			}
			if got := lawful(t, m, c.data, c.weights); math.Abs(got-m.Kept.Accuracy) > 1e-6 {
				t.Errorf("accuracy by the law is %v, want the expected %v", got, m.Kept.Accuracy)
			}
			mean := 0.0
			for key := range uint64(draws) {
				mean += rightShare(t, m, c.data, c.data.Validation, c.weights, key+1) / draws
			}
			off := math.Sqrt(math.Log(2e5) / (2 * draws * float64(len(c.data.Validation))))
			if math.Abs(mean-m.Kept.Accuracy) > off {
				t.Errorf("simulated accuracy is %v, want the expected %v ± %v", mean, m.Kept.Accuracy, off)
			}
		})
	}
}

// lawful is the accuracy on the validation rows over everything that a model can
// release: what it answers to each code, by how likely that is.
func lawful(t *testing.T, m *model.Model, d planted, weights []float64) float64 {
	t.Helper()
	p := nn.NewPool(1)
	law, coded, err := m.Law(p, d.X, d.Validation)
	if err != nil || !coded || law.Cols != m.Dim() {
		t.Fatalf("Law is %d wide, %t, %v, want %d codes", law.Cols, coded, err, m.Dim())
	}
	each := nn.NewMatrix(m.Dim(), m.Dim())
	for c := range m.Dim() {
		each.Row(c)[c] = 1
	}
	labels := [][]int{d.Y}
	for _, more := range d.More {
		labels = append(labels, more.Y)
	}
	share := 0.0
	for l, answers := range m.Predict(p, each, 1) {
		for i, row := range d.Validation {
			sum := 0.0
			for c, likely := range law.Row(i) {
				sum += float64(likely)
				if answers[c] == labels[l][row] {
					share += weights[l] * float64(likely) / float64(len(d.Validation))
				}
			}
			if math.Abs(sum-1) > 1e-6 {
				t.Errorf("the law of row %d sums to %v, want 1", row, sum)
			}
		}
	}
	return share
}

// checkGuarantee: the ε of a model is the mechanism's, at most what was asked
// for, and but for rounding all of it.
func checkGuarantee(t *testing.T, m *model.Model, epsilon float64) {
	t.Helper()
	a, g := m.Architecture(), m.Guarantee()
	own, err := mech.New(*a.Release)
	if err != nil {
		t.Fatal(err)
	}
	if want := own.Guarantee(); g.String() != want.String() {
		t.Errorf("guarantee is %v, want the mechanism's %v", g, want)
	}
	if !(float64(g.Epsilon) <= epsilon*(1+1e-12) && float64(g.Epsilon) >= epsilon*(1-1e-6)) || g.Unit != dp.Text || g.Delta != 0 {
		t.Errorf("guarantee is %v, want ε = %v and no more", g, epsilon)
	}
	if st, ok := m.Statement(); !ok || !st.Honest() || st.True != g.Epsilon || float64(st.Claimed) != epsilon {
		t.Errorf("statement is %+v, want an honest one of ε = %v", st, epsilon)
	}
	if len(a.Answers) != m.Dim() || m.Dim() < 2 {
		t.Errorf("there are %d answers and %d codes, want as many", len(a.Answers), m.Dim())
	}
}

// TestLabelIsCodes: of two balanced classes randomised response is the best, so
// that codes are the same but for what Solve leaves, 3e-4 of the value. A channel is
// a point of a triangle: randomised response and the two constant answers. The
// value is linear in it, and with posteriors as sure as here the constant answers
// are 0.4·(E−1)/(E+1) or more below, at least 0.098. So a channel lies at most
// 3e-4/0.098 of the way towards them, and as their accuracy differs by half at most,
// its own does by 1.6e-3.
func TestLabelIsCodes(t *testing.T) {
	d := plant(2000, 1, 1, 1)
	for _, epsilon := range []float64{0.5, 1, 4} {
		label := fit(t, train.Label{Training: settings(4), Release: mech.Params{Epsilon: epsilon}}, d, 1)
		best := fit(t, codes(epsilon, 0, 0), d, 1)
		if a, b := label.Kept.Accuracy, best.Kept.Accuracy; math.Abs(a-b) > 1.6e-3 {
			t.Errorf("ε = %v: label has %v and codes %v, want the same", epsilon, a, b)
		}
		if label.Dim() != 2 || best.Dim() != 2 {
			t.Errorf("ε = %v: label has %d codes and codes %d, want 2 each", epsilon, label.Dim(), best.Dim())
		}
	}
}

// TestLabelLeavesOutClasses: of four classes at a small ε, the two commonest are
// worth more than all.
func TestLabelLeavesOutClasses(t *testing.T) {
	d := plant(2000, 2, 2, 1)
	d.Y = slices.Clone(d.Y)
	for i := range d.Y {
		if i%8 == 0 { // rare, and nobody can tell which
			d.Y[i] = 2 + i/8%2
		}
	}
	d.Classes = 4
	m := fit(t, train.Label{Training: settings(4), Release: mech.Params{Epsilon: 1}}, d, 1)
	if got := m.Architecture().Answers; len(got) != 2 || got[0][0]+got[1][0] != 1 {
		t.Errorf("answers are %v, want the two commonest classes", got)
	}
}

// TestCodesLimit: nobody tells a label better than ε allows (see TestLimit).
func TestCodesLimit(t *testing.T) {
	d := second(plant(4000, 2, 2, 1), 0, false)
	for _, method := range []train.Method{codes(0.5, 0, 0), codes(0.5, 1, 0), codes(0.5, 2, 0)} {
		m := fit(t, method, d, 1)
		for l, labels := range [][]int{d.Y, d.More[0].Y} {
			ones := 0.0
			for _, row := range d.test {
				ones += float64(labels[row]) / float64(len(d.test))
			}
			limit, err := dp.AccuracyBound(m.Guarantee().Epsilon, []float64{max(ones, 1-ones), min(ones, 1-ones)})
			if err != nil {
				t.Fatal(err)
			}
			weights := []float64{0, 0}
			weights[l] = 1
			if got := rightShare(t, m, d, d.test, weights, 5); got > limit+excess(len(d.test)) {
				t.Errorf("%+v: label %d is told in %v, want at most %v", method, l+1, got, limit)
			}
		}
	}
}

func TestCodesRefuse(t *testing.T) {
	d := plant(200, 1, 1, 1)
	release := func(p mech.Params) train.Method { return train.Codes{Training: settings(1), Release: p} }
	label := func(p mech.Params) train.Method { return train.Label{Training: settings(1), Release: p} }
	for name, c := range map[string]struct {
		method train.Method
		want   string
	}{
		"no ε":              {release(mech.Params{}), "epsilon"},
		"negative ε":        {release(mech.Params{Epsilon: -1}), "epsilon"},
		"NaN ε":             {release(mech.Params{Epsilon: math.NaN()}), "epsilon"},
		"mechanism":         {release(mech.Params{Mechanism: "krr", Epsilon: 1}), `mechanism is "krr"`},
		"weights":           {release(mech.Params{Epsilon: 1, Own: mech.CodesParams{Weights: []float64{.5, .5}}}), "without weights"},
		"negative dim":      {release(mech.Params{Epsilon: 1, Dim: -1}), "dim"},
		"one code":          {release(mech.Params{Epsilon: 1, Dim: 1}), "dim"},
		"negative selected": {release(mech.Params{Epsilon: 1, Own: mech.CodesParams{Selected: -1}}), "selected"},
		"selected of few":   {release(mech.Params{Epsilon: 1, Dim: 2, Own: mech.CodesParams{Selected: 2}}), "selected"},
		"selected of all":   {release(mech.Params{Epsilon: 1, Own: mech.CodesParams{Selected: 2}}), "selected is 2 of 2"},
		"label dim":         {label(mech.Params{Epsilon: 1, Dim: 2}), "must leave both"},
		"label selected":    {label(mech.Params{Epsilon: 1, Own: mech.CodesParams{Selected: 2}}), "must leave both"},
		"label ε":           {label(mech.Params{}), "epsilon"},
	} {
		if _, err := train.Fit(t.Context(), c.method, d.Data, train.Options{Seed: 1}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error with %q", name, err, c.want)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for _, method := range []train.Method{codes(1, 0, 0), label(mech.Params{Epsilon: 1}), train.TrustedSide{Training: settings(1)}} {
		if m, err := train.Fit(ended, method, d.Data, train.Options{Seed: 1}); m != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%T after the end: %v, %v, want %v", method, m, err, context.Canceled)
		}
	}
}

// TestCodesSameBits: two seeds differ, numbers of workers and stops do not.
func TestCodesSameBits(t *testing.T) {
	d := second(plant(320, 1, 1, 1), 0, true)
	for name, method := range map[string]train.Method{"codes": codes(1, 0, 0), "selected": codes(1, 1, 0), "fair": fairCodes(1), "plain": train.TrustedSide{Training: settings(4)}} {
		var all [][]byte
		for _, o := range []train.Options{{Seed: 1}, {Seed: 1, Pool: nn.NewPool(3)}, {Seed: 2}} {
			m, err := train.Fit(t.Context(), method, d.Data, o)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, weights(t, m))
		}
		ctx, cancel := context.WithCancel(t.Context())
		var state *train.State
		if m, err := train.Fit(ctx, method, d.Data, train.Options{Seed: 1, Save: func(s *train.State) error {
			state = s
			if s.Epoch == 2 {
				cancel()
			}
			return nil
		}}); err == nil {
			t.Errorf("%s: stopped training gave %v, want an error", name, m)
		}
		m, err := train.Fit(t.Context(), method, d.Data, train.Options{Seed: 1, Resume: state})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(all[0], all[1]) || !bytes.Equal(all[0], weights(t, m)) || bytes.Equal(all[0], all[2]) {
			t.Errorf("%s: workers, stops or seeds: the weights are not what they should be", name)
		}
	}
}

// released is what a model releases and says of it.
func released(t *testing.T, m *model.Model, d planted) (nn.Matrix, nn.Matrix) {
	t.Helper()
	p := nn.NewPool(1)
	y, err := m.Release(p, d.X, d.test, model.SimulationKey(9))
	if err != nil {
		t.Fatal(err)
	}
	return y, m.Logits(p, y)
}

// TestCodesAreKept saves, loads and clones models of codes and of several labels.
func TestCodesAreKept(t *testing.T) {
	two := second(plant(600, 1, 1, 1), 3, false)
	for name, method := range map[string]train.Method{"codes": codes(1, 0, 0), "selected": codes(1, 2, 0), "plain": train.TrustedSide{Training: settings(2)}} {
		m := fit(t, method, two, 1)
		dir := filepath.Join(t.TempDir(), "model")
		if err := m.Save(dir, model.Manifest{Method: name}); err != nil {
			t.Fatal(err)
		}
		loaded, info, err := model.Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		y, scores := released(t, m, two)
		for kind, other := range map[string]*model.Model{"loaded": loaded, "cloned": m.Clone()} {
			y2, scores2 := released(t, other, two)
			if !slices.Equal(y.Data, y2.Data) || !slices.Equal(scores.Data, scores2.Data) {
				t.Errorf("%s: the %s model releases something else", name, kind)
			}
			if other.Kept != m.Kept || other.Guarantee().String() != m.Guarantee().String() || other.Dim() != m.Dim() {
				t.Errorf("%s: the %s model is %+v, %v, want %+v, %v", name, kind, other.Kept, other.Guarantee(), m.Kept, m.Guarantee())
			}
		}
		if (info.Guarantee != nil) != (name != "plain") {
			t.Errorf("%s: guarantee is %v", name, info.Guarantee)
		}
	}
	if _, coded, err := fit(t, train.TrustedSide{Training: settings(1)}, two, 1).Law(nn.NewPool(1), two.X, two.test); coded || err != nil {
		t.Errorf("Law of a model without codes: %t, %v, want none", coded, err)
	}
	m := fit(t, codes(1, 0, 0), two, 1)
	a := m.Architecture()
	a.Answers[0][0], a.Importance[0], weightsOf(a)[0] = 7, 7, 7 // a copy
	if b := m.Clone().Architecture(); b.Answers[0][0] == 7 || b.Importance[0] == 7 || weightsOf(b)[0] == 7 {
		t.Error("what a model says of itself can be changed from outside")
	}
}

func weightsOf(a model.Architecture) []float64 {
	return mech.OwnOf[mech.CodesParams](*a.Release).Weights
}

// TestChangedCodes refuses folders in which somebody changed what codes mean or
// how likely they are.
func TestChangedCodes(t *testing.T) {
	d := second(plant(600, 1, 1, 1), 3, false)
	m := fit(t, codes(1, 0, 0), d, 1)
	first := weightsOf(m.Architecture())
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	for name, c := range map[string]struct{ from, to, want string }{
		"class":       {`"answers":[[0,`, `"answers":[[2,`, "class 2"},
		"negative":    {`"answers":[[0,`, `"answers":[[-1,`, "class -1"},
		"answer more": {`"answers":[[`, `"answers":[[0,0],[`, "must take the representation's"},
		"labels":      {`"answers":[[0,`, `"answers":[[0,0,`, "has 3 classes"},
		"none":        {`"more":[2],"answers":`, `"more":[2],"importance":[0.5,0.5],"other":`, "unknown field"},
		"importance":  {`"importance":[0.25,`, `"importance":[0,`, "importance of a label is 0"},
		"more":        {`"importance":[0.25,`, `"importance":[1.5,`, "importance of a label is 1.5"},
		"three":       {`"importance":[`, `"importance":[0.5,`, "importance has 3 numbers"},
		"epsilon":     {`"epsilon":1`, `"epsilon":0.9`, "another guarantee"},
		"sum":         {`"epsilon":1`, `"epsilon":0.1`, "weights of codes sum to"},
		"weight":      {`"weights":[` + number(first[0]), `"weights":[` + number(first[0]*0.99), "another guarantee"},
		"no weight":   {`"weights":[` + number(first[0]), `"weights":[0`, "weight 0 of codes is 0"},
	} {
		dir := filepath.Join(t.TempDir(), "model")
		if err := m.Save(dir, model.Manifest{}); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, model.ManifestFile)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, content); err != nil {
			t.Fatal(err)
		}
		before := compact.String()
		after := strings.Replace(before, c.from, c.to, 1)
		if before == after {
			t.Fatalf("%s: nothing to change", name)
		}
		if err := os.WriteFile(path, []byte(after), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := model.Load(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Load = %v, want an error with %q", name, err, c.want)
		}
	}
}

// TestManyAnswers: labels with more combinations than a channel has answers are
// served by the commonest of them.
func TestManyAnswers(t *testing.T) {
	d := plant(600, 2, 2, 1)
	for range 10 {
		d.More = append(d.More, train.Target{Y: d.Z, Classes: 2})
	}
	m := fit(t, codes(4, 1, 0), d, 1)
	if n := m.Dim(); n < 2 || n > channel.MaxAnswers || len(m.Architecture().Labels()) != 11 {
		t.Errorf("there are %d codes of %d labels, want some of 11", n, len(m.Architecture().Labels()))
	}
	if !(m.Kept.Accuracy > 0.8) { // e⁴/(1+e⁴) of ten labels, but for what the encoder errs
		t.Errorf("accuracy is %v, want more than 0.8", m.Kept.Accuracy)
	}
}

// TestCodesMuchEpsilon: where ε hides nothing any more, codes tell what the model
// on the trusted side does. An answer that is not the best has a chance of e⁻³⁰.
func TestCodesMuchEpsilon(t *testing.T) {
	d := second(plant(600, 1, 1, 1), 0, false)
	open := fit(t, train.TrustedSide{Training: settings(4)}, d, 1)
	for _, epsilon := range []float64{30, 60, 1000} {
		for _, selected := range []int{0, 1} {
			m := fit(t, codes(epsilon, selected, 0), d, 1)
			if g := m.Guarantee(); !(float64(g.Epsilon) <= epsilon*(1+1e-12) && g.Epsilon > 10) {
				t.Errorf("ε = %v: guarantee is %v, want at most that", epsilon, g)
			}
			if a, b := m.Kept.Accuracy, open.Kept.Accuracy; math.Abs(a-b) > 1e-6 {
				t.Errorf("ε = %v, %d selected: accuracy is %v, want that of the model, %v", epsilon, selected, a, b)
			}
		}
	}
}
