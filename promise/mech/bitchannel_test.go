package mech_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	weakrand "math/rand/v2"
	"testing"

	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
	"sotto/promise/noise"
)

func bitsOf(p mech.Params) int {
	bits, _ := p.Value("bits").(int)
	return bits
}

// channels returns the bit protocols, with every variant, at a number of bits.
func channels(dim, bits int, eps float64) []mech.Params {
	var all []mech.Params
	add := func(p mech.Params) {
		p.Dim, p.Epsilon = dim, eps
		all = append(all, p.With(mech.Given{"bits": bits}))
	}
	if bits >= 2 {
		add(mech.Params{Mechanism: "sue", Variant: mech.OneHot})
		add(mech.Params{Mechanism: "oue", Variant: mech.OneHot})
		add(mech.Params{Mechanism: "oue", Variant: mech.Tight})
	}
	add(mech.Params{Mechanism: "sue", Variant: mech.Paper})
	add(mech.Params{Mechanism: "oue", Variant: mech.Paper})
	add(mech.Params{Mechanism: "oue", Variant: mech.MOUE, Own: mech.AlphaParams{Alpha: 0.7}})
	add(mech.Params{Mechanism: "ome", Own: mech.OMEParams{Lambda: 1}})
	add(mech.Params{Mechanism: "ome", Own: mech.OMEParams{Lambda: 0.5}})
	add(mech.Params{Mechanism: "ome", Own: mech.OMEParams{Lambda: 2}})
	add(mech.Params{Mechanism: "ome", Own: mech.OMEParams{Lambda: 100}})
	add(mech.Params{Mechanism: "bitrand", Own: mech.AlphaParams{Alpha: 0.5}})
	add(mech.Params{Mechanism: "bitrand", Own: mech.AlphaParams{Alpha: 3}})
	add(mech.Params{Mechanism: "bitrr", Variant: mech.Weighted})
	add(mech.Params{Mechanism: "bitrr", Variant: mech.Uniform})
	return all
}

func channel(tb testing.TB, p mech.Params) mech.Channel {
	tb.Helper()
	return must(tb, p).(mech.Channel)
}

func describe(p mech.Params) string {
	return fmt.Sprintf("%s %s dim=%d bits=%d λ=%v α=%v ε=%v", p.Mechanism, p.Variant, p.Dim, bitsOf(p), p.Value("lambda"), p.Value("alpha"), p.Epsilon)
}

// codes lists the codes of one coordinate.
func codes(c mech.BitCode) []uint64 {
	var all []uint64
	if c.OneHot() {
		for j := range c.Bits() {
			all = append(all, 1<<j)
		}
		return all
	}
	for code := range uint64(1) << c.Bits() {
		all = append(all, code)
	}
	return all
}

// threshold returns the numerator over 2⁶⁴ of P(released bit | bit).
func threshold(c mech.Channel, coordinate, bit int, set, released bool) *big.Int {
	one, zero := c.Rate(coordinate, bit)
	p := zero
	if set {
		p = one
	}
	if !released {
		p = p.Not()
	}
	return integer(p)
}

// joint returns, over all codes of all coordinates, the numerators of the
// probabilities of one release y, whose bit i·bits+j is bit j of coordinate i.
func joint(c mech.Channel, y uint64) []*big.Int {
	dim, _ := c.Shape()
	code := c.Code()
	all := []*big.Int{big.NewInt(1)}
	for i := range dim {
		var next []*big.Int
		for _, x := range codes(code) {
			p := big.NewInt(1)
			for j := range code.Bits() {
				p.Mul(p, threshold(c, i, j, x>>j&1 == 1, y>>(i*code.Bits()+j)&1 == 1))
			}
			for _, before := range all {
				next = append(next, new(big.Int).Mul(before, p))
			}
		}
		all = next
	}
	return all
}

// enumerated returns the largest ln P(y|x)/P(y|x′) over all inputs' codes and
// all releases.
func enumerated(c mech.Channel) *big.Float {
	dim, _ := c.Shape()
	worst, other := big.NewInt(1), big.NewInt(1)
	for y := range uint64(1) << (dim * c.Code().Bits()) {
		p := joint(c, y)
		most, least := p[0], p[0]
		for _, v := range p {
			if v.Cmp(most) > 0 {
				most = v
			}
			if v.Cmp(least) < 0 {
				least = v
			}
		}
		if new(big.Int).Mul(most, other).Cmp(new(big.Int).Mul(worst, least)) > 0 {
			worst, other = most, least
		}
	}
	return logRatio(worst, other)
}

// TestBitChannelEnumerated compares each guarantee with all pairs of inputs and
// all releases, on grids small enough to list them, in integers.
func TestBitChannelEnumerated(t *testing.T) {
	shapes := [][2]int{{1, 1}, {1, 2}, {1, 3}, {1, 4}, {2, 1}, {2, 2}, {2, 3}, {3, 1}, {3, 2}, {5, 1}, {8, 1}, {4, 2}, {2, 4}, {1, 8}}
	for _, shape := range shapes {
		epsilons := []float64{0.05, 1, 8}
		if shape[0]*shape[1] > 6 {
			if !dptest.Long() {
				continue // 2¹⁶ products of big integers for each of many channels
			}
			epsilons = []float64{1}
		}
		for _, eps := range epsilons {
			for _, p := range channels(shape[0], shape[1], eps) {
				c := channel(t, p)
				checkLoss(t, describe(p), c.Guarantee(), enumerated(c), 1e-12)
			}
		}
	}
}

// TestBitChannelRoundedUp compares the guarantees of wide channels with the
// exact sum over their bits: rounding errors of thousands of bits must not add
// up to more than was rounded up.
func TestBitChannelRoundedUp(t *testing.T) {
	heavy(t)
	for _, dim := range []int{1, 768} {
		for _, bits := range []int{9, 10} {
			for _, eps := range []float64{0.05, 1, 100, 1e4} {
				for _, p := range channels(dim, bits, eps) {
					c := channel(t, p)
					sum := float()
					for parity, count := range []int{(dim + 1) / 2, dim / 2} {
						loss := coordinateLoss(c, parity)
						sum.Add(sum, loss.Mul(loss, float().SetInt64(int64(count))))
					}
					checkLoss(t, describe(p), c.Guarantee(), sum, 1e-9)
				}
			}
		}
	}
}

// coordinateLoss returns the exact loss of one coordinate: of a binary code the
// sum over bits of the worse of both directions, of a one-hot code the worst
// pair of a bit cleared and another set.
func coordinateLoss(c mech.Channel, parity int) *big.Float {
	code := c.Code()
	sum := float()
	type rate struct{ one, zero noise.Prob }
	known := map[rate][2]*big.Float{}
	var down, up []*big.Float // ln of the largest ratio of 1 against 0, and of 0 against 1
	for j := range code.Bits() {
		var r rate
		r.one, r.zero = c.Rate(parity, j)
		both, ok := known[r]
		if !ok {
			least, most := logRatio(integer(r.one), integer(r.zero)), logRatio(integer(r.one.Not()), integer(r.zero.Not()))
			if most.Cmp(least) < 0 {
				least, most = most, least
			}
			both = [2]*big.Float{most, least.Neg(least)}
			known[r] = both
		}
		down, up = append(down, both[0]), append(up, both[1])
		worse := down[j]
		if up[j].Cmp(worse) > 0 {
			worse = up[j]
		}
		sum.Add(sum, worse)
	}
	if !code.OneHot() {
		return sum
	}
	var worst *big.Float
	for a := range down {
		for b := range up {
			if pair := float().Add(down[a], up[b]); a != b && (worst == nil || pair.Cmp(worst) > 0) {
				worst = pair
			}
		}
	}
	return worst
}

// TestBitChannelJoint compares the law of whole releases with the product of
// the bits' probabilities, for an odd and an even number of bits.
func TestBitChannelJoint(t *testing.T) {
	heavy(t)
	const draws = 60000
	for _, shape := range [][2]int{{2, 3}, {3, 2}} {
		for i, p := range channels(shape[0], shape[1], 1) {
			if lambda, ok := p.Value("lambda").(float64); ok {
				p = p.With(mech.Given{"lambda": 0.9 + lambda/400}) // so that every release is seen
			}
			if alpha, ok := p.Value("alpha").(float64); ok && alpha > 1 {
				p = p.With(mech.Given{"alpha": 1.2})
			}
			bits := bitsOf(p)
			c := channel(t, p)
			code := c.Code()
			// Any codes will do; these have zeros and ones in both parities.
			x := make([]float64, p.Dim)
			list := codes(code)
			for j := range x {
				x[j] = code.Decode(list[(3*j+i+1)%len(list)])
			}
			seen := make([]int, 1<<(p.Dim*bits))
			draw(t, c, x, draws, dptest.Source(t, uint64(i)), func(y []float64) {
				cell := 0
				for k, v := range y {
					cell |= int(v) << k
				}
				seen[cell]++
			})
			law := make([]float64, len(seen))
			for cell := range law {
				law[cell] = 1
				for k := range p.Dim * bits {
					set := code.Encode(x[k/bits])>>(k%bits)&1 == 1
					law[cell] *= chance(c, k/bits, k%bits, set, cell>>k&1 == 1)
				}
			}
			checkCounts(t, describe(p), seen, law)
		}
	}
}

// chance returns P(released bit | bit).
func chance(c mech.Channel, coordinate, bit int, set, released bool) float64 {
	one, zero := c.Rate(coordinate, bit)
	p := zero
	if set {
		p = one
	}
	if !released {
		p = p.Not()
	}
	return p.Float64()
}

// TestBitChannelPositions compares the rate of ones at every place of releases
// of many widths, where several coordinates share a word or one has most of it,
// and where an even and an odd number of bits put the parities of OME
// differently.
func TestBitChannelPositions(t *testing.T) {
	heavy(t)
	const draws = 3000
	for _, shape := range [][2]int{{130, 1}, {66, 4}, {66, 5}, {14, 10}, {9, 21}, {5, 32}, {4, 33}, {3, 48}} {
		dim, bits := shape[0], shape[1]
		for i, p := range channels(dim, bits, float64(dim)) {
			c := channel(t, p)
			x := positions(c, uint64(i))
			hits := make([]int, dim*bits)
			draw(t, c, x, draws, dptest.Source(t, uint64(100+i)), func(y []float64) {
				for k, v := range y {
					hits[k] += int(v)
				}
			})
			for k, h := range hits {
				set := c.Code().Encode(x[k/bits])>>(k%bits)&1 == 1
				call := fmt.Sprintf("%s place %d", describe(p), k)
				checkRate(t, call, h, draws, chance(c, k/bits, k%bits, set, true), len(hits))
			}
		}
	}
}

// positions returns an input whose codes are drawn at random.
func positions(c mech.Channel, seed uint64) []float64 {
	rng := weakrand.New(weakrand.NewPCG(1, seed))
	dim, _ := c.Shape()
	x := make([]float64, dim)
	for i := range x {
		code := rng.Uint64N(1 << c.Code().Bits())
		if c.Code().OneHot() {
			code = 1 << rng.IntN(c.Code().Bits())
		}
		x[i] = c.Code().Decode(code)
	}
	return x
}

// TestBitRRShares: bit i of a coordinate has a share of its budget proportional
// to 2^(−2i/3), or the same as every other.
func TestBitRRShares(t *testing.T) {
	const dim, bits, eps = 3, 8, 6
	for _, variant := range []string{mech.Weighted, mech.Uniform} {
		c := channel(t, mech.Params{Mechanism: "bitrr", Variant: variant, Dim: dim, Epsilon: eps, Own: mech.BitParams{Bits: bits}})
		share, sum := make([]float64, bits), 0.0
		for j := range share {
			share[j] = 1
			if variant == mech.Weighted {
				share[j] = math.Pow(4, -float64(j)/3)
			}
			sum += share[j]
		}
		for j := range share {
			one, zero := c.Rate(0, j)
			want := eps / dim * share[j] / sum
			if got := one.Log() - zero.Log(); !within(got, want, 1e-12) || one != zero.Not() {
				t.Errorf("bitrr %s: bit %d costs %v, want %v", variant, j, got, want)
			}
		}
	}
}

// TestRoundedBitLoss compares the guarantee of one stochastically rounded bit a
// coordinate with the exact loss, and sees that no input is worse.
func TestRoundedBitLoss(t *testing.T) {
	for _, dim := range []int{1, 3, 768} {
		for _, eps := range []float64{0.05, 1, 8, 1e3} {
			m := must(t, mech.Params{Mechanism: "bitrr", Variant: mech.OneBit, Dim: dim, Epsilon: eps}).(*mech.RoundedBit)
			low, high := m.Chance(-mech.OneHotRange), m.Chance(mech.OneHotRange)
			if high > low.Not() {
				t.Errorf("chances at the ends of the range are %d and %d of 2⁶⁴, want them to sum to at most 2⁶⁴", low, high)
			}
			exact := logRatio(integer(high), integer(low))
			exact.Mul(exact, float().SetInt64(int64(dim)))
			checkLoss(t, fmt.Sprintf("bitrr onebit dim=%d ε=%v", dim, eps), m.Guarantee(), exact, 1e-9)
			last := noise.Prob(0)
			for v := -6.0; v <= 6; v += 1.0 / 64 {
				p := m.Chance(v)
				if p < last || p < low || p > high {
					t.Errorf("chance of %v is %d of 2⁶⁴, want it to grow from %d to %d", v, p, low, high)
				}
				last = p
			}
			if half := m.Chance(0).Float64(); !within(half, 0.5, 1e-15) {
				t.Errorf("chance of 0 is %v, want ½", half)
			}
		}
	}
}

// TestRoundedBitUnbiased compares the rate of ones with the input.
func TestRoundedBitUnbiased(t *testing.T) {
	const dim, draws = 5, 20000
	m := must(t, mech.Params{Mechanism: "bitrr", Variant: mech.OneBit, Dim: dim, Epsilon: 5}).(*mech.RoundedBit)
	x := []float64{-9, -2, 0, 1, 4}
	hits := make([]int, dim)
	draw(t, m, x, draws, dptest.Source(t, 1), func(y []float64) {
		for i, v := range y {
			hits[i] += int(v)
		}
	})
	low := m.Chance(-mech.OneHotRange).Float64()
	for i, v := range []float64{-4, -2, 0, 1, 4} { // what clipping makes of x
		want := low + (1-2*low)*(v/mech.OneHotRange+1)/2
		checkRate(t, fmt.Sprintf("bitrr onebit of %v", x[i]), hits[i], draws, want, dim)
	}
}

// Packed and spelt releases are the same bits.
func TestPrivatizeBits(t *testing.T) {
	for _, p := range []mech.Params{
		{Mechanism: "bitrr", Dim: 50, Epsilon: 500, Own: mech.BitParams{Bits: 10}},
		{Mechanism: "bitrr", Dim: 7, Epsilon: 5, Own: mech.BitParams{Bits: 9}},
		{Mechanism: "bitrr", Dim: 3, Epsilon: 5, Own: mech.BitParams{Bits: 48}},
		{Mechanism: "bitrr", Dim: 65, Epsilon: 5, Own: mech.BitParams{Bits: 1}},
	} {
		m, ok := must(t, p).(mech.BitRR)
		if !ok {
			t.Fatalf("%+v makes no mech.BitRR", p)
		}
		x := normals(p.Dim, 3)
		bits := bitsOf(p)
		words, numbers := make([]uint64, m.Words()), make([]float64, p.Dim*bits)
		if err := m.PrivatizeBits(words, x, dptest.Source(t, 9)); err != nil {
			t.Fatal(err)
		}
		if err := m.PrivatizeTo(numbers, x, dptest.Source(t, 9)); err != nil {
			t.Fatal(err)
		}
		perWord := 64 / bits
		if perWord > 1 {
			perWord &^= 1
		}
		for i := range p.Dim {
			for j := range bits {
				bit := words[i/perWord] >> (i%perWord*bits + j) & 1
				if float64(bit) != numbers[i*bits+j] {
					t.Fatalf("%+v: bit %d of coordinate %d is %d packed and %v spelt", p, j, i, bit, numbers[i*bits+j])
				}
				words[i/perWord] &^= 1 << (i%perWord*bits + j)
			}
		}
		for w, left := range words {
			if left != 0 {
				t.Errorf("%+v: word %d has bits %#x that belong to no coordinate", p, w, left)
			}
		}
		x[0] = math.NaN()
		if err := m.PrivatizeBits(words, x, dptest.Source(t, 9)); !errors.Is(err, dp.ErrDomain) {
			t.Errorf("PrivatizeBits of NaN: error = %v, want %v", err, dp.ErrDomain)
		}
	}
}
