package dp_test

import (
	"errors"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/promise/dp"
)

func times(epsilon float64, k int) dp.Repeated {
	return dp.Repeated{Guarantee: dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(epsilon)}, Times: k}
}

func composeAt(tb testing.TB, delta float64, parts ...dp.Repeated) dp.Guarantee {
	tb.Helper()
	g, err := dp.ComposeAt(delta, parts...)
	if err != nil {
		tb.Fatalf("ComposeAt(%v, %+v) error = %v", delta, parts, err)
	}
	return g
}

// TestComposeAtCurve holds the check numbers of the exact curve at δ = 10⁻⁶.
func TestComposeAtCurve(t *testing.T) {
	for _, tt := range []struct {
		epsilon float64
		k       int
		want    float64
	}{
		{0.1, 100, 4.775}, {0.1, 1000, 19.345}, {0.5, 100, 33.320}, {1, 100, 83.531}, {4, 100, 400},
	} {
		g := composeAt(t, 1e-6, times(tt.epsilon, tt.k))
		if got := float64(g.Epsilon); math.Abs(got-tt.want) > 6e-4 {
			t.Errorf("%d releases at ε = %v: ComposeAt = %v, want %v", tt.k, tt.epsilon, got, tt.want)
		}
	}
}

// TestComposeAtGrid: at the points ε = (k−2i)·ε₀ the curve is the theorem's sum.
func TestComposeAtGrid(t *testing.T) {
	for _, e := range []float64{0.05, 0.1, 0.7, 2} {
		for _, k := range []int{1, 2, 5, 10, 40} {
			for i := 1; 2*i <= k; i++ {
				delta, choose := 0.0, 1.0
				for l := range i {
					delta += choose * (math.Exp(float64(k-l)*e) - math.Exp(float64(k-2*i+l)*e)) / math.Pow(1+math.Exp(e), float64(k))
					choose *= float64(k-l) / float64(l+1)
				}
				if delta > 0.5 { // where the curve is so flat that its rounding shows
					continue
				}
				want := float64(k-2*i) * e
				// δ is inflated by a part in 10¹¹ at most, and falls by more than
				// 10⁻⁵ of itself where ε grows by 10⁻⁵.
				if got := float64(composeAt(t, delta, times(e, k)).Epsilon); got < want-1e-9 || got > want+1e-5 {
					t.Errorf("%d at ε = %v, δ = %v: ComposeAt = %v, want %v", k, e, delta, got, want)
				}
			}
		}
	}
}

// enumerated returns the exact δ at ε of randomised responses with the given ε,
// by all answers.
func enumerated(epsilons []float64, epsilon float64) float64 {
	sum := 0.0
	for answers := range 1 << len(epsilons) {
		p, q := 1.0, 1.0
		for i, e := range epsilons {
			keep := 1 / (1 + math.Exp(-e))
			if answers>>i&1 == 0 {
				p, q = p*keep, q*(1-keep)
			} else {
				p, q = p*(1-keep), q*keep
			}
		}
		sum += max(0, p-math.Exp(epsilon)*q)
	}
	return sum
}

// TestComposeAtExact compares with all answers of few randomised responses,
// equal and mixed: never below the truth, and little above it.
func TestComposeAtExact(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(1, 7))
	for range 60 {
		kinds, parts, all := 1+rng.IntN(3), []dp.Repeated(nil), []float64(nil)
		for range kinds {
			e, k := 0.05+rng.Float64(), 1+rng.IntN(4)
			parts, all = append(parts, times(e, k)), append(all, slices.Repeat([]float64{e}, k)...)
		}
		delta := math.Exp(-1 - 12*rng.Float64())
		g := composeAt(t, delta, parts...)
		if g.Delta == 0 { // nothing gained: the sum
			continue
		}
		if got := enumerated(all, float64(g.Epsilon)); got > delta*(1+1e-9) {
			t.Errorf("%v at δ = %v: ε = %v has a true δ of %v, above it", all, delta, g.Epsilon, got)
		}
		sum := 0.0
		for _, e := range all {
			sum += e
		}
		// A grid of 2¹⁵ points a sum, passed at most twice.
		slack := 4*sum/(1<<15) + 1e-9
		if below := float64(g.Epsilon) - slack; below > 0 && enumerated(all, below) <= delta*(1-1e-9) {
			t.Errorf("%v at δ = %v: ε = %v, but %v would do", all, delta, g.Epsilon, below)
		}
	}
}

// TestComposeAtProperties: never above the sum, more releases are never
// better, a larger δ is never worse, and order and grouping change nothing.
func TestComposeAtProperties(t *testing.T) {
	last := 0.0
	for k := 1; k <= 200; k += 7 {
		g := composeAt(t, 1e-5, times(0.2, k))
		if e := float64(g.Epsilon); e < last || e > 0.2*float64(k)*(1+1e-12) {
			t.Errorf("%d releases at 0.2: ε = %v, want it from %v to the sum", k, e, last)
		}
		last = float64(g.Epsilon)
	}
	if a, b := composeAt(t, 1e-9, times(0.3, 50)), composeAt(t, 1e-3, times(0.3, 50)); a.Epsilon < b.Epsilon {
		t.Errorf("a larger δ gives ε = %v, a smaller one %v", b.Epsilon, a.Epsilon)
	}
	a := composeAt(t, 1e-6, times(0.1, 30), times(0.2, 20), times(0.1, 10))
	b := composeAt(t, 1e-6, times(0.2, 20), times(0.1, 40))
	if a.Epsilon != b.Epsilon {
		t.Errorf("order and grouping matter: %v and %v", a.Epsilon, b.Epsilon)
	}
	if g := composeAt(t, 0, times(0.1, 100)); math.Abs(float64(g.Epsilon)-10) > 1e-9 || g.Delta != 0 {
		t.Errorf("δ = 0: %v, want the sum, 10", g)
	}
}

// TestComposeAtDelta: releases with a δ of their own use it up.
func TestComposeAtDelta(t *testing.T) {
	part := dp.Repeated{Guarantee: dp.Guarantee{Unit: dp.Text, Epsilon: 0.1, Delta: 1e-8}, Times: 100}
	g := composeAt(t, 1e-5, part)
	if pure := composeAt(t, 1e-5, times(0.1, 100)); g.Epsilon < pure.Epsilon || g.Delta != 1e-5 {
		t.Errorf("with δ of their own: %v, want ε of at least %v at δ = 1e-5", g, pure.Epsilon)
	}
	if g, err := dp.ComposeAt(1e-7, part); err == nil {
		t.Errorf("ComposeAt(1e-7) of 100 releases with δ = 1e-8 = %v, want an error", g)
	}
}

func TestComposeAtRefuses(t *testing.T) {
	metric := times(1, 1)
	metric.Unit = dp.Metric
	word := times(1, 1)
	word.Unit = dp.Word
	for name, parts := range map[string][]dp.Repeated{
		"nothing": nil, "no times": {times(1, 0)}, "too many": {times(1, 2_000_000)}, "metric": {metric}, "NaN": {times(math.NaN(), 1)},
	} {
		if g, err := dp.ComposeAt(1e-6, parts...); err == nil {
			t.Errorf("%s: ComposeAt = %v, want an error", name, g)
		}
	}
	if g, err := dp.ComposeAt(1e-6, times(1, 1), word); !errors.Is(err, dp.ErrUnits) {
		t.Errorf("ComposeAt of text and word = %v, %v, want ErrUnits", g, err)
	}
	for _, delta := range []float64{-1, 1, math.NaN()} {
		if g, err := dp.ComposeAt(delta, times(1, 1)); err == nil {
			t.Errorf("ComposeAt(%v) = %v, want an error", delta, g)
		}
	}
	if g := composeAt(t, 1e-6, dp.Repeated{Guarantee: dp.None(dp.Text), Times: 2}); g.Epsilon != dp.Infinite {
		t.Errorf("two releases without a promise: %v, want infinite", g)
	}
}

func TestShuffle(t *testing.T) {
	for _, tt := range []struct {
		epsilon float64
		users   int
		want    float64
	}{{1, 10_000, 0.214}, {4, 1_000_000, 0.201}} {
		g, err := dp.Shuffle(dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(tt.epsilon)}, tt.users, 1e-6)
		if err != nil || math.Abs(float64(g.Epsilon)-tt.want) > 6e-4 || g.Delta != 1e-6 || len(g.Assumptions) != 1 {
			t.Errorf("Shuffle(%v, %d) = %+v, %v, want %v with one assumption", tt.epsilon, tt.users, g, err, tt.want)
		}
	}
	// Outside the theorem's condition nothing is gained.
	for _, users := range []int{1, 100, 5000} {
		g, err := dp.Shuffle(dp.Guarantee{Unit: dp.Text, Epsilon: 4}, users, 1e-6)
		if err != nil || g.Epsilon != 4 || g.Delta != 0 {
			t.Errorf("Shuffle(4, %d) = %+v, %v, want ε = 4 and δ = 0", users, g, err)
		}
	}
}

// TestShuffleHolds: the shuffle of randomised response between two answers is a
// number of ones, whose exact δ at the stated ε is below the stated one.
func TestShuffleHolds(t *testing.T) {
	const n, e0, delta = 2000, 1.0, 1e-4
	g, err := dp.Shuffle(dp.Guarantee{Unit: dp.Text, Epsilon: e0}, n, delta)
	if err != nil || g.Delta != delta {
		t.Fatalf("Shuffle = %+v, %v, want a gain", g, err)
	}
	keep := 1 / (1 + math.Exp(-e0))
	// All others hold 0: the number of ones is binomial, plus the one in question.
	others := make([]float64, n)
	whole, _ := math.Lgamma(n)
	for k := range others {
		a, _ := math.Lgamma(float64(k) + 1)
		b, _ := math.Lgamma(float64(n - k))
		others[k] = math.Exp(whole - a - b + float64(k)*math.Log(1-keep) + float64(n-1-k)*math.Log(keep))
	}
	law := func(one float64) []float64 {
		p := make([]float64, n+1)
		for k, v := range others {
			p[k] += v * (1 - one)
			p[k+1] += v * one
		}
		return p
	}
	p, q, got := law(keep), law(1-keep), 0.0
	for i := range p {
		got += max(0, p[i]-math.Exp(float64(g.Epsilon))*q[i])
	}
	if got > delta {
		t.Errorf("at ε = %v the shuffled answers have δ = %v, above the stated %v", g.Epsilon, got, delta)
	}
}

func TestShuffleRefuses(t *testing.T) {
	text := dp.Guarantee{Unit: dp.Text, Epsilon: 1}
	for name, tt := range map[string]struct {
		local dp.Guarantee
		users int
		delta float64
	}{
		"word-level": {dp.Guarantee{Unit: dp.Word, Epsilon: 1}, 1000, 1e-6},
		"with delta": {dp.Guarantee{Unit: dp.Text, Epsilon: 1, Delta: 1e-9}, 1000, 1e-6},
		"nobody":     {text, 0, 1e-6},
		"no delta":   {text, 1000, 0},
		"NaN":        {text, 1000, math.NaN()},
		"no unit":    {dp.Guarantee{Epsilon: 1}, 1000, 1e-6},
	} {
		if g, err := dp.Shuffle(tt.local, tt.users, tt.delta); err == nil {
			t.Errorf("%s: Shuffle = %v, want an error", name, g)
		}
	}
}
