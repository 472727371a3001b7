package mech

import (
	"fmt"
	"math"
	"math/rand/v2"

	"sotto/promise/dp"
	"sotto/promise/noise"
)

// rate is a binary channel: the probability that a 1 is released for a 1 and
// for a 0.
type rate struct{ one, zero noise.Prob }

// forget returns the log-likelihood ratio of a released bit when x's bit is 1
// and x′'s is 0.
func (r rate) forget(released bool) float64 {
	if released {
		return noise.LogRatio(r.one, 1, r.zero, 1)
	}
	return noise.LogRatio(r.one.Not(), 1, r.zero.Not(), 1)
}

// losses returns the largest log-likelihood ratio over the released bit: down
// for 1 in x and 0 in x′, up for 0 in x and 1 in x′.
func (r rate) losses() (down, up float64) {
	set, unset := r.forget(true), r.forget(false)
	return max(set, unset), max(-set, -unset)
}

// bitChannel encodes each coordinate in bits and sends each bit through a
// channel of its own. The bit protocols are this with different rates.
type bitChannel struct {
	params   Params
	code     bitCode
	rates    [2][]rate       // by the parity of the coordinate's number, then by bit
	ratios   [2][][2]float64 // what forget returns of them, by the released bit
	packed   int             // coordinates in a word: 1 or an even number
	channels [2]*noise.Channel
	loss     dp.Epsilon
	reason   string
	claim    dp.Claim
}

// newBitChannel computes the true loss from the integer rates.
func newBitChannel(p Params, code bitCode, rateOf func(coordinate, bit int) rate) *bitChannel {
	m := &bitChannel{params: p, code: code}
	for parity := range m.rates {
		m.rates[parity], m.ratios[parity] = make([]rate, code.bits), make([][2]float64, code.bits)
		for j := range code.bits {
			r := rateOf(parity, j)
			m.rates[parity][j], m.ratios[parity][j] = r, [2]float64{r.forget(false), r.forget(true)}
		}
	}
	m.packed = 64 / code.bits
	if m.packed > 1 {
		m.packed &^= 1
	}
	for parity := range m.channels {
		var one, zero []noise.Prob
		for k := range m.packed {
			for _, r := range m.rates[(parity+k)%2] {
				one, zero = append(one, r.one), append(zero, r.zero)
			}
		}
		m.channels[parity] = noise.NewChannel(one, zero)
	}
	even := m.coordinateLoss(m.rates[0])
	odd := m.coordinateLoss(m.rates[1])
	m.loss = dp.RoundUp(dp.Epsilon(float64(float64((p.Dim+1)/2)*even) + float64(float64(p.Dim/2)*odd)))
	return m
}

// coordinateLoss is the loss when one coordinate changes at will: every bit of
// a binary code can differ, in the worse direction; of a one-hot code one bit
// is cleared and another set.
func (m *bitChannel) coordinateLoss(rates []rate) float64 {
	if !m.code.oneHot {
		sum := 0.0
		for _, r := range rates {
			down, up := r.losses()
			sum += max(down, up)
		}
		return sum
	}
	from, to := m.worstPair(rates)
	down, _ := rates[from].losses()
	_, up := rates[to].losses()
	return down + up
}

// worstPair returns the buckets between which a one-hot change costs most.
func (m *bitChannel) worstPair(rates []rate) (from, to int) {
	worst := math.Inf(-1)
	for a := range rates {
		for b := range rates {
			down, _ := rates[a].losses()
			_, up := rates[b].losses()
			if a != b && down+up > worst {
				worst, from, to = down+up, a, b
			}
		}
	}
	return from, to
}

// Params implements [Mechanism].
func (m *bitChannel) Params() Params { return m.params }

// Shape implements [dp.Vector]: a release has one number, 0 or 1, for each bit.
func (m *bitChannel) Shape() (in, out int) { return m.params.Dim, m.params.Dim * m.code.bits }

// Guarantee implements [dp.Mechanism].
func (m *bitChannel) Guarantee() dp.Guarantee {
	return dp.Guarantee{Unit: dp.Text, Epsilon: m.loss}
}

// Privatize implements [dp.Mechanism].
func (m *bitChannel) Privatize(x []float64, src rand.Source) ([]float64, error) {
	return privatize(m, x, src)
}

// PrivatizeTo implements [dp.Vector].
func (m *bitChannel) PrivatizeTo(dst, x []float64, src rand.Source) error {
	checkShape(m, dst, x)
	if !finite(norm1(x)) {
		return refuse(dst, notFinite)
	}
	s := noise.From(src)
	bits := m.code.bits
	for i := 0; i < len(x); i += m.packed {
		n := min(m.packed, len(x)-i)
		word := m.send(x[i:i+n], i, s)
		for k := range n {
			spell(dst[(i+k)*bits:(i+k+1)*bits], word>>(k*bits))
		}
	}
	return nil
}

// send releases the coordinates of one word, of which the first has number i.
func (m *bitChannel) send(x []float64, i int, s *noise.Stream) uint64 {
	word := [1]uint64{m.code.pack(x)}
	s.Send(word[:], word[:], m.channels[i%2])
	return word[0]
}

// Words returns how many words [bitChannel.PrivatizeBits] writes.
func (m *bitChannel) Words() int { return (m.params.Dim + m.packed - 1) / m.packed }

// PrivatizeBits writes one release of x as bits, a 64th of what PrivatizeTo
// writes: as many whole coordinates as fit into each word, an even number of
// them unless it is one, the first in the lowest bits. It panics if dst has not
// as many words as Words says or x not as many coordinates as Shape. On error dst
// holds zeros.
func (m *bitChannel) PrivatizeBits(dst []uint64, x []float64, src rand.Source) error {
	if len(dst) != m.Words() || len(x) != m.params.Dim {
		panic(fmt.Sprintf("mech: PrivatizeBits with %d words and %d coordinates, want %d and %d", len(dst), len(x), m.Words(), m.params.Dim))
	}
	if !finite(norm1(x)) {
		clear(dst)
		return refuse(nil, notFinite)
	}
	s := noise.From(src)
	for w := range dst {
		i := w * m.packed
		dst[w] = m.send(x[i:min(i+m.packed, len(x))], i, s)
	}
	// Lanes behind the last coordinate were sent through the channel as zeros.
	if rest := len(x) % m.packed; rest > 0 {
		dst[len(dst)-1] &= 1<<(rest*m.code.bits) - 1
	}
	return nil
}

// spell writes the lowest bits of a word as numbers, eight at a time.
func spell(dst []float64, word uint64) {
	for len(dst) >= 8 {
		*(*[8]float64)(dst) = spelt[word&255]
		dst, word = dst[8:], word>>8
	}
	row := &spelt[word&255]
	for j := range dst {
		dst[j] = row[j&7]
	}
}

// spelt holds the bits of every byte as numbers.
var spelt = func() (table [256][8]float64) {
	for b := range table {
		for j := range table[b] {
			table[b][j] = float64(b >> j & 1)
		}
	}
	return table
}()

// LogRatio implements [dp.Distinguisher].
func (m *bitChannel) LogRatio(y, x, x2 []float64) (float64, error) {
	if !finite(norm1(x)) || !finite(norm1(x2)) {
		return 0, fmt.Errorf("%w: %s", dp.ErrDomain, notFinite)
	}
	sum := 0.0
	for i := range x {
		a, b := m.code.encode(x[i]), m.code.encode(x2[i])
		for j, ratio := range m.ratios[i%2] {
			v := y[i*m.code.bits+j]
			if v != 0 && v != 1 {
				return 0, errRelease
			}
			sum += float64(float64(int(a>>j&1)-int(b>>j&1)) * ratio[int(v)])
		}
	}
	return sum, nil
}

// Profile implements [dp.Profiled]. Its witness takes the worse direction
// on every bit and the released bit that shows it.
func (m *bitChannel) Profile() dp.Profile {
	dim, bits := m.params.Dim, m.code.bits
	w := dp.Witness{X: make([]float64, dim), X2: make([]float64, dim), Y: make([]float64, dim*bits)}
	for i := range dim {
		rates := m.rates[i%2]
		a, b := m.worstCodes(rates)
		w.X[i], w.X2[i] = m.code.decode(a), m.code.decode(b)
		for j, r := range rates {
			bitA, bitB := a>>j&1 == 1, b>>j&1 == 1
			// The released bit that speaks most for a.
			set := bitA
			if bitA != bitB {
				set = (r.forget(true) > r.forget(false)) == bitA
			}
			if set {
				w.Y[i*bits+j] = 1
			}
			w.LogP += r.log(bitA, set)
			w.LogQ += r.log(bitB, set)
		}
	}
	w.Event = "the single release " + pattern(w.Y[:min(len(w.Y), 8)], len(w.Y) > 8) +
		" from inputs encoded as " + m.pattern(w.X) + " and " + m.pattern(w.X2)
	return dp.Profile{
		Mechanism: m.params.Mechanism, Variant: m.params.Variant, Claimed: dp.Epsilon(m.params.Epsilon),
		Claim: m.claim, Reason: m.reason, Witness: w, Independent: true,
	}
}

// worstCodes returns two codes of one coordinate that differ as costs most.
func (m *bitChannel) worstCodes(rates []rate) (a, b uint64) {
	if m.code.oneHot {
		from, to := m.worstPair(rates)
		return 1 << from, 1 << to
	}
	for j, r := range rates {
		if down, up := r.losses(); down >= up {
			a |= 1 << j
		} else {
			b |= 1 << j
		}
	}
	return a, b
}

// log returns ln P(released bit | bit).
func (r rate) log(bit, released bool) float64 {
	p := r.zero
	if bit {
		p = r.one
	}
	if !released {
		p = p.Not()
	}
	return p.Log()
}

// pattern renders the first bits of the encoded input.
func (m *bitChannel) pattern(x []float64) string {
	var first []float64
	for _, v := range x {
		for j := range m.code.bits {
			first = append(first, float64(m.code.encode(v)>>j&1))
		}
		if len(first) >= 8 {
			return pattern(first[:8], len(x)*m.code.bits > 8)
		}
	}
	return pattern(first, false)
}

func pattern(bits []float64, more bool) string {
	s := ""
	for _, b := range bits {
		s += string('0' + rune(b))
	}
	if more {
		s += "…"
	}
	return s
}
