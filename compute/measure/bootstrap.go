package measure

import (
	"cmp"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/nn"
)

// Bootstrap says how intervals are made: by measuring again on samples of as
// many rows, drawn from the rows with replacement.
//
// All measures of [Fairness] depend on the rows only through the number of rows
// with each (label, prediction, group). In a sample of rows these numbers have a
// multinomial law, from which they are drawn directly: the same bootstrap, in
// time that depends on the number of different outcomes and not on that of rows.
type Bootstrap struct {
	Resamples int    `json:"resamples"` // 0 means 1000
	Seed      uint64 `json:"seed"`
}

// Limits: the size of a group below which resamples keep the size of each, and
// how many numbers a bootstrap may hold, 1 GiB.
const (
	smallGroup   = 30
	bootstrapCap = 1 << 27
)

func (b Bootstrap) withDefaults() Bootstrap {
	if b.Resamples == 0 {
		b.Resamples = 1000
	}
	return b
}

func (b Bootstrap) validate(estimates int) error {
	if b.Resamples < 0 {
		return fmt.Errorf("measure: number of resamples is %d, must be positive", b.Resamples)
	}
	if b.Resamples > bootstrapCap/estimates {
		return fmt.Errorf("measure: %d resamples of %d numbers are too many, must be at most %d in all", b.Resamples, estimates, bootstrapCap)
	}
	return nil
}

// outcome is a kind of row.
type outcome struct{ want, got, group int }

// sample counts the rows of each kind that occurs, group by group.
type sample struct {
	cells      []outcome
	counts     []int
	strata     []int // where in cells each stratum ends
	rows       int
	stratified bool
}

func newSample(o Outcomes) *sample {
	counts, sizes := map[outcome]int{}, make([]int, len(o.Groups))
	s := &sample{}
	for i, y := range o.Want {
		if g := o.Group[i]; y >= 0 && g >= 0 {
			counts[outcome{y, max(o.Got[i], -1), g}]++
			sizes[g]++
			s.rows++
		}
	}
	for c := range counts {
		s.cells = append(s.cells, c)
	}
	slices.SortFunc(s.cells, func(a, b outcome) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.want, b.want), cmp.Compare(a.got, b.got))
	})
	for i, c := range s.cells {
		s.counts = append(s.counts, counts[c])
		if i > 0 && c.group != s.cells[i-1].group {
			s.strata = append(s.strata, i)
		}
	}
	s.stratified = slices.ContainsFunc(sizes, func(n int) bool { return n > 0 && n < smallGroup })
	if !s.stratified {
		s.strata = s.strata[:0]
	}
	s.strata = append(s.strata, len(s.cells))
	return s
}

// draw sets counts to those of a sample with replacement.
func (s *sample) draw(counts []int, rng *weakrand.Rand) {
	lo := 0
	for _, hi := range s.strata {
		rest := 0
		for _, n := range s.counts[lo:hi] {
			rest += n
		}
		for left := rest; lo < hi; lo++ {
			n := s.counts[lo]
			counts[lo] = binomial(rng, left, float64(n)/float64(rest))
			left -= counts[lo]
			rest -= n
		}
	}
}

// intervals fills in the ends of the intervals. Each resample has a generator
// of its own, so that it does not matter which worker takes it.
func (b Bootstrap) intervals(p *nn.Pool, o Outcomes, s *sample, out []*Estimate) {
	type worker struct {
		tally  *tally
		report *Fairness
		from   []*Estimate
		counts []int
	}
	workers := make([]worker, p.Workers())
	values := make([]float64, len(out)*b.Resamples) // estimate × resample
	p.Each(b.Resamples, func(w, item int) {
		if workers[w].tally == nil {
			f := newFairness(o)
			workers[w] = worker{newTally(o), f, f.estimates(), make([]int, len(s.cells))}
		}
		own := workers[w]
		s.draw(own.counts, weakrand.New(weakrand.NewPCG(b.Seed, uint64(item))))
		own.tally.fill(own.report, s.cells, own.counts)
		for k, e := range own.from {
			values[k*b.Resamples+item] = float64(e.Value)
		}
	})
	p.Each(len(out), func(_, k int) {
		out[k].interval(values[k*b.Resamples : (k+1)*b.Resamples])
	})
}

// interval sets the ends by the values of resamples, which it sorts.
func (e *Estimate) interval(values []float64) {
	defined := slices.DeleteFunc(values, math.IsNaN)
	slices.Sort(defined)
	e.Resamples = len(defined)
	e.Low, e.High = Holding(e.Value, Number(sortedQuantile(defined, 0.025)), Number(sortedQuantile(defined, 0.975)))
}

// sortedQuantile interpolates between the two nearest of sorted values; of none
// it is undefined.
func sortedQuantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return undefined
	}
	at := q * float64(len(v)-1)
	lo := int(at)
	hi := min(lo+1, len(v)-1)
	return v[lo] + (at-float64(lo))*(v[hi]-v[lo])
}

// binomial draws the number of heads in n tosses, by inversion of one uniform
// number: it walks away from the mode to both sides and stops where the
// probabilities passed exceed that number, after some √(np(1−p)) steps.
func binomial(rng *weakrand.Rand, n int, p float64) int {
	if n == 0 || !(p > 0) {
		return 0
	}
	if p >= 1 {
		return n
	}
	mode := min(int(float64(n+1)*p), n)
	log := logFactorial(n) - logFactorial(mode) - logFactorial(n-mode)
	up := math.Exp(log + float64(mode)*math.Log(p) + float64(n-mode)*math.Log1p(-p))
	down, hi, lo, odds := up, mode, mode, p/(1-p)
	rest := rng.Float64() - up
	// What is left when both sides have vanished is rounding, some 10⁻¹⁰.
	for rest >= 0 && up+down > 1e-18 {
		up *= odds * float64(n-hi) / float64(hi+1) // 0 beyond n
		hi++
		if rest -= up; rest < 0 {
			return hi
		}
		down *= float64(lo) / (odds * float64(n-lo+1)) // 0 below 0
		lo--
		if rest -= down; rest < 0 {
			return lo
		}
	}
	return mode
}

func logFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}
