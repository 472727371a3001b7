package channel

import (
	"cmp"
	"math"
	"slices"

	"sotto/promise/dp"
)

// Probabilities writes to dst how likely each answer is for a text: its weight
// at least, and e^ε times that for the answers with the best scores, as far as
// the probabilities have room. Their sum is 1 if the weights are those of a
// channel, Σw ≤ 1 ≤ e^ε·Σw, as [Solve] gives them; equal scores count in the order
// of the answers. It panics if the lengths differ.
func Probabilities(dst, weights []float64, epsilon dp.Epsilon, scores []float32) {
	if len(dst) != len(weights) || len(scores) != len(weights) {
		panic("channel: Probabilities of different numbers of answers")
	}
	rest := 1.0
	order := make([]int, len(weights))
	for v, w := range weights {
		dst[v], order[v] = w, v
		rest -= w
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	for _, v := range order {
		if weights[v] == 0 {
			continue // e^ε may be infinite
		}
		more := min(math.Expm1(float64(epsilon))*weights[v], max(rest, 0))
		dst[v] += more
		rest -= more
	}
}
