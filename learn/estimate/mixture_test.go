package estimate_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"sotto/learn/estimate"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

// finite makes a mechanism with few different releases.
func finite(t testing.TB, p mech.Params) mech.Finite {
	t.Helper()
	m, err := mech.New(p)
	if err != nil {
		t.Fatal(err)
	}
	return m.(mech.Finite)
}

// weighted is codes whose weights raise several, which have no law.
func weighted(t testing.TB) mech.Finite {
	return finite(t, mech.Params{Mechanism: "codes", Dim: 3, Epsilon: 1, Own: mech.CodesParams{Weights: []float64{0.15, 0.2, 0.25}}})
}

var rankings = [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}

// outcomes returns how likely each release is if inputs have these shares.
func outcomes(t testing.TB, m mech.Finite, inputs [][]float64, shares []float64) []float64 {
	t.Helper()
	f, p := make([]float64, m.Outcomes()), make([]float64, m.Outcomes())
	for a, x := range inputs {
		if err := m.Chances(p, x); err != nil {
			t.Fatal(err)
		}
		for i, v := range p {
			f[i] += shares[a] * v
		}
	}
	return f
}

// TestMixtureExactly goes through all that few releases of a channel without a law
// can be: unbiased shares are right on average, and intervals cover.
func TestMixtureExactly(t *testing.T) {
	const n, confidence = 9, 0.9
	m := weighted(t)
	empty := must(t)(estimate.NewMixture(m, rankings))
	for _, truth := range populations {
		exactly(t, empty, n, confidence, truth, outcomes(t, m, rankings, truth))
	}
}

// TestMixtureOfLabels: with one input for each label it says what the law of
// answers says, but for intervals, which are wider.
func TestMixtureOfLabels(t *testing.T) {
	m := krr(t, 3, 1)
	law, err := m.Law()
	if err != nil {
		t.Fatal(err)
	}
	for _, counts := range [][]int{{500, 300, 200}, {700, 150, 150}} {
		a, err := counted(tally(t, 3, 1), counts).Shares(0.95)
		if err != nil {
			t.Fatal(err)
		}
		b, err := counted(must(t)(estimate.NewMixture(m, [][]float64{{0}, {1}, {2}})), counts).Shares(0.95)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Each {
			x, y := a.Each[i], b.Each[i]
			want := float64(x.Error)
			if x.Unbiased < 0 || x.Unbiased > 1 { // then it is that at the likeliest shares, which both climb to
				named := law.Least[i] + law.Rise*y.Likelihood
				want = math.Sqrt(named*(1-named)/1000) / law.Rise
			}
			if a.Method != b.Method || math.Abs(x.Unbiased-y.Unbiased) > 1e-9 || math.Abs(x.Likelihood-y.Likelihood) > 2e-3 || math.Abs(want-float64(y.Error)) > 1e-9 {
				t.Errorf("counts %v: %+v by inputs, want %+v", counts, y, x)
			}
			if width := (y.High - y.Low) / (x.High - x.Low); x.Low > 0 && x.High < 1 && !(width > 1 && width < 1.5) {
				t.Errorf("counts %v: the interval is %v times that of the law, want between 1 and 1.5", counts, width)
			}
		}
	}
}

// TestMixtureCoverage counts how often intervals miss for vectors released as
// codewords: more often than here with probability 10⁻⁵ if each misses with 5 %.
func TestMixtureCoverage(t *testing.T) {
	m := finite(t, mech.Params{Mechanism: "codebook", Dim: 3, Epsilon: 2, Own: mech.CodebookParams{Codewords: 16}})
	truth := []float64{0.6, 0.3, 0.1}
	empty := must(t)(estimate.NewMixture(m, rankings))
	draws, src := dptest.Count(t, 60, 600), dptest.Source(t, 11)
	missed, width := 0, 0.0
	for range draws {
		y := empty.Another()
		for range 500 {
			u, x := float64(src.Uint64()>>11)/(1<<53), 0
			for u >= truth[x] {
				u -= truth[x]
				x++
			}
			v, err := m.Privatize(rankings[x], src)
			if err != nil {
				t.Fatal(err)
			}
			if err = y.Add(v); err != nil {
				t.Fatal(err)
			}
		}
		s, err := y.Shares(0.95)
		if err != nil {
			t.Fatal(err)
		}
		if e := s.Each[0]; !e.Covers(truth[0]) {
			missed++
		} else {
			width += float64(e.High - e.Low)
		}
	}
	if most := 0.05*float64(draws) + math.Sqrt(float64(draws)*math.Log(1e5)/2); float64(missed) > most || !(width < 0.6*float64(draws)) {
		t.Errorf("the interval missed %d of %d times with a mean width of %v, want at most %.0f and below 0.6", missed, draws, width/float64(draws), most)
	}
}

// TestMixtureCompareLevel: over all that two small groups of the same shares can
// release, the test is wrong no more often than its level.
func TestMixtureCompareLevel(t *testing.T) {
	m := weighted(t)
	empty := must(t)(estimate.NewMixture(m, rankings))
	for _, truth := range populations[:3] {
		wrong, covered := 0.0, 0.0
		f := outcomes(t, m, rankings, truth)
		enumerate(5, f, func(counts []int, p float64) {
			first := counted(empty, counts)
			enumerate(4, f, func(counts []int, q float64) {
				c, err := first.Compare(counted(empty, counts), 0.9)
				if err != nil {
					t.Fatal(err)
				}
				if c.P <= 0.3 {
					wrong += p * q
				}
				if d := c.Each[0]; d.Covers(0) {
					covered += p * q
				}
			})
		})
		if wrong > 0.3 || covered < 0.9 {
			t.Errorf("shares %v: the test of level 0.3 is wrong with probability %v, and the interval covers with %v", truth, wrong, covered)
		}
	}
}

func TestMixtureRefuses(t *testing.T) {
	if _, err := estimate.NewMixture(weighted(t), [][]float64{{1, 0, 0}, {1, 0, 0}}); !errors.Is(err, estimate.ErrNothing) || !strings.Contains(err.Error(), "alike") {
		t.Errorf("equal inputs: error = %v, want that they are released alike", err)
	}
	if _, err := estimate.NewMixture(weighted(t), [][]float64{{1, 0, 0}, {1, 0}}); err == nil {
		t.Error("an input of the wrong width was taken")
	}
	if _, err := estimate.NewMixture(weighted(t), rankings[:1]); err == nil {
		t.Error("one input was taken")
	}
	y := must(t)(estimate.NewMixture(weighted(t), rankings))
	for _, v := range [][]float64{{1, 1, 0}, {3}, {0.5}, {math.NaN()}, nil} {
		if y.Add(v) == nil || y.N() != 0 {
			t.Errorf("Add(%v) took what is no release", v)
		}
	}
	if err := y.Add([]float64{2}); err != nil || y.N() != 1 {
		t.Errorf("Add of an index: %v", err)
	}
}
