package mech_test

import (
	"math"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"sotto/promise/dp"
	"sotto/promise/mech"
)

// falseFailure is the probability with which a check of a law may fail on a
// correct mechanism. The checks below derive their tolerance from it. Sources
// are seeded, so that a check that passes once passes always.
const falseFailure = 1e-5

// checkCounts compares counts with the probabilities p of their cells.
//
// Pearson's statistic follows χ² with len(p)−1 degrees of freedom, closely where
// each cell expects a hundred counts or more, which is demanded. A fit that is
// too good is as suspect as a bad one: each side gets half of falseFailure.
func checkCounts(tb testing.TB, call string, seen []int, p []float64) {
	tb.Helper()
	n, sum := 0, 0.0
	for i, v := range seen {
		n += v
		sum += p[i]
	}
	if len(seen) != len(p) || math.Abs(sum-1) > 1e-9 {
		tb.Fatalf("%s: %d counts, %d probabilities that sum to %v", call, len(seen), len(p), sum)
	}
	x := 0.0
	for i, v := range seen {
		want := float64(n) * p[i]
		if want < 100 {
			tb.Fatalf("%s: cell %d expects %.3g counts, want at least 100", call, i, want)
		}
		x += (float64(v) - want) * (float64(v) - want) / want
	}
	half := float64(len(p)-1) / 2
	below, above := mathext.GammaIncReg(half, x/2), mathext.GammaIncRegComp(half, x/2)
	if !(min(below, above) >= falseFailure/2) {
		tb.Errorf("%s: χ² = %.1f on %d degrees of freedom, tails %.2g and %.2g, want both above %.2g",
			call, x, len(p)-1, below, above, falseFailure/2)
	}
}

// checkLaw compares samples with a continuous distribution function by
// Kolmogorov and Smirnov.
//
// Dvoretzky, Kiefer, Wolfowitz and Massart: P(sup|Fₙ−F| > d) ≤ 2·exp(−2nd²) for
// every law and every n, so d = √(ln(2/falseFailure)/2n).
func checkLaw(tb testing.TB, call string, x []float64, cdf func(float64) float64) {
	tb.Helper()
	slices.Sort(x)
	n, d := float64(len(x)), 0.0
	for i, v := range x {
		f := cdf(v)
		d = max(d, float64(i+1)/n-f, f-float64(i)/n)
	}
	if limit := math.Sqrt(math.Log(2/falseFailure) / (2 * n)); !(d <= limit) {
		tb.Errorf("%s: Kolmogorov distance %.3g over %v samples, want at most %.3g", call, d, n, limit)
	}
}

// checkRate compares hits out of n with the probability p, when it is one of
// tests alike that share one falseFailure.
//
// Chernoff: P(n·KL(hits/n ‖ p) > c) ≤ 2·exp(−c) for every n and p.
func checkRate(tb testing.TB, call string, hits, n int, p float64, tests int) {
	tb.Helper()
	term := func(a, b float64) float64 {
		if a == 0 {
			return 0
		}
		return a * math.Log(a/b)
	}
	f := float64(hits) / float64(n)
	c := float64(n) * (term(f, p) + term(1-f, 1-p))
	if limit := math.Log(2 * float64(tests) / falseFailure); !(c <= limit) {
		tb.Errorf("%s: %d of %d, want a rate of %.6g: divergence %.3g, limit %.3g", call, hits, n, p, c, limit)
	}
}

// checkMean compares a mean of n draws with what it should be, given the
// deviation of one draw, when it is one of tests alike that share one
// falseFailure.
//
// The mean of 10⁴ draws or more, which is demanded, is normal closely enough:
// its distance from want exceeds z deviations with probability 2·Φ(−z).
func checkMean(tb testing.TB, call string, got, want, deviation float64, n, tests int) {
	tb.Helper()
	if n < 1e4 {
		tb.Fatalf("%s: mean of %d draws, want at least 10000", call, n)
	}
	z := math.Sqrt2 * math.Erfcinv(falseFailure/float64(tests))
	if limit := z * deviation / math.Sqrt(float64(n)); !(math.Abs(got-want) <= limit) {
		tb.Errorf("%s: mean %.6g over %d draws, want %.6g ± %.3g", call, got, n, want, limit)
	}
}

// heavy skips a test that draws or computes much under -short, which the race
// detector runs with: it has one goroutine, and nothing to race with.
func heavy(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds under the race detector, on one goroutine")
	}
}

// must makes a mechanism or ends the test.
func must(tb testing.TB, p mech.Params) mech.Mechanism {
	tb.Helper()
	m, err := mech.New(p)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// draw releases x n times and hands each release to see, in the same slice.
func draw(tb testing.TB, m dp.Vector, x []float64, n int, src weakrand.Source, see func(y []float64)) {
	tb.Helper()
	_, out := m.Shape()
	y := make([]float64, out)
	for range n {
		if err := m.PrivatizeTo(y, x, src); err != nil {
			tb.Fatal(err)
		}
		see(y)
	}
}

// normals returns a reproducible vector.
func normals(n int, seed uint64) []float64 {
	rng := weakrand.New(weakrand.NewPCG(seed, uint64(n)))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// inner returns Σ a·b.
func inner(a, b []float64) float64 {
	s := 0.0
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

func length(x []float64) float64 { return math.Sqrt(inner(x, x)) }

// directed returns x at length 1.
func directed(x []float64) []float64 {
	u, l := make([]float64, len(x)), length(x)
	for i, v := range x {
		u[i] = v / l
	}
	return u
}

// within reports whether got is want up to a relative error.
func within(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance*math.Abs(want) }
