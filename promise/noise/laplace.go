package noise

import (
	"math"
	"math/bits"
)

// The discrete Laplace law with ratio θ = 2^(−1/2²⁰) from one integer to the
// next: |K+½| grows by 1 and the probability falls by θ. One table serves every
// ε, because a mechanism chooses how many integers make up its unit.
//
// The magnitude G = K or −1−K is geometric, so its binary digits are
// independent: G = octave·2²⁰ + high·2¹⁰ + low, where octave is geometric with
// ratio ½ (count the zeros of a random word) and high and low come from alias
// tables of 1024 columns with integer weights that sum to 2⁴⁸.
const (
	digitBits     = 10
	digits        = 1 << digitBits
	octaveBits    = 2 * digitBits
	thresholdBits = 38
	weightTotal   = 1 << (digitBits + thresholdBits)
	spareBits     = 64 - digitBits - thresholdBits // of a word, above those of a digit

	// LaplaceScale is the scale of [Stream.Laplace] in integers, 2²⁰/ln 2; the
	// variance of K+½ is 2·LaplaceScale² to a part in 10⁹.
	LaplaceScale = (1 << octaveBits) / math.Ln2
)

type laplaceTable struct {
	// A digit j stays where the word, shifted to its top, is below Keep, and
	// becomes Else otherwise.
	lowKeep, highKeep [digits]uint64
	lowElse, highElse [digits]uint16

	low, high             [digits]uint64  // the alias columns behind them
	lowWeight, highWeight [digits]uint64  // what the columns add up to
	lowLog, highLog       [digits]float64 // ln of the probability
	step                  float64
}

var laplace = newLaplaceTable()

func newLaplaceTable() *laplaceTable {
	t := new(laplaceTable)
	fill := func(columns, weight *[digits]uint64, logs *[digits]float64, step float64) {
		p := make([]float64, digits)
		for j := range p {
			p[j] = math.Exp2(-float64(j) * step)
		}
		copy(weight[:], integerWeights(p, weightTotal))
		aliasTable(columns[:], weight[:], 1<<thresholdBits, digitBits)
		for j, w := range weight {
			logs[j] = math.Log(float64(w)) - (digitBits+thresholdBits)*math.Ln2
		}
	}
	fill(&t.low, &t.lowWeight, &t.lowLog, 1.0/(1<<octaveBits))
	fill(&t.high, &t.highWeight, &t.highLog, 1.0/digits)
	unpack(&t.lowKeep, &t.lowElse, &t.low)
	unpack(&t.highKeep, &t.highElse, &t.high)
	t.step = t.largestStep()
	return t
}

// unpack turns alias columns into what the sampler compares with: a word whose
// top 38 bits are a number below the threshold lies below threshold·2²⁶.
func unpack(keep *[digits]uint64, otherwise *[digits]uint16, columns *[digits]uint64) {
	for j, c := range columns {
		keep[j] = math.MaxUint64 // a full column: every word lies below
		if threshold := c >> digitBits; threshold < 1<<thresholdBits {
			keep[j] = threshold << (64 - thresholdBits)
		}
		otherwise[j] = uint16(c&(digits-1) ^ uint64(j))
	}
}

// largestStep returns max |ln P(G=k)/P(G=k+1)| over all k, from the integer
// weights, rounded up. Three kinds of neighbours exist: within the low digit,
// across a carry into the high digit, and across a carry into the octave. The
// step across the centre, from K = −1 to K = 0, costs nothing.
func (t *laplaceTable) largestStep() float64 {
	worst := 0.0
	for j := range digits - 1 {
		worst = max(worst, math.Abs(logRatio(t.lowWeight[j], t.lowWeight[j+1])))
	}
	carry := logRatio(t.lowWeight[digits-1], t.lowWeight[0])
	for j := range digits - 1 {
		worst = max(worst, math.Abs(carry+logRatio(t.highWeight[j], t.highWeight[j+1])))
	}
	worst = max(worst, math.Abs(carry+logRatio(t.highWeight[digits-1], t.highWeight[0])+math.Ln2))
	// The sums above have absolute errors below 2⁻⁵¹, relative to a step of 2⁻²⁰·ln 2.
	return worst * (1 + 0x1p-29)
}

// logRatio returns ln a/b, accurately also where a and b are nearly equal.
func logRatio(a, b uint64) float64 {
	return math.Log1p((float64(a) - float64(b)) / float64(b))
}

// LaplaceStep returns the privacy loss of moving the input by one integer:
// the largest |ln P(K=k)/P(K=k+1)| over all integers k, computed from the
// integer weights of the tables and rounded up. It exceeds ln 2/2²⁰ by about
// one part in 10⁵.
func LaplaceStep() float64 { return laplace.step }

// Laplace fills dst with independent discrete Laplace integers K, symmetric
// about −½: P(K=k) is proportional to 2^(−|k+½|/2²⁰), up to the rounding of
// the weights that [LaplaceStep] accounts for. The support is all integers;
// nothing is cut off.
func (s *Stream) Laplace(dst []int64) {
	t := laplace
	for len(dst) > 0 {
		first, n := s.take(len(dst))
		for i := range dst[:n] {
			a, b := s.pair(first + 16*i)
			// The low 48 bits of each word draw a digit.
			low, high := a&(digits-1), b&(digits-1)
			if a<<spareBits >= t.lowKeep[low] { // seldom: the low digits are almost equally likely
				low = uint64(t.lowElse[low])
			}
			other := uint64(t.highElse[high])
			if b<<spareBits >= t.highKeep[high] { // often: compiled to a conditional move
				high = other
			}
			// The 16 bits left of the first word are the sign and the octave.
			octave := uint64(bits.TrailingZeros64(a>>(64-spareBits+1) | 1<<(spareBits-1)))
			if octave == spareBits-1 { // once in 2¹⁵: those of the second go on
				octave += uint64(bits.TrailingZeros64(b>>(64-spareBits) | 1<<spareBits))
				if octave == 2*spareBits-1 { // once in 2³¹: and further words
					octave += s.zeros()
					n = i + 1 // the buffer behind may have been written anew
				}
			}
			g := octave<<octaveBits | high<<digitBits | low
			dst[i] = int64(g) ^ -int64(a>>(64-spareBits)&1) // the sign maps g to −1−g
			if i+1 == n {
				break
			}
		}
		dst = dst[n:]
	}
}

// zeros counts zero bits up to the first one.
func (s *Stream) zeros() uint64 {
	for n := uint64(0); ; n += 64 {
		if w := s.Uint64(); w != 0 {
			return n + uint64(bits.TrailingZeros64(w))
		}
	}
}

// LaplaceLog returns ln P(K=k) for [Stream.Laplace], from the integer weights.
func LaplaceLog(k int64) float64 {
	g := uint64(k ^ k>>63) // k or −1−k
	return laplace.lowLog[g&(digits-1)] + laplace.highLog[g>>digitBits&(digits-1)] -
		float64((float64(g>>octaveBits)+2)*math.Ln2)
}

// LaplaceTail returns ln P(K ≥ k), up to rounding.
func LaplaceTail(k int64) float64 {
	upper := -math.Ln2 - math.Abs(float64(k))/LaplaceScale // ½·θ^|k|
	if k >= 0 {
		return upper
	}
	return math.Log1p(-math.Exp(upper))
}
