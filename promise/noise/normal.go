package noise

import "math"

// Normal returns a standard normal float, by Marsaglia's polar method.
//
// It is not exact: floats are not real numbers, and which of them can occur
// tells something of what was added to them. A mechanism that uses it says so
// in its guarantee.
func (s *Stream) Normal() float64 {
	for {
		u, v := s.symmetric(), s.symmetric()
		if q := float64(u*u) + float64(v*v); q < 1 && q > 0 {
			return u * math.Sqrt(-2*math.Log(q)/q)
		}
	}
}

// Normals fills dst with standard normal floats, two for each point of the
// polar method.
func (s *Stream) Normals(dst []float64) {
	for len(dst) > 1 {
		u, v := s.symmetric(), s.symmetric()
		if q := float64(u*u) + float64(v*v); q < 1 && q > 0 {
			f := math.Sqrt(-2 * math.Log(q) / q)
			dst[0], dst[1] = u*f, v*f
			dst = dst[2:]
		}
	}
	if len(dst) == 1 {
		dst[0] = s.Normal()
	}
}

// symmetric returns a uniform float in (−1, 1), never 0: an odd multiple of 2⁻⁵².
func (s *Stream) symmetric() float64 {
	return float64(int64(s.Uint64())>>11|1) * 0x1p-52
}

// Uniform returns a float in (0, 1), an odd multiple of 2⁻⁵³.
func (s *Stream) Uniform() float64 {
	return float64(s.Uint64()>>11|1) * 0x1p-53
}

// Gamma returns a float with the Gamma law of the given shape and scale 1, by
// the method of Marsaglia and Tsang (2000). It panics unless ½ ≤ shape < ∞.
// Like [Stream.Normal] it is not exact.
func (s *Stream) Gamma(shape float64) float64 {
	if !(shape >= 0.5 && shape <= math.MaxFloat64) {
		panic("noise: gamma shape below one half or infinite")
	}
	if shape < 1 {
		// Gamma(a) = Gamma(a+1)·U^(1/a).
		return s.Gamma(shape+1) * math.Pow(s.Uniform(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := s.Normal()
		v := 1 + float64(c*x)
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(s.Uniform()) < float64(0.5*x*x)+d-float64(d*v)+float64(d*math.Log(v)) {
			return d * v
		}
	}
}
