package audit_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/promise/audit"
)

// For k = n the lower bound is alpha^{1/n}, and for k = 0 the upper one its
// complement.
func TestBoundClosedForms(t *testing.T) {
	const alpha = 0.05
	for _, tt := range []struct {
		name   string
		counts audit.Counts
		delta  float64
		want   float64
	}{
		{
			name: "always against never", counts: audit.Counts{Hits: 1000, Draws: 1000, Hits2: 0, Draws2: 1000},
			want: math.Log(math.Pow(alpha/2, 1e-3)) - math.Log(1-math.Pow(alpha/2, 1e-3)),
		},
		{
			name: "always against always", counts: audit.Counts{Hits: 500, Draws: 500, Hits2: 500, Draws2: 500},
			want: math.Log(math.Pow(alpha/2, 1.0/500)),
		},
		{name: "never", counts: audit.Counts{Hits: 0, Draws: 10, Hits2: 5, Draws2: 10}, want: math.Inf(-1)},
		{
			name: "delta eats the event", counts: audit.Counts{Hits: 10, Draws: 1000, Hits2: 0, Draws2: 1000}, delta: 0.5,
			want: math.Inf(-1),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.counts.Bound(alpha, tt.delta)
			// Bounds are a millionth on the safe side.
			if !(got <= tt.want && got >= tt.want-1e-5) && got != tt.want {
				t.Errorf("Bound(%v, %v) of %+v = %v, want %v or a little less", alpha, tt.delta, tt.counts, got, tt.want)
			}
		})
	}
}

// binomialTail sums P(Bin(n, p) ≥ k) directly, an independent way to what the
// incomplete beta function gives.
func binomialTail(n, k int, p float64) float64 {
	sum := 0.0
	for i := k; i <= n; i++ {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(i + 1))
		c, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(a - b - c + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

func TestClopperPearsonAgainstBinomial(t *testing.T) {
	for _, tt := range []struct {
		k, n  int64
		alpha float64
	}{{1, 10, 0.05}, {3, 10, 0.025}, {50, 100, 1e-5}, {999, 1000, 1e-6}, {7, 5000, 0.01}} {
		lo, hi := audit.Lower(tt.k, tt.n, tt.alpha), audit.Upper(tt.k, tt.n, tt.alpha)
		// By definition P(Bin(n, lo) ≥ k) = alpha and P(Bin(n, hi) ≤ k) = alpha.
		// Both are a millionth on the safe side, where the tail is a little less.
		if got := binomialTail(int(tt.n), int(tt.k), lo); !(got <= tt.alpha && got > tt.alpha*0.99) {
			t.Errorf("Lower(%d, %d, %v) = %v has tail %v, want %v", tt.k, tt.n, tt.alpha, lo, got, tt.alpha)
		}
		if got := 1 - binomialTail(int(tt.n), int(tt.k)+1, hi); !(got <= tt.alpha && got > tt.alpha*0.99) {
			t.Errorf("Upper(%d, %d, %v) = %v has tail %v, want %v", tt.k, tt.n, tt.alpha, hi, got, tt.alpha)
		}
	}
}

// The bound must hold with its confidence: over many experiments on an event
// whose ratio is exactly e^ε it may exceed ε in at most a share alpha of them.
func TestBoundCoverage(t *testing.T) {
	const (
		alpha, epsilon  = 0.1, 1.5
		draws, attempts = 300, 4000
	)
	q := 0.12
	p := q * math.Exp(epsilon)
	rng := weakrand.New(weakrand.NewPCG(7, 9))
	hits := func(p float64) int64 {
		n := int64(0)
		for range draws {
			if rng.Float64() < p {
				n++
			}
		}
		return n
	}
	wrong := 0
	for range attempts {
		c := audit.Counts{Hits: hits(p), Draws: draws, Hits2: hits(q), Draws2: draws}
		if c.Bound(alpha, 0) > epsilon {
			wrong++
		}
	}
	// Under the theorem wrong ≤ Bin(4000, 0.1); it exceeds its mean by 4.3
	// deviations of √(4000·0.1·0.9) ≈ 19 with probability below 1e-5.
	if limit := attempts*alpha + 4.3*19; float64(wrong) > limit {
		t.Errorf("the bound exceeded the truth in %d of %d experiments, want at most %v", wrong, attempts, limit)
	}
}

// One hit in many draws has closed forms, where the incomplete beta function
// is least accurate: 1 − (1−alpha)^{1/n} below, and above the root of
// (1−q)^n + nq(1−q)^{n−1} = alpha.
func TestOneHit(t *testing.T) {
	for _, n := range []int64{10, 1e3, 1e5, 1e7} {
		for _, alpha := range []float64{0.4, 1e-3, 1e-6} {
			exact := -math.Expm1(math.Log1p(-alpha) / float64(n))
			if got := audit.Lower(1, n, alpha); !(got <= exact && got > exact*(1-1e-5)) {
				t.Errorf("Lower(1, %d, %v) = %v, want %v or a little less", n, alpha, got, exact)
			}
			q := audit.Upper(1, n, alpha)
			tail := math.Exp(float64(n-1)*math.Log1p(-q)) * (1 - q + float64(n)*q)
			if !(tail <= alpha && tail > alpha*0.99) {
				t.Errorf("Upper(1, %d, %v) = %v has tail %v, want %v or a little less", n, alpha, q, tail, alpha)
			}
		}
	}
}

func TestGuessAndRecoveryBounds(t *testing.T) {
	// All guesses right: p = alpha^{1/n}.
	p := math.Pow(0.05, 1.0/200)
	if got, want := audit.GuessBound(200, 200, 0.05), math.Log(p/(1-p)); !(got <= want && got > want-1e-3) {
		t.Errorf("GuessBound(200, 200, 0.05) = %v, want %v", got, want)
	}
	if got, want := audit.RecoveryBound(200, 200, 50, 0.05), math.Log(p)+50; !(got <= want && got > want-1e-5) {
		t.Errorf("RecoveryBound(200, 200, 50, 0.05) = %v, want %v", got, want)
	}
	if got := audit.RecoveryBound(0, 200, 50, 0.05); !math.IsInf(got, -1) {
		t.Errorf("RecoveryBound(0, 200, 50, 0.05) = %v, want -Inf", got)
	}
}
