package weat

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Statistic is what becomes of a word's nearness to all words of an attribute
// set. Its value is its name.
type Statistic string

// The statistics in use. Minimum and maximum are of the measure as it is: the
// least distance is that to the nearest word, the least cosine to the farthest.
const (
	Mean    Statistic = "mean"
	Median  Statistic = "median"
	Minimum Statistic = "min"
	Maximum Statistic = "max"
	// Optimum is the least |s(w, a) − s(w, b)| over all pairs, the smallest
	// association that can be read from the sets.
	Optimum Statistic = "optimum"
)

// Statistics lists the statistics.
func Statistics() []Statistic { return []Statistic{Mean, Median, Minimum, Maximum, Optimum} }

// ParseStatistic returns the statistic with the given name.
func ParseStatistic(name string) (Statistic, error) {
	return parse("statistic", name, Statistics()...)
}

// associate returns the association of each target word.
func (s Statistic) associate(n near) []float64 {
	f := map[Statistic]func([]float64) float64{Mean: mean, Median: median, Minimum: slices.Min[[]float64], Maximum: slices.Max[[]float64]}[s]
	scores := make([]float64, len(n.a))
	for i := range scores {
		if s == Optimum {
			scores[i] = optimum(n.a[i], n.b[i])
		} else {
			scores[i] = f(n.a[i]) - f(n.b[i])
		}
	}
	return scores
}

func mean(x []float64) float64 { return stat.Mean(x, nil) }

func median(x []float64) float64 {
	sorted := slices.Sorted(slices.Values(x))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

func optimum(a, b []float64) float64 {
	least := math.Inf(1)
	for _, x := range a {
		for _, y := range b {
			least = min(least, math.Abs(x-y))
		}
	}
	return least
}

// effect returns the effect size of the scores of X and Y, of which the first
// nx are those of X, NaN if they do not differ.
func effect(scores []float64, nx int, population bool) float64 {
	deviation := stat.StdDev
	if population {
		deviation = stat.PopStdDev
	}
	by := deviation(scores, nil)
	if !(by > tolerance*floats.Norm(scores, math.Inf(1))) {
		return math.NaN()
	}
	return (mean(scores[:nx]) - mean(scores[nx:])) / by
}
