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

// Summary says what a measure and statistic find over several tests.
type Summary struct {
	Measure     Measure   `json:"measure"`
	Statistic   Statistic `json:"statistic"`
	Tests       int       `json:"tests"`       // that were not refused
	Significant int       `json:"significant"` // of them, with Inclusive below the level
	Mean        float64   `json:"-"`           // of the magnitudes of effects; NaN without any
	Deviation   float64   `json:"-"`           // of the same, with N−1; NaN for fewer than two
}

// Summarise makes a summary for each variant of the results, all of which must
// be of the same options. It panics if they have different numbers of variants.
func Summarise(results []Result, level float64) []Summary {
	if len(results) == 0 {
		return nil
	}
	var all []Summary
	for i, v := range results[0].Variants {
		s := Summary{Measure: v.Measure, Statistic: v.Statistic}
		var effects []float64
		for _, r := range results {
			if len(r.Variants) != len(results[0].Variants) {
				panic("weat: results have different numbers of variants")
			}
			w := r.Variants[i]
			if w.Refused != "" {
				continue
			}
			effects = append(effects, math.Abs(w.Effect))
			if w.Inclusive < level {
				s.Significant++
			}
		}
		s.Tests, s.Mean, s.Deviation = len(effects), mean(effects), stat.StdDev(effects, nil)
		all = append(all, s)
	}
	return all
}

// Stars marks how small a p is, which should be the inclusive one: a star for
// each of .01, .001, .0001 and .00001 that it is below.
func Stars(p float64) string {
	stars := ""
	for _, level := range []float64{1e-2, 1e-3, 1e-4, 1e-5} {
		if p < level {
			stars += "*"
		}
	}
	return stars
}
