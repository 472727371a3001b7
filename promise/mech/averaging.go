package mech

import "math"

// Averaging is a mechanism of whose releases the mean tells that of what was
// released, once a public map has been applied to each.
type Averaging interface {
	Mechanism

	// Average says what the mean estimates.
	Average() Average

	// Unbias writes to dst what is on average, over the noise, what Average says of the
	// input. It refuses what is no release as far as it can tell. It panics if dst
	// has not as many numbers as Average says.
	Unbias(dst, y []float64) error
}

// Average says what a mean over releases estimates.
type Average struct {
	Of    string  // in words: the mean of what
	Width int     // numbers of each
	Bias  float64 // that rounding leaves in a number, at most
}

var (
	_ Averaging = (*PrivUnit)(nil)
	_ Averaging = (*LaplaceL1)(nil)
	_ Averaging = (*LaplaceL2)(nil)
	_ Averaging = (*Gaussian)(nil)
	_ Averaging = (*DPNR)(nil)
	_ Averaging = (*PrivEmb)(nil)
	_ Averaging = (*Cells)(nil)
	_ Averaging = (*RoundedBit)(nil)
	_ Averaging = (*bitChannel)(nil)
)

const (
	unitLength = "inputs scaled to length 1"
	unitSum    = "inputs scaled to sum 1 of magnitudes"
)

// asReleased copies a finite release of the right width.
func asReleased(dst, y []float64) error {
	if len(y) != len(dst) || !finite(norm1(y)) {
		return errRelease
	}
	copy(dst, y)
	return nil
}

// Average implements [Averaging]: the coordinate along the input is γ on average, by
// which a release is divided.
func (m *PrivUnit) Average() Average { return Average{unitLength, m.params.Dim, 0x1p-29} }

// Unbias implements [Averaging].
func (m *PrivUnit) Unbias(dst, y []float64) error { return asReleased(dst, y) }

// Average implements [Averaging]: rounding toward zero moves a coordinate by less than
// an integer, and where it shrinks a sum by as many as there are coordinates.
func (m *LaplaceL1) Average() Average {
	of := unitSum
	if m.params.Variant == Released {
		of = unitLength
	}
	return Average{of, m.params.Dim, float64(m.params.Dim+1) / float64(m.radius)}
}

// Unbias implements [Averaging].
func (m *LaplaceL1) Unbias(dst, y []float64) error { return asReleased(dst, y) }

// Average implements [Averaging].
func (m *LaplaceL2) Average() Average { return Average{unitLength, m.params.Dim, m.noise.grid} }

// Unbias implements [Averaging].
func (m *LaplaceL2) Unbias(dst, y []float64) error { return asReleased(dst, y) }

// Average implements [Averaging]: an input is shortened by at most √D/2 + 1 integers and
// rounded by half of one.
func (m *Gaussian) Average() Average {
	return Average{unitLength, m.params.Dim, (float64(math.Sqrt(float64(m.params.Dim))/2) + 1.5) / float64(m.radius)}
}

// Unbias implements [Averaging].
func (m *Gaussian) Unbias(dst, y []float64) error { return asReleased(dst, y) }

// Average implements [Averaging].
func (m *DPNR) Average() Average {
	return Average{"inputs scaled from 0 to 1 by their least and largest number", m.params.Dim, 1 / float64(m.radius)}
}

// Unbias implements [Averaging].
func (m *DPNR) Unbias(dst, y []float64) error { return asReleased(dst, y) }

// Average implements [Averaging].
func (m *PrivEmb) Average() Average {
	of := "projections of inputs"
	if m.phi == nil {
		of = "inputs"
	}
	if m.own.Clip > 0 {
		of += ", clipped"
	}
	return Average{of, m.own.OutputDim, m.noise.grid}
}

// Unbias implements [Averaging].
func (m *PrivEmb) Unbias(dst, y []float64) error { return asReleased(dst, y) }

// Average implements [Averaging].
func (m *Cells) Average() Average { return Average{"centres of the inputs' cells", m.params.Dim, 0} }

// Unbias implements [Averaging]. The centre of a released cell is on average
// p·centre + q·(sum of the others), q = (1−p)/(N−1); so that less q times the sum of
// all, divided by p − q, is the centre.
func (m *Cells) Unbias(dst, y []float64) error {
	c, err := m.Index(y)
	if err != nil && len(y) == 1 {
		c, err = m.channel.label(y[0])
	}
	if err != nil {
		return err
	}
	p := m.channel.keep.Float64()
	q := m.channel.keep.Not().Float64() / float64(m.count()-1)
	copy(dst, m.centre(c))
	for i := range dst {
		dst[i] = (dst[i] - float64(q*m.all[i])) / (p - q)
	}
	return nil
}

// Average implements [Averaging].
func (m *RoundedBit) Average() Average {
	return Average{"inputs clipped to ±4", m.params.Dim, 0x1p-40}
}

// Unbias implements [Averaging].
func (m *RoundedBit) Unbias(dst, y []float64) error {
	if len(y) != len(dst) {
		return errRelease
	}
	low := m.low.Float64()
	for i, v := range y {
		if v != 0 && v != 1 {
			return errRelease
		}
		dst[i] = oneHotRange * (2*(v-low)/(1-2*low) - 1)
	}
	return nil
}

// Average implements [Averaging].
func (m *bitChannel) Average() Average {
	if m.code.oneHot {
		return Average{"middles of the inputs' buckets", m.params.Dim, 0}
	}
	return Average{"inputs clipped and cut off at the last bit of their code", m.params.Dim, 0}
}

// Unbias implements [Averaging]. Bits are sent independently of each other, so that
// products and sums of unbiased bits are unbiased: a bit less the probability of a
// lie, divided by what a true one adds to it.
func (m *bitChannel) Unbias(dst, y []float64) error {
	bits := m.code.bits
	if len(y) != len(dst)*bits {
		return errRelease
	}
	for i := range dst {
		sum, sign := 0.0, 1.0
		for j, r := range m.rates[i%2] {
			v := y[i*bits+j]
			if v != 0 && v != 1 {
				return errRelease
			}
			bit := (v - r.zero.Float64()) / (r.one.Float64() - r.zero.Float64())
			switch {
			case m.code.oneHot:
				sum += float64(bit * m.code.decode(1<<j))
			case j == 0:
				sign = 1 - 2*bit
			default:
				sum = 2*sum + bit
			}
		}
		if !m.code.oneHot {
			sum /= m.code.scale
		}
		dst[i] = sign * sum
	}
	return nil
}
