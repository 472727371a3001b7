package audit

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Counts says how often an event happened among the releases of two inputs.
type Counts struct {
	Hits, Draws   int64 // on x
	Hits2, Draws2 int64 // on x′
}

// Bound returns an ε that the mechanism's must reach, with probability at
// least 1−alpha over the draws: ln((p−δ)/q), where p is a lower and q an upper
// Clopper–Pearson bound at alpha/2 each. It is −∞ where nothing follows.
//
// Theorem. If the mechanism is (ε, δ)-DP, P(S|x) ≤ e^ε·P(S|x′) + δ; with
// probability 1−alpha both bounds hold, and then ε ≥ ln((p−δ)/q).
func (c Counts) Bound(alpha, delta float64) float64 {
	p := lower(c.Hits, c.Draws, alpha/2) - delta
	if !(p > 0) {
		return math.Inf(-1)
	}
	return math.Log(p) - math.Log(upper(c.Hits2, c.Draws2, alpha/2))
}

// margin is above the relative error of the incomplete beta function, 2·10⁻⁸
// for one hit in 10⁷ draws.
const margin = 1e-6

// lower returns the Clopper–Pearson lower bound of a probability of which k
// hits were seen in n draws: BetaInv(alpha; k, n−k+1).
func lower(k, n int64, alpha float64) float64 {
	if k <= 0 || n <= 0 {
		return 0
	}
	return betaQuantile(float64(k), float64(n-k+1), alpha) * (1 - margin)
}

// upper returns the Clopper–Pearson upper bound: 1 − lower of the misses.
func upper(k, n int64, alpha float64) float64 {
	if k >= n {
		return 1
	}
	if k == 0 {
		return -math.Expm1(math.Log(alpha) / float64(n)) // 1 − alpha^{1/n}
	}
	if 2*k > n { // near 1 the misses have the digits
		return 1 - lower(n-k, n, alpha)
	}
	// BetaInv(1−alpha; k+1, n−k), found by its complement to keep digits.
	return min(1, betaUpperQuantile(float64(k+1), float64(n-k), alpha)*(1+margin))
}

// betaQuantile returns p with I_p(a, b) = alpha, by bisection on ln p: slower
// than a Newton step, and it always converges.
func betaQuantile(a, b, alpha float64) float64 {
	return bisectLog(func(p float64) bool { return mathext.RegIncBeta(a, b, p) > alpha })
}

// betaUpperQuantile returns p with 1 − I_p(a, b) = alpha.
func betaUpperQuantile(a, b, alpha float64) float64 {
	return bisectLog(func(p float64) bool { return mathext.RegIncBeta(b, a, 1-p) < alpha })
}

// bisectLog returns where above turns from false to true in (0, 1).
func bisectLog(above func(p float64) bool) float64 {
	lo, hi := -700.0, 0.0
	for hi-lo > 1e-12 {
		mid := (lo + hi) / 2
		if above(math.Exp(mid)) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return math.Exp((lo + hi) / 2)
}

// GuessBound returns the ε that follows from right guesses of fair coins: for
// each release the mechanism ran on x or x′ as a fresh coin fell, and of the
// guesses made, right ones were right.
//
// Theorem. Under (ε, 0)-DP each guess is right with odds of at most e^ε, whatever
// went before, so the number of right ones is at most a binomial one, and
// ε ≥ logit(BetaInv(alpha; right, guesses−right+1)) with confidence 1−alpha.
func GuessBound(right, guesses int64, alpha float64) float64 {
	p := lower(right, guesses, alpha)
	if p == 0 {
		return math.Inf(-1)
	}
	return math.Log(p) - math.Log1p(-p)
}

// RecoveryBound returns the ε that follows from recovering inputs: of trials
// with an input drawn uniformly from e^logInputs ones, hits were recovered
// exactly.
//
// Theorem. Under (ε, 0)-DP the probability of recovering an input that is
// uniform on M ones is at most e^ε/M. Proof. It is (1/M)·Σ P(guess x|x) ≤
// (1/M)·Σ e^ε·P(guess x|x₀) ≤ e^ε/M for any x₀.
func RecoveryBound(hits, trials int64, logInputs, alpha float64) float64 {
	return math.Log(lower(hits, trials, alpha)) + logInputs
}
