package noise_test

import (
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/promise/noise"
)

// transpose turns 64 lanes' numbers into the words that hold them, the most
// significant bits first, and back.
func transpose(lanes []uint64) []uint64 {
	words := make([]uint64, 64)
	for i := range words {
		for lane, number := range lanes {
			words[i] |= number >> (63 - i) & 1 << lane
		}
	}
	return words
}

// numbers is the inverse of transpose.
func numbers(words []uint64) []uint64 {
	lanes := make([]uint64, 64)
	for lane := range lanes {
		for i, w := range words {
			lanes[lane] |= w >> lane & 1 << (63 - i)
		}
	}
	return lanes
}

// channel is Send on one word, written plainly: each lane compares its number
// with its threshold, or in a symmetric channel with that of changing its bit.
func channel(x uint64, lanes []uint64, p, q noise.Prob) (y uint64) {
	for lane, number := range lanes {
		if p == q.Not() {
			if number < uint64(q) {
				y |= 1 << lane
			}
			continue
		}
		threshold := q
		if x>>lane&1 == 1 {
			threshold = p
		}
		if number < uint64(threshold) {
			y |= 1 << lane
		}
	}
	if p == q.Not() {
		y ^= x
	}
	return y
}

// wordsNeeded is the number of leading bits that decide all lanes against both
// thresholds: a lane is decided where it differs from the threshold, and all
// are when only zeros are left of both.
func wordsNeeded(lanes []uint64, p, q noise.Prob) int {
	depth := p | q
	if p == q.Not() {
		p = q // one threshold decides
	}
	for n := range 64 {
		open := false
		for _, number := range lanes {
			open = open || number>>(64-n) == uint64(p)>>(64-n) || number>>(64-n) == uint64(q)>>(64-n)
		}
		if !open || depth<<n == 0 {
			return n
		}
	}
	return 64
}

// TestBitsExact puts numbers around both thresholds into the lanes.
func TestBitsExact(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(13, 14))
	extremes := []noise.Prob{1, 2, 3, 1<<63 - 1, 1 << 63, 1<<63 + 1, math.MaxUint64 - 1, math.MaxUint64}
	for range 4 {
		extremes = append(extremes, noise.Prob(rng.Uint64()), noise.Prob(rng.Uint64())<<32)
	}
	for _, p := range extremes {
		for _, q := range extremes {
			a, b := uint64(p), uint64(q)
			lanes := []uint64{0, 1, a - 1, a, a + 1, b - 1, b, b + 1, 1 << 63, 1<<63 - 1, math.MaxUint64}
			for len(lanes) < 64 { // numbers that part from a threshold at some bit
				lanes = append(lanes, a^1<<rng.IntN(64), b^rng.Uint64()>>rng.IntN(64), rng.Uint64())
			}
			lanes = lanes[:64]
			rng.Shuffle(64, func(i, j int) { lanes[i], lanes[j] = lanes[j], lanes[i] })
			checkChannel(t, lanes, p, q)
			lanes[0] = a // all lanes alike but one
			for i := range lanes[1:] {
				lanes[i+1] = a ^ 1<<63
			}
			checkChannel(t, lanes, p, q)
			for i := range lanes { // far from both if these are far from ½: few words
				lanes[i] = rng.Uint64()
			}
			checkChannel(t, lanes, p, q)
		}
	}
}

// checkChannel sends several words through the same random numbers: the answer
// is the plain one, and the words drawn do not depend on what is sent.
func checkChannel(t *testing.T, lanes []uint64, p, q noise.Prob) {
	t.Helper()
	words, need := transpose(lanes), wordsNeeded(lanes, p, q)
	for _, x := range []uint64{0, math.MaxUint64, 0xaaaaaaaaaaaaaaaa, 0x5555555555555555, 0x0123456789abcdef} {
		src := &script{words: words}
		dst, sent := make([]uint64, 1), []uint64{x}
		noise.From(src).Send(dst, sent, uniform(p, q))
		if want := channel(x, lanes, p, q); dst[0] != want {
			t.Errorf("Send(%#x, p=%#x, q=%#x) = %#x, wrong in lanes %#x", x, uint64(p), uint64(q), dst[0], dst[0]^want)
		}
		if src.used != need {
			t.Errorf("Send(%#x, p=%#x, q=%#x) drew %d words, want %d", x, uint64(p), uint64(q), src.used, need)
		}
		if sent[0] != x {
			t.Errorf("Send changed its input")
		}
	}
}

// TestBitsSlices sends several words, in place and not, and counts the
// randomness: it is the same whatever is sent.
func TestBitsSlices(t *testing.T) {
	const n = 300
	p, q := noise.ProbBelow(0.7), noise.ProbAbove(0.2)
	run := func(x, dst []uint64) (after uint64) {
		s := noise.Derive([]byte("a secret for tests"), "bits")
		s.Send(dst, x, uniform(p, q))
		return s.Uint64()
	}
	rng := weakrand.New(weakrand.NewPCG(15, 16))
	x, dst, zero, one := make([]uint64, n), make([]uint64, n), make([]uint64, n), make([]uint64, n)
	ones := make([]uint64, n)
	for i := range x {
		x[i], ones[i] = rng.Uint64(), math.MaxUint64
	}
	after := run(x, dst)
	if a, b := run(make([]uint64, n), zero), run(ones, one); a != after || b != after {
		t.Errorf("Send on other inputs ends at %#x and %#x of the key stream, want %#x", a, b, after)
	}
	for i := range dst {
		if want := x[i]&one[i] | ^x[i]&zero[i]; dst[i] != want {
			t.Errorf("Send word %d = %#x, want %#x", i, dst[i], want)
		}
	}
	run(x, x)
	for i := range dst {
		if x[i] != dst[i] {
			t.Fatalf("Send in place gives %#x for word %d, want %#x", x[i], i, dst[i])
		}
	}
	if got := recovered(func() { run(x, dst[1:]) }); !hasPrefix(got, "noise: Send") {
		t.Errorf("Send on different lengths panics with %q", got)
	}
	s := seeded(t, 1)
	s.Send(nil, nil, uniform(p, q)) // nothing to send, nothing drawn
	if got, want := s.Uint64(), weakrand.NewChaCha8([32]byte{1}).Uint64(); got != want {
		t.Errorf("after Bits of nothing comes %#x, want %#x", got, want)
	}
}

// TestBitsLaw counts bits together, grouped in three ways: eight neighbouring
// lanes, eight lanes eight apart, and one lane in four words on end.
func TestBitsLaw(t *testing.T) {
	const n = 1 << 17
	const sent = 0x00ff00ff0f0f3355 // both bits occur in every group
	for i, tt := range []struct{ p, q float64 }{{0.6, 0.4}, {0.5, 0.25}, {0.3, 0.55}} {
		t.Run(fmt.Sprint(tt.p, tt.q), func(t *testing.T) {
			x := make([]uint64, n)
			for j := range x {
				x[j] = sent
			}
			seeded(t, byte(70+i)).Send(x, x, uniform(noise.ProbBelow(tt.p), noise.ProbBelow(tt.q)))
			one := func(lane int) float64 {
				if sent>>lane&1 == 1 {
					return tt.p
				}
				return tt.q
			}
			hits := make([]int, 64)
			for _, v := range x {
				for lane := range hits {
					hits[lane] += int(v >> lane & 1)
				}
			}
			for lane, h := range hits {
				checkRate(t, fmt.Sprintf("Send, lane %d", lane), h, n, one(lane), 64)
			}
			for g := range 8 {
				checkGroup(t, fmt.Sprintf("Send, lanes %d to %d", 8*g, 8*g+7), lanesOf(x, func(i int) int { return 8*g + i }),
					func(i int) float64 { return one(8*g + i) }, 8)
				checkGroup(t, fmt.Sprintf("Send, lanes %d mod 8", g), lanesOf(x, func(i int) int { return 8*i + g }),
					func(i int) float64 { return one(8*i + g) }, 8)
			}
			for lane := range 64 {
				groups := make([]int, n/4)
				for j, v := range x {
					groups[j/4] |= int(v>>lane&1) << (j % 4)
				}
				checkGroup(t, fmt.Sprintf("Send, lane %d of four words", lane), groups,
					func(int) float64 { return one(lane) }, 4)
			}
		})
	}
}

// lanesOf collects eight lanes of each word.
func lanesOf(x []uint64, lane func(int) int) []int {
	groups := make([]int, len(x))
	for j, v := range x {
		for i := range 8 {
			groups[j] |= int(v>>lane(i)&1) << i
		}
	}
	return groups
}

// checkGroup counts groups of independent bits, bit i being 1 with probability
// one(i). Values that expect fewer than a hundred counts are counted in one cell
// with the first that expects more.
func checkGroup(tb testing.TB, call string, groups []int, one func(int) float64, size int) {
	tb.Helper()
	p, cell := make([]float64, 1), make([]int, 1<<size)
	first := true
	for v := range 1 << size {
		product := 1.0
		for i := range size {
			if v>>i&1 == 1 {
				product *= one(i)
			} else {
				product *= 1 - one(i)
			}
		}
		if common := product*float64(len(groups)) >= 100; first || !common {
			first = first && !common
			p[0] += product
			continue
		}
		cell[v] = len(p)
		p = append(p, product)
	}
	seen := make([]int, len(p))
	for _, v := range groups {
		seen[cell[v]]++
	}
	checkCounts(tb, call, seen, p)
}

// uniform is a channel with the same probabilities in all 64 lanes.
func uniform(p, q noise.Prob) *noise.Channel {
	one, zero := make([]noise.Prob, 64), make([]noise.Prob, 64)
	for i := range one {
		one[i], zero[i] = p, q
	}
	return noise.NewChannel(one, zero)
}

// Lanes have thresholds of their own, and those not in use stay 0.
func TestChannelLanes(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(3, 4))
	for range 200 {
		lanes := rng.IntN(65)
		one, zero := make([]noise.Prob, lanes), make([]noise.Prob, lanes)
		for i := range one {
			// Some thresholds with few bits, where comparing ends late.
			one[i], zero[i] = noise.Prob(rng.Uint64()>>rng.IntN(64)|1), noise.Prob(rng.Uint64()<<rng.IntN(64)|1<<63)
		}
		words := make([]uint64, 64)
		for i := range words {
			words[i] = rng.Uint64()
		}
		x := rng.Uint64()
		got := []uint64{0}
		noise.From(&script{words: words}).Send(got, []uint64{x}, noise.NewChannel(one, zero))
		want := uint64(0)
		for i := range lanes {
			number := uint64(0) // of lane i, the most significant bit first
			for b := range 64 {
				number = number<<1 | words[b]>>i&1
			}
			threshold := zero[i]
			if x>>i&1 == 1 {
				threshold = one[i]
			}
			if number < uint64(threshold) {
				want |= 1 << i
			}
		}
		if got[0] != want {
			t.Fatalf("Send(%#x) with %d lanes = %#x, want %#x", x, lanes, got[0], want)
		}
	}
	// A symmetric channel changes a bit where the number lies below zero's.
	flip := []noise.Prob{1 << 62, 1 << 63, 3 << 62}
	got := []uint64{0}
	words := []uint64{0b110, 0b011, 0b001} // the lanes' numbers begin with 011…, 110…, 100…
	noise.From(&script{words: append(words, make([]uint64, 61)...)}).Send(got, []uint64{0b101},
		noise.NewChannel([]noise.Prob{flip[0].Not(), flip[1].Not(), flip[2].Not()}, flip))
	if want := uint64(0b101 ^ 0b100); got[0] != want {
		t.Errorf("Send through a symmetric channel = %#b, want %#b", got[0], want)
	}
	if got := recovered(func() { noise.NewChannel(make([]noise.Prob, 65), make([]noise.Prob, 65)) }); !hasPrefix(got, "noise: a channel") {
		t.Errorf("NewChannel of 65 lanes panics with %q", got)
	}
}
