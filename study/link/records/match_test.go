package records_test

import (
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sotto/study/link/records"
)

// drawn makes pairs whose truth is a logistic model of two features of one column: the
// logit is 8·spelling − 4 − 2·conflicting.
func drawn(n int, seed uint64) (pairs []records.MatchPair) {
	rng := weakrand.New(weakrand.NewPCG(seed, 1))
	for k := range n {
		x := make([]float64, records.Width(1))
		x[records.Spelling] = rng.Float64()
		x[records.OtherNumbers] = float64(rng.IntN(2))
		z := 8*x[records.Spelling] - 4 - 2*x[records.OtherNumbers]
		pairs = append(pairs, records.MatchPair{X: x, Same: rng.Float64() < records.Probability(z), Fold: uint64(k)})
	}
	return pairs
}

// What was put in is found, and probabilities are what they say.
func TestFit(t *testing.T) {
	m, err := records.Fit([]string{"name"}, drawn(20000, 1), nil)
	if err != nil {
		t.Fatal(err)
	}
	// The standard errors of the weights are .11, .05 and .06, from the curvature at the
	// truth, and ridge moves them by less than .03. A normal variable is 4.9 of them away
	// with a probability of 10⁻⁶.
	w := m.Weights[0]
	if math.Abs(w[records.Spelling]-8) > .6 || math.Abs(w[records.OtherNumbers]+2) > .6 || math.Abs(m.Constant+4) > .6 {
		t.Errorf("weights are %.3f, %.3f and %.3f, want 8, -2 and -4", w[records.Spelling], w[records.OtherNumbers], m.Constant)
	}
	// The mean of n draws is off by more than √(ln(2·10·10⁵)/2n) in one of ten bins with a
	// probability below 10⁻⁵ (Hoeffding), which for n of each bin adds up to below .05.
	var tally records.Tally
	for _, p := range drawn(20000, 2) {
		tally.Add(records.Probability(m.Logit(p.X)), p.Same)
	}
	if c := tally.Calibration(); c.Error > .05 || c.Pairs != 20000 || m.Calibration == nil || m.Calibration.Error > .05 {
		t.Errorf("calibration is %+v and %+v", c, m.Calibration)
	}
	if _, err := records.Fit([]string{"name"}, drawn(20000, 1)[:0], nil); !errors.Is(err, records.ErrOneSided) {
		t.Errorf("error = %v, want ErrOneSided", err)
	}
}

// Terms add up to the logit.
func TestExplain(t *testing.T) {
	m, err := records.Fit([]string{"name"}, drawn(500, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range drawn(50, 4) {
		e := m.Explain(p.X)
		sum := e.Constant
		for k, x := range e.Terms {
			sum += x.Contribution
			if k > 0 && math.Abs(x.Contribution) > math.Abs(e.Terms[k-1].Contribution) {
				t.Error("terms are not in order")
			}
		}
		if math.Abs(sum-e.Logit) > 1e-9 || math.Abs(math.Log(e.Probability/(1-e.Probability))-e.Logit) > 1e-6 {
			t.Errorf("terms add up to %v, logit is %v", sum, e.Logit)
		}
	}
}

// levels makes a comparison of columns, each at a level.
func levels(columns ...int) []float64 {
	x := make([]float64, records.Width(len(columns)))
	for c, l := range columns {
		f := x[c*records.Count:]
		switch l {
		case 0:
			f[records.Missing] = 1
		case 5:
			f[records.Equal], f[records.VeryClose] = 1, 1
		default:
			f[records.Different+l-1] = 1
		}
	}
	return x
}

// Two kinds of pairs are told apart without a label, and more agreement never speaks for
// less.
func TestEstimate(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(5, 1))
	var pairs [][]float64
	var same []bool
	for range 4000 {
		one := rng.Float64() < .1
		same = append(same, one)
		var at [3]int
		for c := range at {
			at[c] = 1 + rng.IntN(2)
			if one == (rng.Float64() < .9) {
				at[c] = 4 + rng.IntN(2)
			}
			if rng.IntN(10) == 0 {
				at[c] = 0
			}
		}
		pairs = append(pairs, levels(at[:]...))
	}
	m := records.Estimate([]string{"a", "b", "c"}, records.Sample{Rows: 90, Candidates: len(pairs), Alike: pairs})
	wrong := 0
	for k, x := range pairs {
		if (m.Logit(x) > 0) != same[k] {
			wrong++
		}
	}
	// With columns missing and .1 of levels turned the best rule errs in about 4 %.
	if wrong > 300 || !m.Estimated {
		t.Errorf("%d of 4000 pairs are told wrong", wrong)
	}
	for c := range 3 {
		last := math.Inf(-1)
		for l := 1; l < records.Levels; l++ {
			at := []int{0, 0, 0}
			at[c] = l
			if z := m.Logit(levels(at...)); z < last {
				t.Errorf("column %d: level %d speaks for less than the one below", c, l)
			} else {
				last = z
			}
		}
	}
}

// A learner finds a boundary with few questions.
func TestLearner(t *testing.T) {
	pool := drawn(2000, 6)
	x := make([][]float64, len(pool))
	for k, p := range pool {
		x[k] = p.X
	}
	l := records.NewLearner([]string{"name"}, records.Estimate([]string{"name"}, records.Sample{Rows: 2000, Candidates: len(x), Alike: x}))
	asked := make(map[int]bool)
	for range 40 {
		k, _, err := l.Next(x, func(k int) bool { return asked[k] })
		if err != nil || k < 0 || asked[k] {
			t.Fatalf("question %d, %v", k, err)
		}
		asked[k] = true
		z := 8*x[k][records.Spelling] - 4 - 2*x[k][records.OtherNumbers]
		l.Add(records.MatchPair{X: x[k], Same: z > 0, Fold: uint64(k)})
	}
	m, err := l.Model()
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for _, p := range x {
		if z := 8*p[records.Spelling] - 4 - 2*p[records.OtherNumbers]; (z > 0) != (m.Logit(p) > 0) {
			wrong++
		}
	}
	if wrong > 100 {
		t.Errorf("after 40 answers %d of 2000 pairs are told wrong", wrong)
	}
	if k, _, err := l.Next(x[:1], func(int) bool { return true }); k != -1 || err != nil {
		t.Errorf("with nothing left the next is %d, %v", k, err)
	}
}

func TestModelFile(t *testing.T) {
	m, err := records.Fit([]string{"name"}, drawn(500, 3), nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.json")
	if err = m.Save(path); err != nil {
		t.Fatal(err)
	}
	back, err := records.Load(path)
	if err != nil || !reflect.DeepEqual(m, back) {
		t.Errorf("the model that was read differs, %v", err)
	}
	for want, spoil := range map[string]func(*records.Model){
		"format is":         func(m *records.Model) { m.Format = "x" },
		"must be made anew": func(m *records.Model) { m.Features = m.Features[1:] },
		"weights are for":   func(m *records.Model) { m.Columns = []string{"a", "b"} },
		"must have 26":      func(m *records.Model) { m.Weights = [][]float64{{1}} },
	} {
		bad := *m
		spoil(&bad)
		if err := bad.Save(path); err != nil {
			t.Fatal(err)
		}
		if _, err := records.Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error = %v, want %q", err, want)
		}
	}
}

func ExampleTally() {
	var t records.Tally
	t.Add(.9, true)
	t.Add(.9, false)
	fmt.Printf("%.1f\n", t.Calibration().Error)
	// Output: 0.4
}
