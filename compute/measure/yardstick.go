package measure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sotto/compute/nn"
	"sotto/promise/dp"
)

// Yardstick returns the accuracy of the best of a family of ε-DP answers
// (text-level, δ = 0) to the question for a label, when the trusted side knows
// the posterior probabilities η(x) of the label's classes: rows × classes, one
// row for each x. priors say which classes are common; nil means the mean of
// the posteriors. It belongs beside [dp.AccuracyBound], which needs no model of x, and is
// never above that limit for the mean posteriors.
//
// The family. Let M be the m commonest classes and T(x) the j classes of M with
// the largest η(x). The answer is a class of M, drawn with weight e^ε if it is
// in T(x) and 1 if it is not. The weights sum to Z = m + (e^ε−1)·j for every x,
// so no answer's probability changes by more than e^ε: ε-DP. The answer is
// right with probability
//
//	E_x[Σ_{c∈M} η_c(x) + (e^ε−1)·Σ_{c∈T(x)} η_c(x)] / Z,
//
// and Yardstick is the largest of these over 1 ≤ j ≤ m ≤ classes. With j = 1
// the answer is randomised response around the likeliest class of M, with
// m = 1 the commonest class whatever x is; at ε = ∞ it is the mean of the
// largest posterior.
//
// What is proved. If η is the true posterior, the family attains the value. It
// is no upper limit in general: of three classes, where the second commonest is
// never the likeliest and the rarest is easy to tell, answers among the first
// and third do better (TestYardstickIsNoLimit: 0.781 against 0.754). It is the
// best of all ε-DP releases in two cases.
//
//   - Two classes. Merge the releases with the same guess, and let a(x) be the
//     probability of guessing class 1, l its infimum and h its supremum over x.
//     The accuracy E[η₀] + E[(η₁−η₀)·a] is largest for a = h where η₁ > η₀ and
//     a = l elsewhere, and then it is linear in (l, h). ε-DP asks h ≤ e^ε·l and
//     1−l ≤ e^ε·(1−h), so (l, h) lies in a triangle whose vertices are (0, 0),
//     (1, 1) and (1, e^ε)/(1+e^ε): m = 1 with either class, and m = 2 with j = 1.
//   - Exchangeable classes: the law of η(x) stays the same under a group of
//     permutations of the classes that takes every class to every other. Let
//     q_c be the infimum over x of the probability of guessing c. The best
//     accuracy for given q is that of a linear program, hence concave in q, so
//     averaging q over the group does not lower it: take q_c = q for all K
//     classes. For such q the best guess fills the classes in decreasing order
//     of η, each by (e^ε−1)·q above q, until 1−K·q is used up. That accuracy is
//     piecewise linear in q, with breaks where j classes are filled exactly,
//     q = 1/(K+(e^ε−1)·j), hence largest at a break: m = K and some j.
//
// It is a yardstick all the same, since η comes from a model: a poor model
// makes it low, an overconfident one makes it high. A utility above it is no
// refutation of ε; one above [dp.AccuracyBound] is.
//
// Rows must sum to 1 within 10⁻³ and are scaled to do so. The time is of the
// order of rows × classes².
func Yardstick(epsilon dp.Epsilon, posteriors nn.Matrix, priors []float64) (float64, error) {
	if !(epsilon >= 0) {
		return 0, fmt.Errorf("measure: epsilon is %v, must be non-negative", float64(epsilon))
	}
	if posteriors.Rows < 1 || posteriors.Cols < 1 {
		return 0, fmt.Errorf("measure: posteriors are %d×%d, must have rows and classes", posteriors.Rows, posteriors.Cols)
	}
	sums, means, err := rowSums(posteriors)
	if err != nil {
		return 0, err
	}
	if priors == nil {
		priors = means
	}
	order, err := commonestFirst(priors, posteriors.Cols)
	if err != nil {
		return 0, err
	}
	top := meanTops(posteriors, sums, order)

	// Numerator and denominator divided by e^ε, so that nothing overflows.
	least, most := math.Exp(-float64(epsilon)), -math.Expm1(-float64(epsilon))
	best := 0.0
	for m := range top {
		all := top[m][m]
		for j, tops := range top[m] {
			best = max(best, (least*all+most*tops)/(least*float64(m+1)+most*float64(j+1)))
		}
	}
	return min(best, 1), nil
}

// rowSums returns the sum of each row, and the mean of each column once every
// row is divided by its sum.
func rowSums(posteriors nn.Matrix) (sums, means []float64, err error) {
	sums, means = make([]float64, posteriors.Rows), make([]float64, posteriors.Cols)
	for i := range sums {
		row := posteriors.Row(i)
		for _, v := range row {
			if !(v >= 0) {
				return nil, nil, fmt.Errorf("measure: a posterior of row %d is negative or NaN, must be a probability", i)
			}
			sums[i] += float64(v)
		}
		if !(math.Abs(sums[i]-1) <= 1e-3) {
			return nil, nil, fmt.Errorf("measure: posteriors of row %d are out of balance, must sum to 1 within 0.001", i)
		}
		for c, v := range row {
			means[c] += float64(v) / sums[i] / float64(len(sums))
		}
	}
	return sums, means, nil
}

// commonestFirst returns the classes in decreasing order of prior.
func commonestFirst(priors []float64, classes int) ([]int, error) {
	if len(priors) != classes {
		return nil, fmt.Errorf("measure: number of priors is %d, must be that of classes, %d", len(priors), classes)
	}
	for _, v := range priors {
		if !(v >= 0 && v <= 1+1e-6) {
			return nil, fmt.Errorf("measure: a prior is %v, must be in [0, 1]", v)
		}
	}
	order := nn.Indices(classes)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(priors[b], priors[a]) })
	return order, nil
}

// meanTops returns in [m−1][j−1] the mean over rows of the sum of the j largest
// posteriors among the first m classes of order.
func meanTops(posteriors nn.Matrix, sums []float64, order []int) [][]float64 {
	tops := make([][]float64, len(order))
	for m := range tops {
		tops[m] = make([]float64, m+1)
	}
	sorted := make([]float64, 0, len(order)) // in decreasing order
	for i, sum := range sums {
		row := posteriors.Row(i)
		sorted = sorted[:0]
		for m, c := range order {
			v := float64(row[c]) / sum
			at, _ := slices.BinarySearchFunc(sorted, v, func(a, b float64) int { return cmp.Compare(b, a) })
			sorted = slices.Insert(sorted, at, v)
			total := 0.0
			for j, w := range sorted {
				total += w
				tops[m][j] += total
			}
		}
	}
	for _, row := range tops {
		for j := range row {
			row[j] /= float64(len(sums))
		}
	}
	return tops
}
