package reproduce

import (
	"cmp"
	"math"
	"slices"

	"sotto/compute/nn"
)

// Spearman returns the rank correlation of a and b: the correlation of their
// ranks, where equal values share the mean of their ranks. It is NaN if there
// are fewer than two, if all values of a or of b are equal, or if one is NaN.
// It panics if the lengths differ.
func Spearman(a, b []float64) float64 {
	if len(a) != len(b) {
		panic("reproduce: Spearman of slices of different length")
	}
	if slices.ContainsFunc(a, math.IsNaN) || slices.ContainsFunc(b, math.IsNaN) {
		return math.NaN()
	}
	return pearson(ranks(a), ranks(b))
}

// ranks returns the rank of each value, from 1.
func ranks(values []float64) []float64 {
	order := nn.Indices(len(values))
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(values[i], values[j]) })
	rank := make([]float64, len(values))
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && values[order[hi]] == values[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			rank[i] = float64(lo+1+hi) / 2
		}
		lo = hi
	}
	return rank
}

func pearson(a, b []float64) float64 {
	n := float64(len(a))
	var ma, mb float64
	for i := range a {
		ma += a[i] / n
		mb += b[i] / n
	}
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb)
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
	}
	if !(aa > 0 && bb > 0) {
		return math.NaN()
	}
	return max(-1, min(1, ab/math.Sqrt(aa*bb)))
}

// SpearmanInterval returns the 95 % interval of a rank correlation r of n
// pairs: atanh(r) ± 1.96·√((1+r²/2)/(n−3)), mapped back by tanh, after Bonett
// and Wright, Psychometrika 2000. Both ends are NaN for fewer than four pairs.
func SpearmanInterval(r float64, n int) (low, high float64) {
	if n < 4 || math.IsNaN(r) {
		return math.NaN(), math.NaN()
	}
	const quantile = 1.959963984540054
	z, width := math.Atanh(r), quantile*math.Sqrt((1+r*r/2)/float64(n-3))
	return math.Tanh(z - width), math.Tanh(z + width)
}

// cosine returns the cosine of the angle between u and v, and 0 if one of them
// is zero: whoever knows no word of a text knows no similarity.
func cosine(u, v []float32) float64 {
	uu, vv := inner(u, u), inner(v, v)
	if !(uu > 0 && vv > 0) {
		return 0
	}
	return inner(u, v) / math.Sqrt(uu*vv)
}
