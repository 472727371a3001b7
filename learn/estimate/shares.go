package estimate

import (
	"fmt"
	"math"

	"sotto/compute/measure"
)

// Method is a way to estimate shares. Its value is its name.
type Method string

// The methods.
const (
	Unbiased   Method = "unbiased"   // right on average; may be negative
	Likelihood Method = "likelihood" // those shares under which the releases are likeliest
	Nearest    Method = "nearest"    // those that a population can have and that are nearest to the unbiased ones
)

// Share is how common an answer is.
type Share struct {
	Share float64        `json:"share"` // by the method of [Shares]
	Low   measure.Number `json:"low"`   // of the interval; undefined in results of whom intervals say nothing
	High  measure.Number `json:"high"`
	// Unbiased and Likelihood are the share by each method, and Error is the standard
	// error of the first. Where a release names several answers, Likelihood is by
	// [Nearest].
	Unbiased   float64        `json:"unbiased"`
	Likelihood float64        `json:"likelihood"`
	Error      measure.Number `json:"standard_error"`
	Released   int            `json:"released"` // how many releases are this answer
}

// Shares is how common each answer is.
type Shares struct {
	Method Method // of Share.Share
	Each   []Share
}

// Shares estimates how common each answer is among those who released.
//
// If share s of the inputs stand for answer c, a release is c with probability
// f = Least + Rise·s. The unbiased share is (f̂ − Least)/Rise, f̂ being c's share
// of n releases, and its standard error √(f(1−f)/n)/Rise, f being f̂ or, where no share
// from 0 to 1 gives that, the nearest that one gives: an answer that nobody released
// by chance is not certain to be nobody's.
//
// The rule: where all unbiased shares are from 0 to 1 they are also the
// likeliest ones, and are taken. Where one is not, no population has these
// shares, and the likeliest ones that a population can have are taken instead.
// They have the smaller squared error there (TestLikelihoodIsNearer). Where a
// release names several answers, their counts alone have no likelihood that can be
// written down, and the nearest shares that a population can have are taken: as
// counts of many releases are normal and vary alike, these are the likeliest
// ones then.
//
// The interval of each answer, by itself, is the exact one of f after Clopper
// and Pearson, moved to shares and cut at 0 and 1. If people are drawn at random
// it covers the share of those they are drawn from with at least the given
// confidence, at every n. It is widened where need be to hold the share. Inputs of
// a mixture have intervals after Chernoff, which hold as well and are wider.
func (t *Tally) Shares(confidence float64) (Shares, error) {
	if err := checkConfidence(confidence); err != nil {
		return Shares{}, err
	}
	if t.n == 0 {
		return Shares{}, fmt.Errorf("%w: there are no releases", ErrNothing)
	}
	if t.mix != nil {
		return t.mix.shares(t.counts, t.n, confidence), nil
	}
	s := Shares{Method: Unbiased, Each: make([]Share, len(t.counts))}
	likeliest := t.likelihood()
	for a, c := range t.counts {
		f := float64(c) / float64(t.n)
		each := &s.Each[a]
		each.Released, each.Likelihood = c, likeliest[a]
		each.Unbiased = (f - t.law.Least[a]) / t.law.Rise
		f = min(max(f, t.law.Least[a]), t.law.Least[a]+t.law.Rise)
		each.Error = measure.Number(math.Sqrt(f*(1-f)/float64(t.n)) / t.law.Rise)
		if each.Unbiased < 0 || each.Unbiased > 1 {
			s.Method = t.possible()
		}
	}
	known := map[int][2]float64{} // many rare answers have equal counts
	for a := range s.Each {
		each := &s.Each[a]
		f, ok := known[each.Released]
		if !ok {
			f[0], f[1] = measure.ClopperPearson(each.Released, t.n, confidence)
			known[each.Released] = f
		}
		each.bound(t.interval(a, f))
	}
	s.settle()
	return s, nil
}

// settle takes shares by the method, and widens intervals to hold them.
func (s *Shares) settle() {
	for a := range s.Each {
		each := &s.Each[a]
		each.Share = min(max(each.Unbiased, 0), 1)
		if s.Method != Unbiased {
			each.Share = each.Likelihood
		}
		each.hold()
	}
}

// bound sets the interval.
func (s *Share) bound(low, high float64) {
	s.Low, s.High = measure.Number(low), measure.Number(high)
}

// Covers reports whether the interval holds a share.
func (s Share) Covers(share float64) bool {
	return float64(s.Low) <= share && share <= float64(s.High)
}

// hold widens the interval to hold the share.
func (s *Share) hold() {
	s.Low, s.High = measure.Holding(measure.Number(s.Share), s.Low, s.High)
}

// interval turns an interval of an answer's share of releases into one of its
// share of inputs.
func (t *Tally) interval(a int, f [2]float64) (low, high float64) {
	cut := func(f float64) float64 { return min(max((f-t.law.Least[a])/t.law.Rise, 0), 1) }
	return cut(f[0]), cut(f[1])
}

// Binary estimates a share of which each release is true with probability least, and
// with rise more if the share's own person released it: hits of n were. The interval
// is that of [Tally.Shares].
func Binary(hits, n int, least, rise, confidence float64) (share, low, high float64) {
	cut := func(f float64) float64 { return min(max((f-least)/rise, 0), 1) }
	low, high = measure.ClopperPearson(hits, n, confidence)
	return cut(float64(hits) / float64(n)), cut(low), cut(high)
}

// checkConfidence refuses what is no confidence.
func checkConfidence(confidence float64) error {
	if !(confidence > 0 && confidence < 1) {
		return fmt.Errorf("estimate: confidence is %v, must be above 0 and below 1", confidence)
	}
	return nil
}

// possible is the method for shares that a population can have.
func (t *Tally) possible() Method {
	if t.law.Named > 1 {
		return Nearest
	}
	return Likelihood
}

// likelihood returns the shares s, each from 0 to 1 and Raised in sum, that
// maximise Σ count·ln(Least + Rise·s), or that are nearest to the unbiased ones.
//
// The sum is concave, so a point is a maximum if for some λ > 0 each share has
// count·Rise/(Least + Rise·s) = λ, or is 0 and has less, or is 1 and has more.
// So s = count/λ − Least/Rise, cut at 0 and 1, which falls as λ grows: bisection
// finds the λ at which the sum is right. The nearest ones are likewise the
// unbiased ones less some λ, cut at 0 and 1.
func (t *Tally) likelihood() []float64 {
	shares, want := make([]float64, len(t.counts)), float64(t.law.Raised)
	fill := func(level func(f, base float64) float64) (sum float64) {
		for a, c := range t.counts {
			shares[a] = min(max(level(float64(c), t.law.Least[a]/t.law.Rise), 0), 1)
			sum += shares[a]
		}
		return sum
	}
	if t.possible() == Nearest {
		scale := 1 / (t.law.Rise * float64(t.n))
		raise := func(by float64) float64 {
			return fill(func(c, base float64) float64 { return float64(c*scale) - base + by })
		}
		most := 1 + 1/t.law.Rise // no unbiased share is farther from 0 or 1
		raise(bisect(-most, most, want, raise))
		return shares
	}
	scale := func(by float64) float64 { // by 1/λ
		return fill(func(c, base float64) float64 { return float64(c*by) - base })
	}
	high := 1 / (t.law.Rise * float64(t.n)) // here Σ s is Raised before it is cut at 0
	for range 60 {
		if scale(high) >= want || math.IsInf(high, 1) {
			break
		}
		high *= 2
	}
	if left := want - scale(bisect(0, high, want, scale)); left > 1e-9 {
		t.shareOut(shares, left)
	}
	return shares
}

// bisect returns the least x from low to high at which a sum that grows with x is
// as wanted, or high.
func bisect(low, high, want float64, sum func(x float64) float64) float64 {
	for range 200 {
		mid := low + (high-low)/2
		if mid <= low || mid >= high {
			break
		}
		if sum(mid) < want {
			low = mid
		} else {
			high = mid
		}
	}
	return high
}

// shareOut gives what is left to the answers that nobody gave: there are too few
// releases for the others to take it.
func (t *Tally) shareOut(shares []float64, left float64) {
	unseen := 0
	for _, c := range t.counts {
		if c == 0 {
			unseen++
		}
	}
	for a, c := range t.counts {
		if c == 0 {
			shares[a] = left / float64(unseen)
		}
	}
}
