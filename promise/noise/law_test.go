package noise_test

import (
	"encoding/binary"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/promise/noise"
)

// falseFailure is the probability with which a check of a law may fail on a
// correct sampler. The checks below derive their tolerance from it.
const falseFailure = 1e-5

// seeded returns a reproducible Stream on a foreign source.
func seeded(tb testing.TB, seed byte) *noise.Stream {
	tb.Helper()
	tb.Logf("source: ChaCha8, seed %d followed by zeros", seed)
	return noise.From(weakrand.NewChaCha8([32]byte{seed}))
}

// script is a source, and a key stream, that hands out given words and panics
// when asked for more.
type script struct {
	words []uint64
	used  int
}

func (s *script) Uint64() uint64 {
	s.used++
	return s.words[s.used-1]
}

func (s *script) XORKeyStream(dst, src []byte) {
	for i := 0; i < len(src); i += 8 {
		binary.LittleEndian.PutUint64(dst[i:], binary.LittleEndian.Uint64(src[i:])^s.Uint64())
	}
}

// scripted returns a Stream on a foreign source of the words.
func scripted(words ...uint64) *noise.Stream { return noise.From(&script{words: words}) }

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
	below, above := gammaTails(float64(len(p)-1)/2, x/2)
	if !(min(below, above) >= falseFailure/2) {
		tb.Errorf("%s: χ² = %.1f on %d degrees of freedom, tails %.2g and %.2g, want both above %.2g",
			call, x, len(p)-1, below, above, falseFailure/2)
	}
}

// checkLaw compares samples with a distribution function by Kolmogorov and
// Smirnov; gap is 0 for a continuous law and 1 for a law on the integers.
//
// Dvoretzky, Kiefer, Wolfowitz and Massart: P(sup|Fₙ−F| > d) ≤ 2·exp(−2nd²) for
// every law and every n, so d = √(ln(2/falseFailure)/2n).
func checkLaw(tb testing.TB, call string, x []float64, gap float64, cdf func(float64) float64) {
	tb.Helper()
	slices.Sort(x)
	n, d := float64(len(x)), 0.0
	for i, v := range x {
		d = max(d, float64(i+1)/n-cdf(v), cdf(v-gap)-float64(i)/n)
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

// gammaTails returns P(X ≤ x) and P(X > x) of the Gamma law of shape a: by the
// power series below the mean and by Legendre's continued fraction above it.
func gammaTails(a, x float64) (below, above float64) {
	if x <= 0 {
		return 0, 1
	}
	lg, _ := math.Lgamma(a)
	front := math.Exp(a*math.Log(x) - x - lg)
	if x < a+1 {
		sum, term := 1/a, 1/a
		for k := a + 1; term > 1e-17*sum; k++ {
			term *= x / k
			sum += term
		}
		return front * sum, 1 - front*sum
	}
	b := x + 1 - a // modified Lentz
	c, d := math.Inf(1), 1/b
	f := d
	for i := 1.0; ; i++ {
		numerator := -i * (i - a)
		b += 2
		d = 1 / (b + numerator*d)
		c = b + numerator/c
		f *= c * d
		if math.Abs(c*d-1) < 1e-15 {
			return 1 - front*f, front * f
		}
	}
}

// TestGammaTails checks the checker, against laws that have closed forms.
func TestGammaTails(t *testing.T) {
	for _, x := range []float64{1e-6, 0.3, 1, 1.9, 2.1, 7, 30} {
		for _, tt := range []struct {
			shape, want float64
		}{
			{0.5, math.Erfc(math.Sqrt(x))},
			{1, math.Exp(-x)},
			{3, math.Exp(-x) * (1 + x + x*x/2)},
		} {
			below, above := gammaTails(tt.shape, x)
			if math.Abs(above-tt.want) > 1e-13 || math.Abs(below+above-1) > 1e-13 {
				t.Errorf("gammaTails(%v, %v) = %v, %v, want %v above", tt.shape, x, below, above, tt.want)
			}
		}
	}
	// The quantile of χ² on 1000 degrees of freedom at 10⁻³, from tables: 1143.92.
	if _, above := gammaTails(500, 1143.917/2); math.Abs(above-1e-3) > 1e-6 {
		t.Errorf("gammaTails(500, 571.96) = %v above, want 0.001", above)
	}
}

// million returns as many samples that fill makes, as floats.
func million(fill func([]int64)) []float64 {
	k := make([]int64, 1_000_000)
	fill(k)
	x := make([]float64, len(k))
	for i := range x {
		x[i] = float64(k[i])
	}
	return x
}
