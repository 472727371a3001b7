package audit

import (
	"context"
	"math"

	weakrand "math/rand/v2"

	"sotto/promise/mech"
	"sotto/promise/noise"
)

// Recovery tries to read the whole input from a release: inputs are drawn from
// a grid, and an attack counts as a hit if it names the input exactly.
type Recovery struct {
	Dim       int
	Low, High float64
}

// recoveryLevels is the number of steps of the grid in each coordinate.
const recoveryLevels = 1 << 16

// attack turns a release into a guess of the input, scaled to [0, 1].
type attack struct {
	name  string
	guess func(dst, y []float64)
}

// attacks need to know nothing of the mechanism: they read a release as it is
// or without its least coordinate, on its own scale or on the range's.
func (r Recovery) attacks() []attack {
	scaled := func(dst []float64, low float64) {
		for i := range dst {
			dst[i] = (dst[i] - low) / (r.High - r.Low)
		}
	}
	return []attack{
		{"the release is read as it is", func(dst, y []float64) { copy(dst, y) }},
		{"the release is read on the range's scale", func(dst, y []float64) {
			copy(dst, y)
			scaled(dst, r.Low)
		}},
		{"the least coordinate is subtracted", func(dst, y []float64) { copy(dst, mech.Denoise(y)) }},
		{"the least coordinate is subtracted, on the range's scale", func(dst, y []float64) {
			copy(dst, mech.Denoise(y))
			scaled(dst, 0)
		}},
	}
}

// RecoveryResult is what the attacks achieved.
type RecoveryResult struct {
	Attack     string  `json:"attack"`
	Trials     int64   `json:"trials"`
	Hits       int64   `json:"hits"`
	WorstError float64 `json:"worst_error"` // over the hits, in units of the range
	LowerBound float64 `json:"lower_bound"`
}

// run draws inputs and counts how many each attack recovers; alpha is shared
// among the attacks. The first two coordinates are the ends of the range, so
// that scaling to the range changes nothing; they carry no information.
func (r Recovery) run(ctx context.Context, s Sampler, trials int, alpha float64) (RecoveryResult, error) {
	rng := weakrand.New(noise.Crypto()) // for the auditor's own inputs
	x, level, guess := make([]float64, r.Dim), make([]float64, r.Dim), make([]float64, r.Dim)
	list := r.attacks()
	results := make([]RecoveryResult, len(list))
	for range trials {
		for i := range x {
			level[i] = float64(rng.IntN(recoveryLevels+1)) / recoveryLevels
		}
		level[0], level[1] = 0, 1
		for i := range x {
			x[i] = r.Low + level[i]*(r.High-r.Low)
		}
		release, err := s.Sample(ctx, x)
		if err != nil {
			return RecoveryResult{}, err
		}
		if release.Refused || len(release.Y) != r.Dim {
			continue
		}
		for k, a := range list {
			a.guess(guess, release.Y)
			score(&results[k], level, guess)
		}
	}
	inputs := float64(r.Dim-2) * math.Log(recoveryLevels+1)
	best := 0
	for k := range results {
		results[k].Attack, results[k].Trials = list[k].name, int64(trials)
		results[k].LowerBound = max(0, RecoveryBound(results[k].Hits, int64(trials), inputs, alpha/float64(len(list))))
		if results[k].LowerBound > results[best].LowerBound {
			best = k
		}
	}
	return results[best], nil
}

// score counts a hit if every coordinate of the guess is nearest to the right
// level.
func score(result *RecoveryResult, level, guess []float64) {
	worst := 0.0
	for i, g := range guess {
		worst = max(worst, math.Abs(g-level[i]))
		if !(worst < 0.5/recoveryLevels) {
			return
		}
	}
	result.Hits++
	result.WorstError = max(result.WorstError, worst)
}
