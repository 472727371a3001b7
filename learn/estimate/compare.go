package estimate

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"sotto/compute/measure"
)

// Difference is by how much the share of an answer is larger in one of two
// tallies than in the other.
type Difference struct {
	Difference float64        `json:"difference"` // of the unbiased shares
	Low        measure.Number `json:"low"`
	High       measure.Number `json:"high"`
	P          float64        `json:"p"`          // of the exact test of this answer alone
	Adjusted   float64        `json:"adjusted_p"` // the same after Holm, for all answers together
}

// Comparison is how two tallies differ.
type Comparison struct {
	Each []Difference `json:"differences"`
	// P is the least of the adjusted p-values: if the shares of all answers are equal
	// in both, it is at most α with probability at most α, for every α and n.
	P float64 `json:"p"`
}

// Compare says how the shares of t differ from those of other, which counts
// releases of the same law.
//
// The test of an answer is Fisher's: where it is as common in both, its releases
// fall on the two as if drawn without replacement. Twice the smaller tail is at
// most α with probability at most α, at every n, provided that people are drawn
// at random and release once. The interval of a difference is from the exact
// intervals of both, each with half of what is left to err, so that it covers
// with at least the given confidence.
func (t *Tally) Compare(other *Tally, confidence float64) (*Comparison, error) {
	if err := checkConfidence(confidence); err != nil {
		return nil, err
	}
	switch {
	case !t.sameLaw(other):
		return nil, errors.New("estimate: the two were released by different mechanisms or with different ε, must be alike to be compared")
	case t.n == 0 || other.n == 0:
		return nil, fmt.Errorf("%w: one of the two has no releases", ErrNothing)
	}
	each := (1 + confidence) / 2
	if t.mix != nil {
		return t.compareMixtures(other, each)
	}
	r := &Comparison{Each: make([]Difference, len(t.counts)), P: 1}
	for a, c := range t.counts {
		d := &r.Each[a]
		d.Difference = (float64(c)/float64(t.n) - float64(other.counts[a])/float64(other.n)) / t.law.Rise
		var f, g [2]float64
		f[0], f[1] = measure.ClopperPearson(c, t.n, each)
		g[0], g[1] = measure.ClopperPearson(other.counts[a], other.n, each)
		low, high := t.interval(a, f)
		otherLow, otherHigh := other.interval(a, g)
		d.hold(measure.Number(low-otherHigh), measure.Number(high-otherLow))
		d.P = fisher(c, t.n, other.counts[a], other.n)
	}
	r.P = holm(r.Each)
	return r, nil
}

// Covers reports whether the interval holds a difference.
func (d Difference) Covers(v float64) bool { return float64(d.Low) <= v && v <= float64(d.High) }

// hold sets the interval, widened to hold the difference.
func (d *Difference) hold(low, high measure.Number) {
	d.Low, d.High = measure.Holding(measure.Number(d.Difference), low, high)
}

// compareMixtures does so for inputs of a mixture. The test of an input is Fisher's on
// the number of releases that speak for it, those whose weight is positive: where all
// shares are equal in both, it errs as rarely as it says.
func (t *Tally) compareMixtures(other *Tally, each float64) (*Comparison, error) {
	r := &Comparison{Each: make([]Difference, t.Answers()), P: 1}
	first, second := t.mix.shares(t.counts, t.n, each), t.mix.shares(other.counts, other.n, each)
	for a := range r.Each {
		f, g, d := first.Each[a], second.Each[a], &r.Each[a]
		d.Difference = f.Unbiased - g.Unbiased
		d.hold(f.Low-g.High, f.High-g.Low)
		var hits [2]int
		for i, w := range t.mix.weights[a] {
			if w > 0 {
				hits[0] += t.counts[i]
				hits[1] += other.counts[i]
			}
		}
		d.P = fisher(hits[0], t.n, hits[1], other.n)
	}
	r.P = holm(r.Each)
	return r, nil
}

// holm fills in the adjusted p-values and returns the least.
func holm(all []Difference) float64 {
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(all[i].P, all[j].P) })
	largest := 0.0
	for rank, i := range order {
		largest = max(largest, min(1, all[i].P*float64(len(all)-rank)))
		all[i].Adjusted = largest
	}
	return all[order[0]].Adjusted
}

// fisher returns twice the tail, on the side of what was seen, of the number of
// hits in n of all draws, given the hits in all n+m. It is at most 1.
func fisher(hits, n, others, m int) float64 {
	all := hits + others
	if float64(hits)*float64(n+m) < float64(all)*float64(n) { // fewer than expected: the same from the other side
		hits, n, others, m = others, m, hits, n
	}
	term, sum := 1.0, 1.0 // relative to the chance of what was seen
	for x := hits; x < min(n, all); x++ {
		term *= float64(n-x) * float64(all-x) / (float64(x+1) * float64(m-all+x+1))
		sum += term
		if term < sum*0x1p-60 {
			break
		}
	}
	seen := logChoose(n, hits) + logChoose(m, others) - logChoose(n+m, all)
	return min(1, 2*sum*math.Exp(seen))
}

func logChoose(n, k int) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(k + 1))
	c, _ := math.Lgamma(float64(n - k + 1))
	return a - b - c
}
