package train_test

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/mech"
)

func TestDataValidate(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*train.Data)
		want   string
	}{
		"labels":          {func(d *train.Data) { d.Y = d.Y[1:] }, "99 labels"},
		"columns":         {func(d *train.Data) { d.X = nn.NewMatrix(100, 0) }, "0 columns"},
		"classes":         {func(d *train.Data) { d.Classes = 1 }, "1 classes"},
		"many classes":    {func(d *train.Data) { d.Classes = 1 << 30 }, "classes"},
		"attribute rows":  {func(d *train.Data) { d.Z = d.Z[1:] }, "99 rows"},
		"groups":          {func(d *train.Data) { d.Groups = 1 }, "1 groups"},
		"nothing to fit":  {func(d *train.Data) { d.Train = nil }, "0 rows to fit"},
		"no validation":   {func(d *train.Data) { d.Validation = nil }, "0 to validate"},
		"negative row":    {func(d *train.Data) { d.Train = []int{-1} }, "row -1"},
		"missing row":     {func(d *train.Data) { d.Validation = []int{100} }, "row 100"},
		"negative class":  {func(d *train.Data) { d.Y[d.Train[3]] = -1 }, "row 3"},
		"class too large": {func(d *train.Data) { d.Y[d.Validation[0]] = 2 }, "row 50"},
		"negative group":  {func(d *train.Data) { d.Z[d.Train[3]] = -2 }, "row 3"},
		"group too large": {func(d *train.Data) { d.Z[d.Train[3]] = 2 }, "row 3"},
		"NaN":             {func(d *train.Data) { d.X.Row(9)[1] = float32(math.NaN()) }, "row 9"},
		"infinity":        {func(d *train.Data) { d.X.Row(9)[1] = float32(math.Inf(-1)) }, "row 9"},
	} {
		d := plant(100, 1, 1, 1).Data
		c.change(&d)
		if err := d.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want one with %q", name, err, c.want)
		}
		for method, m := range methods(1) {
			if model, err := train.Fit(t.Context(), m, d, train.Options{}); err == nil || model != nil {
				t.Errorf("%s: %s is fitted", name, method)
			}
		}
	}
	d := plant(100, 1, 1, 1)
	d.Y[d.test[0]], d.Z[d.test[0]] = -1, 9 // rows of neither part need no label
	d.Z[0] = train.Unknown
	if err := d.Validate(); err != nil {
		t.Error(err)
	}
}

func TestFaults(t *testing.T) {
	nan := math.NaN()
	of := func(change func(*train.Training)) train.Training {
		s := settings(1)
		change(&s)
		return s
	}
	plain := settings(1)
	l1 := mech.Params{Mechanism: "laplace-l1", Epsilon: 8}
	for name, c := range map[string]struct {
		method train.Method
		want   string
	}{
		"epochs":               {train.Unprotected{Training: of(func(s *train.Training) { s.Epochs = -1 })}, "epochs is -1"},
		"batch":                {train.Unprotected{Training: of(func(s *train.Training) { s.Batch = -1 })}, "batch is -1"},
		"rate":                 {train.Unprotected{Training: of(func(s *train.Training) { s.Rate = nan })}, "rate is NaN"},
		"keep":                 {train.Unprotected{Training: of(func(s *train.Training) { s.Keep = "some" })}, `keep is "some"`},
		"dropout":              {train.Unprotected{Training: of(func(s *train.Training) { s.Dropout = 1 })}, "dropout is 1"},
		"dropout NaN":          {train.Unprotected{Training: of(func(s *train.Training) { s.Dropout = nan })}, "dropout is NaN"},
		"no encoder":           {train.Unprotected{Training: of(func(s *train.Training) { s.Encoder = []int{} })}, "no layers"},
		"narrow":               {train.Unprotected{Training: of(func(s *train.Training) { s.Encoder = []int{0} })}, "0 wide"},
		"wide":                 {train.Unprotected{Training: of(func(s *train.Training) { s.Classifier = []int{1 << 20} })}, "1048576 wide"},
		"narrow adversary":     {train.Adversarial{Training: of(func(s *train.Training) { s.Adversary = []int{-1} })}, "-1 wide"},
		"lambda":               {train.Adversarial{Training: plain, Lambda: -1}, "lambda is -1"},
		"lambda NaN":           {train.Federate{Training: plain, Lambda: nan, Release: l1}, "lambda is NaN"},
		"orthogonality":        {train.Multiple{Training: plain, Orthogonality: -1}, "orthogonality -1"},
		"one adversary":        {train.Multiple{Training: plain, Adversaries: 1}, "adversaries is 1"},
		"linear adversaries":   {train.Multiple{Training: of(func(s *train.Training) { s.Adversary = []int{} })}, "hidden layers"},
		"no mechanism":         {train.Noise{Training: plain}, "mechanism"},
		"other mechanism":      {train.Noise{Training: plain, Release: mech.Params{Mechanism: "krr", Epsilon: 8, Own: mech.KRRParams{Classes: 3}}}, "krr"},
		"epsilon":              {train.Noise{Training: plain, Release: mech.Params{Mechanism: "laplace-l1", Epsilon: nan}}, "epsilon is NaN"},
		"dim":                  {train.Federate{Training: plain, Release: mech.Params{Mechanism: "laplace-l1", Epsilon: 8, Dim: 9}}, "dim of the mechanism is 9"},
		"dpnr of another":      {train.DPNR{Training: plain, Release: l1}, "laplace-l1"},
		"iterations":           {train.INLP{Training: plain, Iterations: -1}, "iterations is -1"},
		"bits of another":      {train.LDPNN{Release: l1}, "laplace-l1"},
		"bits dim":             {train.LDPNN{Release: mech.Params{Mechanism: "bitrr", Epsilon: 8, Dim: 9}}, "dim of the mechanism is 9"},
		"bits dropout":         {train.LDPNN{Dropout: 1, Release: mech.Params{Mechanism: "bitrr", Epsilon: 8}}, "1"},
		"bits rate":            {train.LDPNN{Rate: nan, Release: mech.Params{Mechanism: "bitrr", Epsilon: 8}}, "rate is NaN"},
		"bits hidden":          {train.LDPNN{Hidden: []int{0}, Release: mech.Params{Mechanism: "bitrr", Epsilon: 8}}, "0 wide"},
		"projection of other":  {train.PrivEmb{Release: l1}, "laplace-l1"},
		"projection input_dim": {train.PrivEmb{Release: mech.Params{Epsilon: 8, Own: mech.PrivEmbParams{InputDim: 9}}}, "input_dim of the mechanism is 9"},
		"vocabulary":           {train.PrivEmb{Release: mech.Params{Variant: mech.Vocabulary, Epsilon: 8}}, "vocabulary"},
	} {
		d := plant(100, 1, 1, 1)
		m, err := train.Fit(t.Context(), c.method, d.Data, train.Options{})
		if err == nil || m != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error is %v, want one with %q", name, err, c.want)
		}
	}
}

// TestNeedsAttribute checks which methods ask for an attribute, and what they
// do if it is unknown everywhere.
func TestNeedsAttribute(t *testing.T) {
	needs := map[string]bool{"adversarial": true, "multiple": true, "federate": true, "inlp": true}
	without, unknown := plant(100, 1, 1, 1), plant(100, 1, 1, 1)
	without.Z, without.Groups = nil, 0
	for i := range unknown.Z {
		unknown.Z[i] = train.Unknown
	}
	for name, m := range methods(1) {
		if _, err := train.Fit(t.Context(), m, without.Data, train.Options{}); (err != nil) != needs[name] {
			t.Errorf("%s without attribute: error is %v", name, err)
		}
		if _, err := train.Fit(t.Context(), m, unknown.Data, train.Options{}); (err != nil) != (name == "inlp") {
			t.Errorf("%s with nothing but unknown groups: error is %v", name, err)
		}
	}
}

// TestSettingsRoundTrip checks that what a manifest records of a method is the
// method: nil and empty lists of layers mean different things.
func TestSettingsRoundTrip(t *testing.T) {
	for _, h := range []train.Federate{
		{},
		{Training: train.Training{Shape: train.Shape{Adversary: []int{}}}, Lambda: 2},
		{Training: train.Training{Shape: train.Bios(), Epochs: 3, Batch: 4, Rate: 5, Keep: train.Best, Standardise: true}, Release: mech.Params{Mechanism: "dpnr", Epsilon: 1}},
	} {
		var back train.Federate
		roundTrip(t, h, &back)
		if !reflect.DeepEqual(h, back) {
			t.Errorf("%+v comes back as %+v", h, back)
		}
	}
	for _, h := range []train.LDPNN{{}, {Hidden: []int{}}, {Hidden: []int{3}, Dropout: -1}} {
		var back train.LDPNN
		roundTrip(t, h, &back)
		if !reflect.DeepEqual(h, back) {
			t.Errorf("%+v comes back as %+v", h, back)
		}
	}
}

func roundTrip(t *testing.T, from, to any) {
	t.Helper()
	b, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(b, to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestStandardise checks that scale and place of columns do not matter then,
// and that a constant column does no harm.
func TestStandardise(t *testing.T) {
	d := plant(400, 2, 1, 1)
	for i := range d.X.Rows {
		x := d.X.Row(i)
		x[0], x[1], x[7] = x[0]*1e4+1e6, x[1]*1e-6, 42
	}
	s := settings(10)
	s.Standardise = true
	m := fit(t, train.Unprotected{Training: s}, d, 1)
	if got := accuracy(t, m, d, d.test); got < 0.95 {
		t.Errorf("accuracy is %v, want at least 0.95", got)
	}
	if !m.Architecture().Standardise {
		t.Error("the architecture does not say that rows are standardised")
	}
}

// TestKeep checks which epoch is kept.
func TestKeep(t *testing.T) {
	d := plant(300, 0.3, 1, 1)
	for _, c := range []struct {
		keep        train.Keep
		adversarial bool
		best        bool
	}{
		{train.Best, false, true},
		{train.Last, false, false},
		{"", false, true},
		{train.Best, true, true},
		{train.Last, true, false},
		{"", true, false},
	} {
		s := settings(12)
		s.Keep = c.keep
		var h train.Method = train.Unprotected{Training: s}
		if c.adversarial {
			h = train.Adversarial{Training: s}
		}
		var all []model.Progress
		m, err := train.Fit(t.Context(), h, d.Data, train.Options{Seed: 2, Progress: func(p model.Progress) { all = append(all, p) }})
		if err != nil {
			t.Fatal(err)
		}
		want := all[len(all)-1]
		if c.best {
			for _, p := range all {
				if p.Accuracy > want.Accuracy || p.Accuracy == want.Accuracy && p.Epoch < want.Epoch {
					want = p
				}
			}
		}
		if m.Kept != want || len(all) != 12 {
			t.Errorf("keep %q, adversarial %t: kept is %+v, want %+v of 12", c.keep, c.adversarial, m.Kept, want)
		}
		// What is kept is what was measured: nothing random is left in it.
		if got := accuracy(t, m, d, d.Validation); got != want.Accuracy {
			t.Errorf("keep %q: validation accuracy of the model is %v, want %v", c.keep, got, want.Accuracy)
		}
	}
}

// TestStandardiseExactly checks that columns scaled by powers of two, which
// round nothing, give the same model.
func TestStandardiseExactly(t *testing.T) {
	d := plant(200, 1, 1, 1)
	scaled := plant(200, 1, 1, 1)
	for i := range scaled.X.Rows {
		for j := range scaled.X.Cols {
			scaled.X.Row(i)[j] *= float32(math.Exp2(float64(5*j - 20)))
		}
	}
	s := settings(3)
	s.Standardise = true
	p := nn.NewPool(1)
	var scores [][]float32
	for _, e := range []planted{d, scaled} {
		m := fit(t, train.Unprotected{Training: s}, e, 1)
		y, err := m.Release(p, e.X, e.test, nil)
		if err != nil {
			t.Fatal(err)
		}
		scores = append(scores, m.Logits(p, y).Data)
	}
	if !slices.Equal(scores[0], scores[1]) {
		t.Error("the scale of columns makes a difference")
	}
}

// TestLinear checks that a linear classifier takes rows as they are, though it
// is fitted on standardised ones.
func TestLinear(t *testing.T) {
	d := plant(400, 1, 1, 1)
	for i := range d.X.Rows {
		for j := range d.X.Cols {
			d.X.Row(i)[j] = d.X.Row(i)[j]*4 + 30
		}
	}
	layer, kept, err := train.FitLinear(t.Context(), d.Data)
	if err != nil {
		t.Fatal(err)
	}
	scores := layer.Forward(nn.NewPool(1), nn.Infer, d.X)
	right := 0
	for _, row := range d.Validation {
		if s := scores.Row(row); (s[1] > s[0]) == (d.Y[row] == 1) {
			right++
		}
	}
	// A row may lie so near to the border that rounding decides.
	if got := float64(right) / float64(len(d.Validation)); got < 0.8 || math.Abs(got-kept.Accuracy) > 0.011 {
		t.Errorf("accuracy is %v, want %v", got, kept.Accuracy)
	}
}
