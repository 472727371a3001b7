package mech

import (
	"fmt"
	"math"
	"math/bits"
)

// bitCode turns a number into bits. Bit 0 of the code is the first that is
// sent.
type bitCode struct {
	bits     int
	oneHot   bool
	fraction int      // binary: bits after the point
	scale    float64  // binary: 2^fraction
	most     float64  // binary: the largest magnitude
	reversed []uint16 // binary codes of at most 12 bits: the code of each magnitude
}

// oneHotRange is where a one-hot code ends: z-scored numbers are clipped there.
const oneHotRange = 4

const (
	defaultBits = 10 // 1 sign, 4 integer and 5 fraction bits, as in LDPNN
	maxBits     = 48
)

func newBitCode(count int, oneHot bool) (bitCode, error) {
	if count == 0 {
		count = defaultBits
	}
	least := 1
	if oneHot {
		least = 2
	}
	if count < least || count > maxBits {
		return bitCode{}, fmt.Errorf("mech: bits is %d, must be at least %d and at most %d", count, least, maxBits)
	}
	c := bitCode{
		bits: count, oneHot: oneHot, fraction: count / 2,
		scale: math.Ldexp(1, count/2), most: math.Ldexp(1, count-1) - 1,
	}
	if !oneHot && count <= 12 {
		c.reversed = make([]uint16, 1<<(count-1))
		for m := range c.reversed {
			c.reversed[m] = uint16(bits.Reverse64(uint64(m)) >> (64 - (count - 1)) << 1)
		}
	}
	return c, nil
}

// encode returns the code of v, which must be finite.
//
// One-hot: the bit of the bucket that v falls into, of equal ones on
// [−4, 4], is set. Binary: sign (1 = negative), then integer and fraction bits of |v|, the
// most significant first, cut off at the last bit and clipped to the largest.
func (c bitCode) encode(v float64) uint64 {
	if c.oneHot {
		bucket := math.Floor((v + oneHotRange) / (2 * oneHotRange) * float64(c.bits))
		return 1 << uint64(min(max(bucket, 0), float64(c.bits-1)))
	}
	magnitudeBits := c.bits - 1
	m := math.Abs(v) * c.scale
	if !(m < c.most) {
		m = c.most
	}
	code := uint64(0)
	if v < 0 {
		code = 1
	}
	if magnitudeBits == 0 {
		return code
	}
	return code | bits.Reverse64(uint64(int64(m)))>>(64-magnitudeBits)<<1 // the most significant bit first
}

// pack returns the codes of several numbers, one behind the other. Binary codes
// of ordinary length are written out: no call, and digits reversed by a table.
func (c *bitCode) pack(x []float64) uint64 {
	word, shift := uint64(0), 0
	if c.reversed == nil {
		for _, v := range x {
			word |= c.encode(v) << shift
			shift += c.bits
		}
		return word
	}
	for _, v := range x {
		m := math.Abs(v) * c.scale
		if !(m < c.most) {
			m = c.most
		}
		code := uint64(c.reversed[int64(m)])
		if v < 0 {
			code |= 1
		}
		word |= code << shift
		shift += c.bits
	}
	return word
}

// decode returns a number that encode maps to code.
func (c bitCode) decode(code uint64) float64 {
	if c.oneHot {
		for j := range c.bits {
			if code == 1<<j {
				return float64((float64(j)+0.5)/float64(c.bits)*2*oneHotRange) - oneHotRange
			}
		}
		panic("mech: not a one-hot code")
	}
	m := 0.0
	for j := 1; j < c.bits; j++ {
		m = 2*m + float64(code>>j&1)
	}
	v := (m + 0.5) / float64(uint64(1)<<c.fraction)
	if code&1 == 1 {
		return -v
	}
	return v
}
