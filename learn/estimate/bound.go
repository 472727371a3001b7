package estimate

import "math"

// bounded is a number that depends on a release and has one of few values, with
// the probability of each value for one kind of input.
type bounded struct {
	values []float64
	// of holds, for inputs that count, the probability of each value; and others
	// the same for each kind of input that does not.
	of     []float64
	others [][]float64
}

// interval returns a confidence interval of the share of inputs that count, where
// the number is on average 1 for these and 0 for all others, from its mean over n
// releases.
//
// Chernoff. Whatever kinds the other inputs are of, the mean of n numbers is at least
// m with probability at most (s·A(λ) + (1−s)·B(λ))ⁿ·e^(−λnm) for every λ > 0, where s
// is the share, A(λ) the mean of e^(λ·number) for inputs that count and B(λ) the
// largest such mean of the others. The shares for which that is below half of what the
// interval may err are too small to be true. Since the bound is linear in s within the
// power, each λ with A > B cuts off s < (E − B)/(A − B), E = e^(λm)·(err/2)^(1/n); the
// best of some λ is taken, and any of them holds. The other end has λ < 0. So the
// interval covers with at least the given confidence at every n.
func (b bounded) interval(mean float64, n int, confidence float64) (low, high float64) {
	err := math.Log((1-confidence)/2) / float64(n)
	variance := b.variance(mean)
	best := math.Sqrt(-2 * err / max(variance, 1e-300)) // of a normal mean
	low, high = 0, 1
	exps := make([]float64, len(b.values))
	for step := -12; step <= 12; step++ {
		by := best * math.Exp2(float64(step)/4)
		for _, lambda := range [2]float64{by, -by} {
			// All are less 1, which keeps the digits that count where n is large.
			e := math.Expm1(float64(lambda*mean) + err)
			for i, v := range b.values {
				exps[i] = math.Expm1(lambda * v)
			}
			a, other := dot(b.of, exps), math.Inf(-1)
			for _, p := range b.others {
				other = max(other, dot(p, exps))
			}
			switch {
			case !(math.Abs(a) < math.MaxFloat64 && math.Abs(other) < math.MaxFloat64): // too large a λ
			case lambda > 0 && a > other:
				low = max(low, (e-other)/(a-other))
			case lambda < 0 && a < other:
				high = min(high, (other-e)/(other-a))
			}
		}
	}
	return min(low, 1), max(high, 0)
}

// variance returns the most that the number can vary if its mean is m.
func (b bounded) variance(mean float64) float64 {
	square := func(p []float64) float64 {
		sum := 0.0
		for i, v := range b.values {
			sum += p[i] * v * v
		}
		return sum
	}
	most := square(b.of)
	for _, p := range b.others {
		most = max(most, square(p))
	}
	return max(most-float64(mean*mean), most*1e-3)
}

// dot returns Σ a·b.
func dot(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += float64(v * b[i])
	}
	return sum
}
