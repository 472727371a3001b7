package noise_test

import (
	"maps"
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/promise/noise"
)

// digit is what an alias column means, written plainly.
func digit(columns []uint64, w uint64) uint64 {
	j, number := w%digits, w/digits%(1<<noise.ThresholdBits)
	if number < columns[j]/digits {
		return j
	}
	return columns[j]%digits ^ j
}

// laplaceFrom is the sampler written plainly, a bit at a time.
func laplaceFrom(next func() uint64) int64 {
	low, high := noise.LaplaceColumns()
	a, b := next(), next()
	g := digit(high, b)*digits + digit(low, a)
	pool, left := a>>48|b>>48<<16, 32
	bit := func() uint64 {
		if left == 0 {
			pool, left = next(), 64
		}
		v := pool & 1
		pool, left = pool>>1, left-1
		return v
	}
	negative := bit() == 1
	for bit() == 0 {
		g += 1 << octaveBits
	}
	if negative {
		return -1 - int64(g)
	}
	return int64(g)
}

func laplaceOne(words ...uint64) int64 {
	var k [1]int64
	scripted(words...).Laplace(k[:])
	return k[0]
}

// TestLaplaceWords maps known words to known integers. With a zero threshold
// number a digit is its own index.
func TestLaplaceWords(t *testing.T) {
	const unit = 1 << octaveBits
	for _, tt := range []struct {
		name  string
		words []uint64
		want  int64
	}{
		{"octave 0", []uint64{2 << 48, 0}, 0},
		{"low digit", []uint64{2<<48 | 5, 0}, 5},
		{"high digit", []uint64{2 << 48, 7}, 7 * 1024},
		{"both", []uint64{2<<48 | 1023, 1023}, unit - 1},
		{"sign", []uint64{3 << 48, 0}, -1},
		{"sign and digits", []uint64{3<<48 | 5, 7}, -1 - 7*1024 - 5},
		{"octave 1", []uint64{4 << 48, 0}, unit},
		{"octave 1, negative", []uint64{5<<48 | 9, 0}, -1 - unit - 9},
		{"octave 14, last of the first word", []uint64{1 << 63, 0}, 14 * unit},
		{"octave 15, first of the second word", []uint64{0, 1 << 48}, 15 * unit},
		{"octave 30, last of the second word", []uint64{1 << 48, 1 << 63}, -1 - 30*unit},
		{"octave 31", []uint64{0, 0, 1}, 31 * unit},
		{"octave 31, negative", []uint64{1<<48 | 3, 4, 1}, -1 - 31*unit - 4*1024 - 3},
		{"octave 36", []uint64{0, 0, 1 << 5}, 36 * unit},
		{"octave 94", []uint64{0, 0, 1 << 63}, 94 * unit},
		{"octave 95", []uint64{0, 0, 0, 1}, 95 * unit},
		{"octave 31 + 128 + 2", []uint64{8, 0, 0, 0, 0b1100}, 161*unit + 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			src := &script{words: tt.words}
			var got [1]int64
			noise.From(src).Laplace(got[:])
			if got[0] != tt.want || src.used != len(tt.words) {
				t.Errorf("Laplace from %#x = %d with %d words, want %d", tt.words, got[0], src.used, tt.want)
			}
			if plain := laplaceFrom((&script{words: tt.words}).Uint64); plain != tt.want {
				t.Errorf("the plain sampler from %#x = %d, want %d", tt.words, plain, tt.want)
			}
		})
	}
}

// TestLaplaceDigits tries every column on both sides of its threshold, at the
// ends, and with each bit of the threshold turned over.
func TestLaplaceDigits(t *testing.T) {
	low, high := noise.LaplaceColumns()
	check := func(name string, j int, number, got uint64, column uint64) {
		want := uint64(j)
		if number >= column>>noise.DigitBits {
			want = column%digits ^ uint64(j)
		}
		if got != want {
			t.Errorf("%s column %d with number %#x gives digit %d, want %d", name, j, number, got, want)
		}
	}
	const mask = 1<<noise.ThresholdBits - 1
	for j := range digits {
		for i := -4; i < noise.ThresholdBits; i++ {
			at := func(column uint64) uint64 {
				threshold := column >> noise.DigitBits
				switch i {
				case -4:
					return 0
				case -3:
					return mask
				case -2:
					return (threshold - 1) & mask
				case -1:
					return threshold & mask
				}
				return (threshold ^ 1<<i) & mask
			}
			a, b := at(low[j]), at(high[j])
			k := laplaceOne(2<<48|a<<noise.DigitBits|uint64(j), 0xffff<<48|b<<noise.DigitBits|uint64(j))
			check("low", j, a, uint64(k)%digits, low[j])
			check("high", j, b, uint64(k)/digits, high[j])
		}
	}
}

// TestLaplaceOctaves counts the 2³² values of the 32 bits that make sign and
// octave, sixteen at a time: each sign exactly half, each octave exactly half of
// what is left, together.
func TestLaplaceOctaves(t *testing.T) {
	type cell struct {
		negative bool
		octave   int64
	}
	count := func(words func(v uint64) []uint64) map[cell]int {
		seen := make(map[cell]int)
		for v := range uint64(1 << 16) {
			k := laplaceOne(words(v)...)
			seen[cell{k < 0, max(k, -1-k) >> octaveBits}]++
		}
		return seen
	}
	want := map[cell]int{{false, 15}: 1, {true, 15}: 1} // what the first word leaves to the second
	for octave := range int64(15) {
		want[cell{false, octave}], want[cell{true, octave}] = 1<<(14-octave), 1<<(14-octave)
	}
	if got := count(func(v uint64) []uint64 { return []uint64{v << 48, 1 << 48} }); !maps.Equal(got, want) {
		t.Errorf("the first word's 16 bits give %v, want %v", got, want)
	}
	for sign := range uint64(2) {
		want = map[cell]int{{sign == 1, 31}: 1}
		for octave := int64(15); octave < 31; octave++ {
			want[cell{sign == 1, octave}] = 1 << (30 - octave)
		}
		got := count(func(v uint64) []uint64 { return []uint64{sign << 48, v << 48, 1} })
		if !maps.Equal(got, want) {
			t.Errorf("the second word's 16 bits after sign %d give %v, want %v", sign, got, want)
		}
	}
}

// TestLaplacePlain compares the sampler with the plain one, word for word.
func TestLaplacePlain(t *testing.T) {
	rng := weakrand.NewChaCha8([32]byte{7})
	words := make([]uint64, 1<<18)
	for i := range words {
		words[i] = rng.Uint64()
	}
	src := &script{words: words}
	got := make([]int64, len(words)/2)
	scripted(words...).Laplace(got)
	for i, k := range got {
		if want := laplaceFrom(src.Uint64); k != want {
			t.Fatalf("Laplace sample %d = %d, want %d", i, k, want)
		}
	}
}

// laplaceBelow is P(K ≤ k) of the ideal law.
func laplaceBelow(k float64) float64 {
	if k >= 0 {
		return 1 - math.Exp2(-(k+1)/(1<<octaveBits))/2
	}
	return math.Exp2(k/(1<<octaveBits)) / 2
}

func TestLaplaceLaw(t *testing.T) {
	checkLaw(t, "Laplace", million(seeded(t, 11).Laplace), 1, laplaceBelow)
	checkLaw(t, "Laplace, Crypto", million(noise.Crypto().Laplace), 1, laplaceBelow)
}

// TestLaplaceParts counts sign, octave and the leading three bits of each digit
// together, so that dependence between any of them shows.
func TestLaplaceParts(t *testing.T) {
	low, high := laplaceWeights(t)
	share := func(w []uint64, eighth int) (p float64) {
		for _, v := range w[eighth*digits/8 : (eighth+1)*digits/8] {
			p += float64(v) * 0x1p-48
		}
		return p
	}
	const octaves = 8
	p := make([]float64, 2*octaves*8*8)
	for i := range p {
		octave := i / 64 % octaves
		p[i] = 0.5 * math.Exp2(-float64(min(octave+1, octaves-1))) * share(high, i/8%8) * share(low, i%8)
	}
	k := make([]int64, 1<<22)
	seeded(t, 12).Laplace(k)
	seen := make([]int, len(p))
	for _, v := range k {
		g := uint64(max(v, -1-v))
		i := min(g>>octaveBits, octaves-1)*64 + g>>17%8*8 + g>>7%8
		if v < 0 {
			i += octaves * 64
		}
		seen[i]++
	}
	checkCounts(t, "Laplace by sign, octave, high, low", seen, p)
	checkPairs(t, "Laplace", k, [3]int64{-1 << octaveBits, 0, 1 << octaveBits},
		[4]float64{0.25, 0.25, 0.25, 0.25})
	// The least bits: the low digit's parity and the high digit's.
	parity := make([]int, 4)
	for _, v := range k {
		g := uint64(max(v, -1-v))
		parity[g&1|g>>9&2]++
	}
	odd := func(w []uint64) (p float64) {
		for j := 1; j < len(w); j += 2 {
			p += float64(w[j]) * 0x1p-48
		}
		return p
	}
	l, h := odd(low), odd(high)
	checkCounts(t, "Laplace by parities", parity, []float64{(1 - l) * (1 - h), l * (1 - h), (1 - l) * h, l * h})
}

// checkPairs cuts the integers into four classes at the given points and counts
// the classes of samples 2i and 2i+1 together.
func checkPairs(tb testing.TB, call string, k []int64, cuts [3]int64, p [4]float64) {
	tb.Helper()
	class := func(v int64) (c int) {
		for _, cut := range cuts {
			if v >= cut {
				c++
			}
		}
		return c
	}
	seen, want := make([]int, 16), make([]float64, 16)
	for i := range want {
		want[i] = p[i/4] * p[i%4]
	}
	for i := 0; i+1 < len(k); i += 2 {
		seen[class(k[i])*4+class(k[i+1])]++
	}
	checkCounts(tb, call+" in pairs", seen, want)
}
