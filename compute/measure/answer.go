package measure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"sotto/compute/nn"
	"sotto/promise/dp"
)

// AnswerAccuracy is [Yardstick] counted instead of computed: how often the best
// answer of that family is right on rows with known labels, when the trusted
// side ranks the classes by the given scores, rows × classes, such as logits.
// Only the ranks count, so a model that is too sure of itself does not raise
// it. It estimates what a release of the model's own answer would reach at ε:
//
//	max over m, j of (P(y ∈ M) + (e^ε−1)·P(y ∈ T(x))) / (m + (e^ε−1)·j),
//
// with M the m commonest classes and T(x) the j of them with the best scores.
// Rows with a negative label do not count.
func AnswerAccuracy(epsilon dp.Epsilon, scores nn.Matrix, labels []int) (float64, error) {
	if !(epsilon >= 0) {
		return 0, fmt.Errorf("measure: epsilon is %v, must be non-negative", float64(epsilon))
	}
	if len(labels) != scores.Rows {
		panic(fmt.Sprintf("measure: AnswerAccuracy of %d labels, want %d", len(labels), scores.Rows))
	}
	for _, v := range scores.Data {
		if !(math.Abs(float64(v)) <= math.MaxFloat32) {
			return 0, errors.New("measure: scores hold NaN or infinity, must be finite")
		}
	}
	classes := scores.Cols
	counts, known := make([]float64, classes), 0.0
	for _, y := range labels {
		if y >= classes {
			return 0, fmt.Errorf("measure: a label is out of range, must be below %d", classes)
		}
		if y >= 0 {
			counts[y]++
			known++
		}
	}
	if known == 0 {
		return math.NaN(), nil
	}
	common := nn.Indices(classes) // commonest first
	slices.SortStableFunc(common, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	best, mass := 0.0, 0.0
	for m := 1; m <= classes; m++ {
		mass += counts[common[m-1]] / known
		// right[j−1] is the share of rows whose label is the j-th best of M.
		right := make([]float64, m)
		for i, y := range labels {
			if y >= 0 {
				if place, ok := rank(scores.Row(i), common[:m], y); ok {
					right[place] += 1 / known
				}
			}
		}
		top := 0.0
		for j, share := range right {
			top += share
			best = max(best, answer(epsilon, mass, top, float64(m), float64(j+1)))
		}
	}
	return min(best, 1), nil
}

// answer is (mass + (e^ε−1)·top) / (m + (e^ε−1)·j), written so that it does not
// overflow.
func answer(epsilon dp.Epsilon, mass, top, m, j float64) float64 {
	small := math.Exp(-float64(epsilon))
	return (mass*small + (1-small)*top) / (m*small + (1-small)*j)
}

// rank returns how many of the given classes score above class y, the earlier
// of equals counting as above, and whether y is one of them.
func rank(scores []float32, classes []int, y int) (place int, ok bool) {
	if !slices.Contains(classes, y) {
		return 0, false
	}
	for _, c := range classes {
		if scores[c] > scores[y] || scores[c] == scores[y] && c < y {
			place++
		}
	}
	return place, true
}
