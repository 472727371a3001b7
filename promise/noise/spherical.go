package noise

import (
	"math"
	"math/bits"
)

// Noise on the integers whose law depends on its L2 norm alone: a variance is
// drawn, and then each coordinate from the discrete Gaussian of that variance.
const (
	sphericalScale = 1 << 36 // T: the variance is a sum of geometric numbers of ratio e^(−1/T)
	sphericalLeast = 1 << 20 // the least variance, in few dimensions

	// SphericalDim is the largest number of coordinates of [Stream.Spherical].
	SphericalDim = 1 << 20
)

// sphericalVariance returns of how many geometric numbers the variance is the
// sum, and what is added to them. The proof needs the first to be more than D/2
// and the second at least D/2+1.
func sphericalVariance(dim int) (terms int, least uint64) {
	return (dim+1)/2 + 1, max(sphericalLeast, uint64(dim+3)/2)
}

// Spherical fills dst with integers of which the joint law depends on their L2
// norm alone, and falls by at most e^(−[SphericalStep]·‖c‖₂) from any integer point
// to that moved by c. All of it is integers: the law is exact.
//
// It panics if dst has more than [SphericalDim] elements.
func (s *Stream) Spherical(dst []int64) {
	if len(dst) > SphericalDim {
		panic("noise: Spherical of more than 2²⁰ coordinates")
	}
	terms, v := sphericalVariance(len(dst))
	for range terms {
		v += s.geometric(sphericalScale)
	}
	for i := range dst {
		dst[i] = s.discreteGaussian(v)
	}
}

// SphericalStep returns the loss of moving [Stream.Spherical] by a vector of L2
// norm 1, rounded up.
func SphericalStep(dim int) float64 {
	_, least := sphericalVariance(dim)
	return sphericalBound(float64(least), sphericalScale) * (1 + 0x1p-48)
}

// sphericalBound bounds the loss for a unit of distance where the variance is at
// least that and its geometric numbers have that scale.
func sphericalBound(least, scale float64) float64 {
	return math.Sqrt(float64(2*(1+1/least)) * math.Expm1(1/scale))
}

// SphericalVariance returns the variance of each coordinate of
// [Stream.Spherical].
func SphericalVariance(dim int) float64 {
	terms, least := sphericalVariance(dim)
	return float64(least) + float64(terms)/math.Expm1(1.0/sphericalScale)
}

// SphericalLog returns ln of the probability of a point at that distance from 0
// over that of 0: its sum over variances taken for an integral, which is near where
// noise lies and too large near 0, as spherical.md says.
func SphericalLog(dim int, distance float64) float64 {
	x := float64(distance * math.Sqrt(2.0/sphericalScale))
	if dim%2 == 1 {
		return math.Log1p(x) - float64(x) // x^(3/2)·K_(3/2)(x)
	}
	if x < 1e-9 {
		return 0
	}
	// x·K₁(x), K₁(x)·eˣ = ∫ cosh t·exp(−x(cosh t − 1)) dt over t ≥ 0. The trapezoid
	// rule errs by far less than a float on such a function.
	const nodes = 200
	h := float64(math.Acosh(1+50/x) / nodes)
	if 50/x < 1e-6 {
		h = math.Sqrt(2*50/x) / nodes // 1+50/x has lost its digits
	}
	sum := 0.5
	for i := 1; i <= nodes; i++ {
		t := float64(float64(i) * h)
		half := math.Sinh(t / 2)
		rise := float64(2 * half * half) // cosh t − 1
		sum += float64((1 + rise) * math.Exp(-float64(x*rise)))
	}
	return math.Log(float64(float64(x*h)*sum)) - x
}

// geometric returns k ≥ 0 with probability proportional to e^(−k/t).
func (s *Stream) geometric(t uint64) uint64 {
	for {
		u := s.IntN(t)
		if !s.decay(word128{lo: u}, word128{lo: t}) {
			continue
		}
		for s.decayOne() {
			u += t
		}
		return u
	}
}

// discreteGaussian returns y with probability proportional to exp(−y²/2v):
// symmetric geometric numbers, accepted with a probability that is what is left.
func (s *Stream) discreteGaussian(v uint64) int64 {
	t := uint64(math.Sqrt(float64(v))) + 1 // any t ≥ 1 gives the same law
	bhi, blo := bits.Mul64(2*v, t*t)
	for {
		y := s.geometric(t)
		negative := s.Uint64()>>63 == 1
		if negative && y == 0 {
			continue // 0 has one sign
		}
		off := y*t - v
		if y*t < v {
			off = v - y*t
		}
		ahi, alo := bits.Mul64(off, off)
		if !s.decay(word128{ahi, alo}, word128{bhi, blo}) {
			continue
		}
		if negative {
			return -int64(y)
		}
		return int64(y)
	}
}

// word128 is an integer of 128 bits.
type word128 struct{ hi, lo uint64 }

func (a word128) less(b word128) bool { return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo }

func (a word128) minus(b word128) word128 {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, _ := bits.Sub64(a.hi, b.hi, borrow)
	return word128{hi, lo}
}

// decay returns true with probability e^(−a/b), exactly. b must not be 0.
func (s *Stream) decay(a, b word128) bool {
	for !a.less(b) {
		if !s.decayOne() {
			return false
		}
		a = a.minus(b)
	}
	// The first k that fails has P(k > n) = (a/b)ⁿ/n!, so that it is odd with
	// probability Σ (−a/b)ⁿ/n!.
	k := uint64(1)
	for (k == 1 || s.IntN(k) == 0) && s.below(b).less(a) {
		k++
	}
	return k%2 == 1
}

// decayOne returns true with probability 1/e.
func (s *Stream) decayOne() bool {
	k := uint64(2)
	for s.IntN(k) == 0 {
		k++
	}
	return k%2 == 1
}

// below returns an integer in [0, b), exactly uniform.
func (s *Stream) below(b word128) word128 {
	if b.hi == 0 {
		return word128{lo: s.IntN(b.lo)}
	}
	for {
		u := word128{s.Uint64() >> bits.LeadingZeros64(b.hi), s.Uint64()}
		if u.less(b) {
			return u
		}
	}
}
