package measure

import (
	"cmp"
	"math"
	"slices"

	"sotto/compute/nn"
)

// AUC is the area under the receiver operating characteristic: the probability
// that a positive row scores above a negative one, both drawn at random, where
// equal scores count one half (the Mann–Whitney statistic). It is in [0, 1],
// and 1/2 for scores that say nothing. It is NaN if there is no positive or no
// negative row, or a score is NaN. It panics if the lengths differ.
func AUC(positive []bool, score []float64) float64 {
	sameLength("scores", len(score), len(positive))
	if slices.ContainsFunc(score, math.IsNaN) {
		return undefined
	}
	order := nn.Indices(len(score))
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(score[a], score[b]) })

	// twice counts each pair that is in order as 2 and each tie as 1, which
	// stays an integer and so does not depend on the order of rows.
	var twice, positives, negatives int
	for lo := 0; lo < len(order); {
		hi, p := lo, 0
		for ; hi < len(order) && score[order[hi]] == score[order[lo]]; hi++ {
			if positive[order[hi]] {
				p++
			}
		}
		n := hi - lo - p
		twice += p * (2*negatives + n)
		positives += p
		negatives += n
		lo = hi
	}
	return float64(twice) / 2 / (float64(positives) * float64(negatives))
}
