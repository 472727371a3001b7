package estimate_test

import (
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"strings"
	"testing"

	"sotto/learn/estimate"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

func meanOf(t testing.TB, p mech.Params) (*estimate.Mean, mech.Mechanism) {
	t.Helper()
	m, err := mech.New(p)
	if err != nil {
		t.Fatal(err)
	}
	s, err := estimate.NewMean(m)
	if err != nil {
		t.Fatal(err)
	}
	return s, m
}

// TestMeanCoverage releases vectors of a few kinds by several mechanisms, and counts
// how often the intervals of a coordinate and of the length miss: more often than
// here with probability 10⁻⁵ if each misses with 6 %. Student's interval rests on
// sums being normal, which the sixth point is for.
func TestMeanCoverage(t *testing.T) {
	const d, people = 8, 200
	kinds := [][]float64{{1, 0, 0, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0, 0, 0}, {-1, 0, 0, 0, 0, 0, 0, 0}}
	for _, tt := range []struct {
		p      mech.Params
		shares []float64
	}{
		{mech.Params{Mechanism: "privunit", Dim: d, Epsilon: 2}, []float64{0.7, 0.3, 0}},
		{mech.Params{Mechanism: "privunit", Dim: d, Epsilon: 2}, []float64{0.5, 0, 0.5}}, // a mean of 0
		{mech.Params{Mechanism: "laplace-l2", Dim: d, Epsilon: 4}, []float64{0.2, 0.8, 0}},
		{mech.Params{Mechanism: "gaussian", Dim: d, Epsilon: 4}, []float64{0.9, 0.1, 0}},
		{mech.Params{Mechanism: "laplace-l1", Dim: d, Epsilon: 4}, []float64{0.6, 0.2, 0.2}},
	} {
		t.Run(fmt.Sprint(tt.p.Mechanism, tt.shares), func(t *testing.T) {
			empty, m := meanOf(t, tt.p)
			truth := tt.shares[0] - tt.shares[2]
			length := math.Hypot(truth, tt.shares[1])
			draws, src := dptest.Count(t, 40, 600), dptest.Source(t, 2)
			missed := [2]int{}
			for range draws {
				s := empty.Another()
				for range people {
					u, x := float64(src.Uint64()>>11)/(1<<53), 0
					for x < 2 && u >= tt.shares[x] {
						u -= tt.shares[x]
						x++
					}
					y, err := m.Privatize(kinds[x], src)
					if err != nil {
						t.Fatal(err)
					}
					if err = s.Add(y); err != nil {
						t.Fatal(err)
					}
				}
				a, err := s.Average(0.95)
				if err != nil {
					t.Fatal(err)
				}
				if c := a.Coordinates[0]; !c.Covers(truth) {
					missed[0]++
				}
				if !a.Norm.Covers(length) {
					missed[1]++
				}
			}
			most := 0.06*float64(draws) + math.Sqrt(float64(draws)*math.Log(1e6)/2)
			if float64(missed[0]) > most || float64(missed[1]) > most {
				t.Errorf("intervals of a coordinate and of the length missed %v of %d times, want at most %.0f", missed, draws, most)
			}
		})
	}
}

// TestMeanCompareLevel: two groups drawn alike are told apart no more often than the
// level says, with a probability of 10⁻⁵ to fail by chance; two that differ are.
func TestMeanCompareLevel(t *testing.T) {
	const d = 4
	empty, m := meanOf(t, mech.Params{Mechanism: "privunit", Dim: d, Epsilon: 4})
	draws, src := dptest.Count(t, 40, 400), dptest.Source(t, 4)
	group := func(n int, x []float64) *estimate.Mean {
		s := empty.Another()
		for i := range n {
			v := append([]float64(nil), x...)
			v[3] = float64(i % 2) // of two kinds
			y, err := m.Privatize(v, src)
			if err != nil {
				t.Fatal(err)
			}
			if err = s.Add(y); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	wrong := [2]int{}
	for range draws {
		c, err := group(90, []float64{1, 0, 0, 0}).Compare(group(150, []float64{1, 0, 0, 0}), 0.95)
		if err != nil {
			t.Fatal(err)
		}
		if c.P <= 0.1 {
			wrong[0]++
		}
		for _, each := range c.Coordinates {
			if each.Adjusted <= 0.1 {
				wrong[1]++
				break
			}
		}
	}
	most := 0.1*float64(draws) + math.Sqrt(float64(draws)*math.Log(2e5)/2)
	if float64(wrong[0]) > most || float64(wrong[1]) > most {
		t.Errorf("the tests of level 10 %% were wrong %v of %d times, want at most %.0f", wrong, draws, most)
	}
	c, err := group(400, []float64{1, 0, 0, 0}).Compare(group(300, []float64{-1, 0, 0, 0}), 0.95)
	if err != nil {
		t.Fatal(err)
	}
	if x := c.Coordinates[0]; !(c.P < 0.001) || !(x.Adjusted < 0.001) || !(x.Low > 0.8 && x.High < 2.2) || !(c.Coordinates[1].Adjusted > 0.001) || !(c.Distance.Low > 0.5) {
		t.Errorf("two that differ: %+v", c)
	}
}

// TestMeanIsExact: mean and standard error are those of the formula, whatever the
// order of releases.
func TestMeanIsExact(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 1))
	s, _ := meanOf(t, mech.Params{Mechanism: "laplace-l2", Dim: 1, Epsilon: 1})
	var all []float64
	sum := 0.0
	for range 1000 {
		v := rng.NormFloat64()*3 + 100
		all, sum = append(all, v), sum+v
		if err := s.Add([]float64{v}); err != nil {
			t.Fatal(err)
		}
	}
	square := 0.0
	for _, v := range all {
		square += (v - sum/1000) * (v - sum/1000)
	}
	a, err := s.Average(0.95)
	if err != nil {
		t.Fatal(err)
	}
	if c := a.Coordinates[0]; math.Abs(c.Value-sum/1000) > 1e-9 || math.Abs(float64(c.Error)-math.Sqrt(square/999/1000)) > 1e-9 || math.Abs(a.Norm.Value-c.Value) > 0.5 {
		t.Errorf("mean %+v with length %+v, want %v with an error of %v", c, a.Norm, sum/1000, math.Sqrt(square/999/1000))
	}
}

func TestMeanRefuses(t *testing.T) {
	for _, p := range []mech.Params{
		{Mechanism: "krr", Epsilon: 1, Own: mech.KRRParams{Classes: 2}},
		{Mechanism: "codebook", Dim: 3, Epsilon: 1, Own: mech.CodebookParams{Codewords: 8}},
		{Mechanism: "subset", Epsilon: 1, Own: mech.SubsetParams{Classes: 4}},
	} {
		m, err := mech.New(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = estimate.NewMean(m); err == nil || !strings.Contains(err.Error(), "shares can be told") {
			t.Errorf("%s: error = %v, want the reason", p.Mechanism, err)
		}
	}
	s, _ := meanOf(t, mech.Params{Mechanism: "laplace-l2", Dim: 2, Epsilon: 1})
	if s.Add([]float64{1}) == nil || s.Add([]float64{1, math.NaN()}) == nil || s.N() != 0 {
		t.Error("what is no release was taken")
	}
	if _, err := s.Average(0.95); err == nil {
		t.Error("a mean of nothing")
	}
	other, _ := meanOf(t, mech.Params{Mechanism: "laplace-l2", Dim: 2, Epsilon: 2})
	if _, err := s.Compare(other, 0.95); err == nil || !strings.Contains(err.Error(), "alike") {
		t.Errorf("different ε: error = %v", err)
	}
}
