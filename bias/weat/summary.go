package weat

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

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
