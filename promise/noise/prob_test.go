package noise_test

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/promise/noise"
)

// recovered returns what f panics with, as text, or "".
func recovered(f func()) (message string) {
	defer func() {
		if v := recover(); v != nil {
			message = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}

func hasPrefix(got, want string) bool { return want != "" && strings.HasPrefix(got, want) }

// probRat returns t/2⁶⁴.
func probRat(p noise.Prob) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetInt(bigInt(uint64(p))), power(-64))
}

// probs returns numbers in [0, 1] of all sizes.
func probs() []float64 {
	p := []float64{
		0, math.SmallestNonzeroFloat64, 0x1p-1022, 0x1p-65, 0x1p-64, 0x1.8p-64, 0x1p-63, 0x1.fffffffffffffp-12,
		0.1, 1.0 / 3, 0.5 - 0x1p-54, 0.5, 0.5 + 0x1p-53, 0.75, 1 - 0x1p-53, 1,
	}
	rng := weakrand.New(weakrand.NewPCG(7, 8))
	for range 2000 {
		v := math.Ldexp(rng.Float64(), -rng.IntN(70))
		p = append(p, v, 1-v)
	}
	return p
}

func TestProbBrackets(t *testing.T) {
	unit := power(-64)
	for _, p := range probs() {
		exact := new(big.Rat).SetFloat64(p)
		below, above := noise.ProbBelow(p), noise.ProbAbove(p)
		if below < 1 || above < 1 {
			t.Fatalf("ProbBelow(%v), ProbAbove(%v) = %d, %d, want neither to be 0", p, p, below, above)
		}
		// Below: t ≤ p·2⁶⁴ < t+1, unless that would be t = 0, kept away from.
		if b := probRat(below); (b.Cmp(exact) > 0 && below != 1) ||
			(b.Add(b, unit).Cmp(exact) <= 0 && below != math.MaxUint64) {
			t.Errorf("ProbBelow(%v) = %d, want the largest not above", p, below)
		}
		// Above: t−1 < p·2⁶⁴ ≤ t, unless that would be t = 2⁶⁴.
		if a := probRat(above); (a.Cmp(exact) < 0 && above != math.MaxUint64) ||
			(a.Sub(a, unit).Cmp(exact) >= 0 && above != 1) {
			t.Errorf("ProbAbove(%v) = %d, want the smallest not below", p, above)
		}
	}
	for _, tt := range []struct {
		p            float64
		below, above noise.Prob
	}{
		{0, 1, 1},
		{0x1p-65, 1, 1},
		{0x1.8p-64, 1, 2},
		{0x1.8p-63, 3, 3},
		{0.5, 1 << 63, 1 << 63},
		{1 - 0x1p-53, -1 << 11 & math.MaxUint64, -1 << 11 & math.MaxUint64},
		{1, math.MaxUint64, math.MaxUint64},
	} {
		if below, above := noise.ProbBelow(tt.p), noise.ProbAbove(tt.p); below != tt.below || above != tt.above {
			t.Errorf("ProbBelow, ProbAbove(%v) = %d, %d, want %d, %d", tt.p, below, above, tt.below, tt.above)
		}
	}
}

func TestProbPanics(t *testing.T) {
	for _, p := range []float64{math.NaN(), -math.SmallestNonzeroFloat64, -1, 1 + 0x1p-52, math.Inf(1), math.Inf(-1)} {
		for _, f := range []func(float64) noise.Prob{noise.ProbBelow, noise.ProbAbove} {
			if got := recovered(func() { f(p) }); !hasPrefix(got, "noise: probability is") {
				t.Errorf("a Prob of %v panics with %q, want a message", p, got)
			}
		}
	}
}

// thresholds returns the integers of Probs near 0, ½ and 1, and others.
func thresholds() []noise.Prob {
	t := []noise.Prob{1, 2, 3, 1<<62 - 1, 1 << 62, 1<<63 - 1, 1 << 63, 1<<63 + 1, math.MaxUint64 - 1, math.MaxUint64}
	rng := weakrand.New(weakrand.NewPCG(9, 10))
	for range 2000 {
		v := noise.Prob(rng.Uint64()>>rng.IntN(64)) | 1
		t = append(t, v, -v, 1<<63+v>>1, 1<<63-v>>1)
	}
	return t
}

func TestProbNot(t *testing.T) {
	for _, p := range thresholds() {
		sum := probRat(p)
		if sum.Add(sum, probRat(p.Not())).Cmp(power(0)) != 0 {
			t.Errorf("Prob(%d).Not() = %d, want a sum of 2⁶⁴", p, p.Not())
		}
		if want, _ := probRat(p).Float64(); p.Float64() != want {
			t.Errorf("Prob(%d).Float64() = %v, want %v", p, p.Float64(), want)
		}
	}
}

// worstLog returns the largest relative error of Log.
func worstLog() (worst float64, at noise.Prob) {
	for _, p := range thresholds() {
		if e := relative(p.Log(), ln(probRat(p))); e > worst {
			worst, at = e, p
		}
	}
	return worst, at
}

// TestProbLog demands what Log promises, a few units in the last place: four,
// of up to 2⁻⁵² each.
func TestProbLog(t *testing.T) {
	worst, at := worstLog()
	t.Logf("Prob(%d).Log() has the largest relative error, %.3g", at, worst)
	if worst > 1e-14 {
		t.Errorf("Prob(%d).Log() = %v has a relative error of %.3g, want at most 1e-14", at, at.Log(), worst)
	}
	if worst > 4*0x1p-52 {
		t.Errorf("Prob(%d).Log() = %v has a relative error of %.3g, want a few units of 2.2e-16", at, at.Log(), worst)
	}
}

// TestLogRatio takes ratios of all sizes, many of them next to 1, against the
// logarithm of the exact fraction. Four units, as for Log.
func TestLogRatio(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(21, 22))
	fraction := func(p noise.Prob, a uint64, q noise.Prob, b uint64) *big.Rat {
		above, below := bigInt(uint64(p)), bigInt(uint64(q))
		return new(big.Rat).SetFrac(above.Mul(above, bigInt(a)), below.Mul(below, bigInt(b)))
	}
	worst := 0.0
	check := func(p noise.Prob, a uint64, q noise.Prob, b uint64) {
		t.Helper()
		got, exact := noise.LogRatio(p, a, q, b), fraction(p, a, q, b)
		if exact.Cmp(power(0)) == 0 {
			if got != 0 {
				t.Errorf("LogRatio(%d, %d, %d, %d) = %v, want 0", p, a, q, b, got)
			}
			return
		}
		e := relative(got, ln(exact))
		worst = max(worst, e)
		if !(e <= 4*0x1p-52) {
			t.Errorf("LogRatio(%d, %d, %d, %d) = %v has a relative error of %.3g", p, a, q, b, got, e)
		}
		if back := noise.LogRatio(q, b, p, a); back != -got {
			t.Errorf("LogRatio(%d, %d, %d, %d) = %v, want %v", q, b, p, a, back, -got)
		}
	}
	for _, p := range thresholds()[:2000] {
		a, near := rng.Uint64()>>rng.IntN(64)|1, rng.Uint64()>>(32+rng.IntN(32))
		check(p, a, noise.Prob(rng.Uint64()>>rng.IntN(64)|1), rng.Uint64()>>rng.IntN(64)|1)
		check(p, a, p, a)
		check(p, a, noise.Prob(a), uint64(p)) // equal products of different factors
		check(p, a, max(p, p+noise.Prob(near)), a)
		check(p, a, p, max(a, a+near))
		check(p, a, noise.Prob(max(a, a+1)), uint64(p))
	}
	check(math.MaxUint64, math.MaxUint64, 1, 1)
	check(math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64-1)
	t.Logf("the largest relative error is %.3g", worst)
}

func TestBernoulli(t *testing.T) {
	for _, p := range thresholds()[:100] {
		for _, w := range []uint64{0, uint64(p) - 1, uint64(p), uint64(p) + 1, uint64(p) ^ 1<<63, math.MaxUint64} {
			if got, want := scripted(w).Bernoulli(p), w < uint64(p); got != want {
				t.Errorf("Bernoulli(%d) from %d = %v, want %v", p, w, got, want)
			}
		}
	}
	for i, p := range []float64{1e-4, 0.1, 0.5, 0.7, 1 - 1e-4} {
		for name, s := range map[string]*noise.Stream{"seeded": seeded(t, byte(50+i)), "Crypto": noise.Crypto()} {
			const n = 500_000
			hits := 0
			for range n {
				if s.Bernoulli(noise.ProbBelow(p)) {
					hits++
				}
			}
			checkRate(t, fmt.Sprintf("Bernoulli(%v), %s", p, name), hits, n, p, 1)
		}
	}
}

// TestIntNExact counts, for a value v, the words that are mapped to it. They
// follow each other; their products' low halves are n apart; so at most the
// first is refused, and what remains must be ⌊2⁶⁴/n⌋ for every v.
func TestIntNExact(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(11, 12))
	for range 3000 {
		n := rng.Uint64()>>rng.IntN(63) + 2
		v := rng.Uint64N(n)
		if rng.IntN(10) == 0 {
			v = []uint64{0, n - 1}[rng.IntN(2)]
		}
		first, last := preimage(v, n), preimage(v+1, n)-1 // wraps to 2⁶⁴−1 for the last value
		each, rest := bits.Div64(1, 0, n)                 // 2⁶⁴ = each·n + rest
		count := last - first + 1
		for i, w := range []uint64{first, first + min(1, last-first), last} {
			src := &script{words: []uint64{w}}
			for len(src.words) < 200 { // that many refusals have a chance of 2⁻²⁰⁰
				src.words = append(src.words, rng.Uint64())
			}
			got := noise.From(src).IntN(n)
			switch refused := src.used > 1; {
			case !refused && got != v:
				t.Errorf("IntN(%d) from %d = %d, want %d", n, w, got, v)
			case refused && w != first:
				t.Errorf("IntN(%d) refuses %d, which is not the first word of %d", n, w, v)
			case refused && i == 0:
				count--
			}
		}
		if count != each {
			t.Errorf("IntN(%d) maps %d words to %d, want %d for each value (rest %d)", n, count, v, each, rest)
		}
	}
}

// preimage returns the first word w with ⌊w·n/2⁶⁴⌋ ≥ v, ⌈v·2⁶⁴/n⌉, modulo 2⁶⁴.
func preimage(v, n uint64) uint64 {
	w, rest := new(big.Int).DivMod(new(big.Int).Lsh(bigInt(v), 64), bigInt(n), new(big.Int))
	if rest.Sign() != 0 {
		w.Add(w, big.NewInt(1))
	}
	return w.And(w, bigInt(math.MaxUint64)).Uint64()
}

func TestIntNLaw(t *testing.T) {
	for i, tt := range []struct {
		n     uint64
		cells uint64 // values are counted modulo this
	}{
		{1, 1},
		{2, 2},
		{3, 3},
		{10, 10},
		{1000, 1000},
		{3 << 62, 3}, // without refusals a multiple of 3 comes up twice as often
		{5 << 61, 5},
		{math.MaxUint64, 3},
	} {
		s, seen := seeded(t, byte(60+i)), make([]int, tt.cells)
		for range 300_000 {
			v := s.IntN(tt.n)
			if v >= tt.n {
				t.Fatalf("IntN(%d) = %d", tt.n, v)
			}
			seen[v%tt.cells]++
		}
		if tt.cells > 1 {
			checkCounts(t, fmt.Sprintf("IntN(%d)", tt.n), seen, slices.Repeat([]float64{1 / float64(tt.cells)}, int(tt.cells)))
		}
	}
	if got := recovered(func() { seeded(t, 1).IntN(0) }); !hasPrefix(got, "noise: IntN of 0") {
		t.Errorf("IntN(0) panics with %q", got)
	}
}

func FuzzIntN(f *testing.F) {
	f.Add(uint64(1), uint64(0), uint64(0))
	f.Add(uint64(3), uint64(0), uint64(math.MaxUint64))
	f.Add(uint64(3)<<62, uint64(0), uint64(4))
	f.Add(uint64(math.MaxUint64), uint64(math.MaxUint64), uint64(0))
	f.Fuzz(func(t *testing.T, n, first, second uint64) {
		if n == 0 {
			return
		}
		src := &script{words: []uint64{first, second}}
		for rng := weakrand.NewPCG(first, second); len(src.words) < 200; {
			src.words = append(src.words, rng.Uint64())
		}
		got := noise.From(src).IntN(n)
		if want, low := bits.Mul64(src.words[src.used-1], n); got >= n || got != want || low < -n%n {
			t.Errorf("IntN(%d) from %d = %d, want %d", n, src.words[src.used-1], got, want)
		}
		for _, w := range src.words[:src.used-1] {
			if _, low := bits.Mul64(w, n); low >= -n%n {
				t.Errorf("IntN(%d) refused %d", n, w)
			}
		}
	})
}
