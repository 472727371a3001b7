package noise

import (
	"encoding/binary"
	"math/bits"
)

// Channel sends the 64 bits of a word through a binary channel for each: a 1
// in lane i stays 1 with the probability one[i], a 0 becomes 1 with zero[i].
//
// It keeps the thresholds bit by bit: word b of one holds, in lane i, bit b of
// one[i], the most significant first. All lanes can then compare their own
// 64-bit random number with their own threshold at once.
type Channel struct {
	one, zero [64]uint64
	lanes     uint64 // those in use
	depth     int    // behind it all bits of all thresholds are 0
	symmetric bool   // a 1 is as likely to change as a 0, in each lane
}

// NewChannel returns the channel of as many lanes as there are probabilities.
// It panics if the two differ in number or exceed 64.
func NewChannel(one, zero []Prob) *Channel {
	if len(one) != len(zero) || len(one) > 64 {
		panic("noise: a channel of differing or too many lanes")
	}
	c := &Channel{symmetric: true}
	for i := range one {
		c.symmetric = c.symmetric && one[i] == zero[i].Not()
		c.lanes |= 1 << i
		for b := range 64 {
			c.one[b] |= uint64(one[i]) >> (63 - b) & 1 << i
			c.zero[b] |= uint64(zero[i]) >> (63 - b) & 1 << i
		}
		c.depth = max(c.depth, 64-bits.TrailingZeros64(uint64(one[i]|zero[i])))
	}
	return c
}

// Send writes to dst the words of x after the channel. Lanes not in use are 0.
// dst and x may be the same slice. It panics if their lengths differ.
//
// Comparing stops when every lane is decided, after about eight words of
// randomness instead of 64. How many depends on the random words, and never on
// x; but together with the release it is more than the release alone, so that
// an observer of single nanoseconds is outside the guarantee.
func (s *Stream) Send(dst, x []uint64, c *Channel) {
	if len(dst) != len(x) {
		panic("noise: Send on slices of different length")
	}
	if c.symmetric {
		for i, v := range x {
			dst[i] = (v ^ s.flips(c)) & c.lanes
		}
		return
	}
	for i, v := range x {
		below, belowZero := s.compare(c)
		dst[i] = v&below | ^v&belowZero
	}
}

// flips returns a word whose bits are 1 where a lane's random number lies below
// its threshold for a 0, which in a symmetric channel is that of changing a bit
// whatever it is: half of the work of compare.
func (s *Stream) flips(c *Channel) (below uint64) {
	open := c.lanes
	next := s.next // kept in a register
	for b := 0; open != 0 && b < c.depth; b++ {
		if next > bufferSize-8 {
			s.refill()
			next = s.next
		}
		r := binary.LittleEndian.Uint64(s.buf[next : next+8])
		next += 8
		zero := c.zero[b&63]
		below |= open & zero &^ r
		open &^= r ^ zero
	}
	s.next = next
	return below
}

// compare returns two words whose bits are 1 where a lane's random number lies
// below its thresholds. Both use the same number: a lane is read from one of
// the words only.
func (s *Stream) compare(c *Channel) (below, belowZero uint64) {
	open, openZero := c.lanes, c.lanes
	next := s.next // kept in a register
	for b := 0; open|openZero != 0 && b < c.depth; b++ {
		if next > bufferSize-8 {
			s.refill()
			next = s.next
		}
		r := binary.LittleEndian.Uint64(s.buf[next : next+8])
		next += 8
		one, zero := c.one[b&63], c.zero[b&63]
		below |= open & one &^ r
		belowZero |= openZero & zero &^ r
		open &^= r ^ one
		openZero &^= r ^ zero
	}
	s.next = next
	return below, belowZero
}
