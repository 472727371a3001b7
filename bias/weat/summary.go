package weat

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Summary says what a measure and statistic find over several tests.
type Summary struct {
	Measure     Measure
	Statistic   Statistic
	Tests       int     // that were not refused
	Significant int     // of them, with Inclusive below the level
	Mean        float64 // of the magnitudes of effects; NaN without any
	Deviation   float64 // of the same, with N−1; NaN for fewer than two
}

// Summarise makes a summary for each variant of the results, all of which must
// be of the same options. It panics if they have different numbers of variants.
func Summarise(results []Result, level float64) []Summary {
	if len(results) == 0 {
		return nil
	}
	var all []Summary
	for i, v := range results[0].Variants {
		s := Summary{Measure: v.Measure, Statistic: v.Statistic, Mean: math.NaN(), Deviation: math.NaN()}
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
		if s.Tests = len(effects); s.Tests > 0 {
			s.Mean = mean(effects)
		}
		if s.Tests > 1 {
			s.Deviation = stat.StdDev(effects, nil)
		}
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
