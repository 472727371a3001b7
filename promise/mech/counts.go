package mech

import (
	"fmt"
	"math"
	"math/rand/v2"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// Counts releases counts of rows by whoever holds all rows: it adds Laplace noise to
// each. It is for tables, not for vectors of one text, and so no [dp.Vector].
//
// Domain: lists of counts from 0 to 2³¹. Neighbours: lists of the same length whose
// differences add up to at most Change, as those of tables do that differ in one row
// which is counted at most Change times.
//
// Theorem. With R integers to a count and the noise of [noise.Stream.Laplace], a
// release is (Change·R·s, 0)-DP, s = [noise.LaplaceStep]; R = ⌊ε/(Change·s)⌋.
//
// Numerics: counts, noise and what is released are integers; the printed ε is computed
// from the weights that are sampled.
//
// Proof: counts.md. Audit: TestAuditCounts. Reference: Dwork, McSherry, Nissim and
// Smith, Calibrating Noise to Sensitivity in Private Data Analysis, TCC 2006.
type Counts struct {
	change, radius int64
}

// The most that a count, ε and the change may be, so that no sum overflows.
const (
	maxCount        = 1 << 31
	maxCountEpsilon = 100
	maxChange       = 1 << 20
)

// NewCounts returns the release with at most epsilon where one neighbour changes
// counts by so much in all.
func NewCounts(change int, epsilon float64) (*Counts, error) {
	if change < 1 || change > maxChange {
		return nil, fmt.Errorf("mech: counts change by %d, must be from 1 to %d", change, maxChange)
	}
	if !(epsilon > 0 && epsilon <= maxCountEpsilon) {
		return nil, fmt.Errorf("mech: epsilon of counts is %v, must be above 0 and at most %d", epsilon, maxCountEpsilon)
	}
	m := &Counts{int64(change), cellsFor(epsilon / float64(change))}
	if m.radius < 1 {
		return nil, fmt.Errorf("mech: epsilon of counts is %v, must be at least %.3g", epsilon, float64(change)*noise.LaplaceStep())
	}
	return m, nil
}

// Epsilon returns the ε of one release of a whole list.
func (m *Counts) Epsilon() dp.Epsilon { return lossOf(m.change * m.radius) }

// Scale returns the scale of the noise, in counts: half of all noise is below 0.7 of
// it, and 95 % below 3.
func (m *Counts) Scale() float64 { return noise.LaplaceScale / float64(m.radius) }

// Release returns the counts with noise, rounded to whole numbers, which may be below
// 0.
func (m *Counts) Release(counts []int64, src rand.Source) ([]int64, error) {
	for _, c := range counts {
		if c < 0 || c > maxCount {
			return nil, fmt.Errorf("mech: %w: a count is below 0 or above %d", dp.ErrDomain, int64(maxCount))
		}
	}
	out := make([]int64, len(counts))
	noise.From(src).Laplace(out)
	for i, c := range counts {
		// The sum is one of integers: what follows is a function of it alone.
		out[i] = int64(math.Round((float64(c*m.radius+out[i]) + 0.5) / float64(m.radius)))
	}
	return out, nil
}
