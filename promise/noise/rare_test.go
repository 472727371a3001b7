package noise_test

import (
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/promise/noise"
)

// span is a range of words, the end not included.
type span struct{ from, to int }

// TestLaplaceRare puts octaves of 31 and more at every kind of place in a
// buffer: the words that continue them come from behind the view that the
// sampler works on, or from the next buffer, which overwrites the view.
func TestLaplaceRare(t *testing.T) {
	const end = noise.BufferWords
	for _, tt := range []struct {
		name    string
		before  int // words drawn first, one at a time
		samples int
		rare    []span // words without the bits of an octave
		zero    []span // words of zeros
	}{
		{"none", 0, 300, nil, nil},
		{"none, odd start", 1, 300, nil, nil},
		{"alone", 0, 1, []span{{0, 2}}, nil},
		{"alone, zeros go on", 0, 1, []span{{0, 2}}, []span{{2, 5}}},
		{"first of many", 0, 20, []span{{0, 2}}, nil},
		{"middle", 0, 20, []span{{14, 16}}, nil},
		{"middle, zeros behind the view", 0, 20, []span{{14, 16}}, []span{{16, 18}, {40, 42}}},
		{"last", 0, 20, []span{{38, 40}}, nil},
		{"one after the other", 3, 40, []span{{3, 200}}, nil},
		{"middle of a full buffer", 0, 300, []span{{200, 202}}, nil},
		{"end of a full buffer", 0, 300, []span{{end - 2, end}}, nil},
		{"end of a full buffer, zeros go on", 0, 300, []span{{end - 2, end}}, []span{{end, end + 3}}},
		{"start of the second buffer", 0, 300, []span{{end, end + 2}}, nil},
		{"odd start", 1, 300, []span{{101, 103}}, nil},
		{"odd start, one word left", 1, 255, []span{{end - 3, end - 1}}, nil},
		{"odd start, zeros cross the buffer", 1, 255, []span{{end - 3, end - 1}}, []span{{end - 1, end + 2}}},
		{"zeros of a whole buffer", 0, 100, []span{{20, 22}}, []span{{200, 200 + end}}},
		{"many", 5, 300, []span{{0, 60}, {end - 20, end + 20}, {2*end - 3, 2*end + 3}}, []span{{70, 71}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rng := weakrand.New(weakrand.NewPCG(19, 20))
			words := make([]uint64, 8*end)
			for i := range words {
				// A small number below every threshold: the digit is the index.
				words[i] = rng.Uint64()&^(1<<48-1) | 1<<62 | 1<<noise.DigitBits | rng.Uint64N(digits)
			}
			for _, s := range tt.rare {
				for i := s.from; i < s.to; i++ {
					words[i] &= 1<<48 - 1
				}
			}
			for _, s := range tt.zero {
				clear(words[s.from:s.to])
			}
			draw := func(words []uint64, foreign bool) (k []int64, used int) {
				src := &script{words: words}
				s := noise.Buffered(src)
				if foreign {
					s = noise.From(src)
				}
				for range tt.before {
					s.Uint64()
				}
				k = make([]int64, tt.samples)
				s.Laplace(k)
				return k, src.used
			}
			checkUse(t, "foreign", words, tt.before, true, func(w []uint64) ([]int64, int) { return draw(w, true) })
			checkUse(t, "buffered", words, tt.before, false, func(w []uint64) ([]int64, int) { return draw(w, false) })
		})
	}
}

// checkUse finds out which words each sample was made of, by changing one word
// after the other: the last bit decides a digit, and the trailing zeros of a
// word that continues an octave. A word of zeros that continues one ends it when
// it is changed, and other samples get other words: only the first one counts.
//
// Every sample must then be what the plain sampler makes of its words, and the
// words of all samples must follow each other in order, none of them used twice;
// with all, none is left out either.
func checkUse(t *testing.T, name string, words []uint64, before int, all bool, draw func([]uint64) ([]int64, int)) {
	t.Helper()
	original, used := draw(words)
	uses := make([][]int, len(original)) // of each sample, in order
	changed := slices.Clone(words)
	for i, w := range words[:used] {
		changed[i] ^= 1
		got, _ := draw(changed)
		for j, k := range got {
			if k != original[j] {
				uses[j] = append(uses[j], i)
				if w == 0 {
					break
				}
			}
		}
		changed[i] = w
	}
	last, rare := before-1, 0
	for j, use := range uses {
		var given []uint64
		for _, i := range use {
			if i <= last || all && i != last+1 {
				t.Fatalf("%s: sample %d is made of words %v after word %d", name, j, use, last)
			}
			last = i
			given = append(given, words[i])
		}
		if len(use) < 2 {
			t.Fatalf("%s: sample %d is made of words %v, want two or more", name, j, use)
		}
		if len(use) > 2 {
			rare++
		}
		src := &script{words: given}
		if want := laplaceFrom(src.Uint64); original[j] != want || src.used != len(given) {
			t.Errorf("%s: sample %d = %d of words %v, want %d of %d words", name, j, original[j], use, want, src.used)
		}
	}
	t.Logf("%s: %d samples, %d with an octave of 31 or more, up to word %d", name, len(uses), rare, last)
}
