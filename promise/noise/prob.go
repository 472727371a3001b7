package noise

import (
	"fmt"
	"math"
	"math/bits"
)

// Prob is a probability as it is really sampled: the integer t stands for
// t/2⁶⁴. The zero value, probability 0, and 1 are not used by any mechanism,
// since an event that cannot happen on one input has unbounded loss.
type Prob uint64

// ProbBelow returns the largest Prob not above p, and ProbAbove the smallest
// not below it, both kept away from 0 and 1. They panic unless 0 ≤ p ≤ 1.
func ProbBelow(p float64) Prob { return prob(math.Floor(math.Ldexp(checked(p), 64))) }

// ProbAbove is described with [ProbBelow].
func ProbAbove(p float64) Prob { return prob(math.Ceil(math.Ldexp(checked(p), 64))) }

func checked(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		panic(fmt.Sprintf("noise: probability is %v, must be in [0, 1]", p))
	}
	return p
}

func prob(t float64) Prob {
	switch {
	case t < 1:
		return 1
	case t >= 0x1p64:
		return math.MaxUint64
	}
	return Prob(t)
}

// Not returns 1 − p, exactly.
func (p Prob) Not() Prob { return -p }

// Float64 returns p rounded to a float.
func (p Prob) Float64() float64 { return math.Ldexp(float64(p), -64) }

// Log returns ln p with a relative error of a few units in the last place.
func (p Prob) Log() float64 {
	if p > 1<<63 {
		return math.Log1p(-p.Not().Float64())
	}
	return math.Log(p.Float64())
}

// LogRatio returns ln (p·a)/(q·b) with a relative error of a few units in the
// last place, also where the two products are nearly equal: they and their
// difference are exact integers of 128 bits. a and b must be positive.
func LogRatio(p Prob, a uint64, q Prob, b uint64) float64 {
	ph, pl := bits.Mul64(uint64(p), a)
	qh, ql := bits.Mul64(uint64(q), b)
	dl, borrow := bits.Sub64(pl, ql, 0)
	dh, borrow := bits.Sub64(ph, qh, borrow)
	if borrow != 0 {
		return -LogRatio(q, b, p, a)
	}
	return math.Log1p(wide(dh, dl) / wide(qh, ql))
}

func wide(hi, lo uint64) float64 { return math.Ldexp(float64(hi), 64) + float64(lo) }

// Bernoulli returns true with probability p, exactly.
func (s *Stream) Bernoulli(p Prob) bool { return s.Uint64() < uint64(p) }

// IntN returns an integer in [0, n), exactly uniform: products that would
// favour some values are drawn again. It panics if n is 0.
func (s *Stream) IntN(n uint64) uint64 {
	if n == 0 {
		panic("noise: IntN of 0")
	}
	hi, lo := bits.Mul64(s.Uint64(), n)
	if lo < n {
		for reject := -n % n; lo < reject; {
			hi, lo = bits.Mul64(s.Uint64(), n)
		}
	}
	return hi
}
