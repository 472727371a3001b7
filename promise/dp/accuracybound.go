package dp

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// AccuracyBound returns the best accuracy with which anybody, classifier or attacker,
// can guess a label from one ε-DP release (text-level, δ = 0), when the
// label's classes have the given prior probabilities.
//
// Theorem. With classes in decreasing order of prior and π_m = e^ε/(e^ε+m−1),
// no guess is right with probability above max_m π_m·(prior₁ + … + prior_m),
// and randomised response over the m commonest classes attains it.
//
// Proof. Merge all texts of a class (joint convexity keeps ε) and all releases
// with the same guess. Let P(c|d) be the probability of guessing c on class d
// and q_c its minimum over d. Then a_c = P(c|c) satisfies a_c ≤ e^ε·q_c, and
// the probabilities on class c sum to 1, so a_c ≤ 1 − Σ_{d≠c} q_d. Raising q_c
// past the point where the two bounds meet lowers the others' bounds and not
// a_c's own, so at an optimum a_c = e^ε·q_c with every q_c ≤ 1/(e^ε−1)·(1−Σq).
// Those q form a polytope whose vertices have some m of them equal to
// 1/(e^ε+m−1) and the rest 0; the accuracy Σ prior_c·e^ε·q_c is linear, hence
// largest at a vertex, and there the m commonest classes are the best. ∎
//
// Priors may leave out rare classes: what is missing from 1 is taken to lie in
// classes as common as the rarest one given, which can only raise the bound.
func AccuracyBound(epsilon Epsilon, priors []float64) (float64, error) {
	if !(epsilon >= 0) {
		return 0, fmt.Errorf("dp: epsilon is %v, must be non-negative", float64(epsilon))
	}
	p := slices.Clone(priors)
	slices.SortFunc(p, func(a, b float64) int { return cmp.Compare(b, a) })
	sum := 0.0
	for _, v := range p {
		if !(v > 0 && v <= 1) {
			return 0, fmt.Errorf("dp: a prior is %v, must be in (0, 1]", v)
		}
		sum += v
	}
	if len(p) == 0 || !(sum <= 1+1e-6) {
		return 0, fmt.Errorf("dp: %d priors sum to %v, must be at least one and at most 1", len(p), sum)
	}
	best, mass := 0.0, 0.0
	consider := func(m, mass float64) {
		// mass·e^ε/(e^ε+m−1), written so that it does not overflow.
		best = max(best, min(mass, 1)/(1+(m-1)*math.Exp(-float64(epsilon))))
	}
	for m, v := range p {
		mass += v
		consider(float64(m+1), mass)
	}
	if rest := 1 - sum; rest > 0 {
		// Each missing class adds at most the rarest prior given. A ratio of two
		// linear functions of m is monotone, so only the ends matter.
		rarest := p[len(p)-1]
		full := min(math.Floor(rest/rarest), 1e300) // finite, so that no product is NaN
		consider(float64(len(p))+full, mass+full*rarest)
		consider(float64(len(p))+full+1, 1)
	}
	return best, nil
}
