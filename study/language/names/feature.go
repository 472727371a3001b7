package names

import (
	"unicode"
	"unicode/utf8"
)

// word is what is known of a word alone.
type word struct {
	low     uint32 // hash of the word in small letters
	shape   uint32 // hash of capital, small, digit and other, runs shortened
	long    uint32 // hash of the shape with up to three of each
	cluster uint16 // of words used alike, counting from 1; 0 for an unknown word
	lists   uint16 // lists that have the word, as bits
	prefix  [4]uint32
	suffix  [4]uint32
	capital bool
	breaks  bool // a line breaks before it
	closes  bool // ends a sentence
}

// A feature is hashed with the place and the kind of what it is about, so that
// each kind has its own numbers.
const (
	seed  = 2166136261
	prime = 16777619
)

// mix takes one more number into a hash.
func mix(h, v uint32) uint32 {
	h ^= v
	h *= 0x9e3779b1
	return h ^ h>>15
}

// hashed is the hash of a word in small letters.
func hashed(s string) uint32 {
	h := uint32(seed)
	for i := 0; i < len(s); i++ {
		b := s[i]
		if b >= utf8.RuneSelf {
			return hashedRunes(s)
		}
		if b >= 'A' && b <= 'Z' {
			b |= 0x20
		} else if b >= '0' && b <= '9' {
			b = '0'
		}
		h = (h ^ uint32(b)) * prime
	}
	return h
}

// hashedRunes is hashed for words that are not ASCII alone.
func hashedRunes(s string) uint32 {
	h := uint32(seed)
	for _, r := range s {
		r = unicode.ToLower(r)
		if r < utf8.RuneSelf {
			if r >= '0' && r <= '9' {
				r = '0'
			}
			h = (h ^ uint32(r)) * prime
			continue
		}
		var b [utf8.UTFMax]byte
		for _, c := range b[:utf8.EncodeRune(b[:], r)] {
			h = (h ^ uint32(c)) * prime
		}
	}
	return h
}

// look returns what is known of a word alone.
func (m *Model) look(s string, breaks bool) word {
	w := word{low: hashed(s), breaks: breaks}
	w.cluster = m.clusters.find(w.low)
	w.lists = m.lists.find(w.low)
	var last, run byte
	short, long := uint32(seed), uint32(seed)
	n := 0
	var hashes [64]uint32
	for i, r := range s {
		var kind byte
		switch {
		case r >= 'a' && r <= 'z':
			kind = 'a'
		case r >= 'A' && r <= 'Z':
			kind = 'A'
		case r >= '0' && r <= '9':
			kind = '0'
		case r < utf8.RuneSelf:
			kind = byte(r)
		case unicode.IsUpper(r):
			kind = 'A'
		case unicode.IsLetter(r):
			kind = 'a'
		default:
			kind = '?'
		}
		if i == 0 {
			w.capital = kind == 'A'
		}
		if kind == last {
			run++
		} else {
			short = (short ^ uint32(kind)) * prime
			run = 1
		}
		if run <= 3 {
			long = (long ^ uint32(kind)) * prime
		}
		last = kind
		if n < len(hashes) {
			hashes[n] = uint32(unicode.ToLower(r))
			n++
		}
	}
	w.shape, w.long = short, long
	h := uint32(seed)
	for k := 0; k < len(w.prefix) && k < n; k++ {
		h = mix(h, hashes[k])
		w.prefix[k] = h
	}
	h = seed
	for k := 0; k < len(w.suffix) && k < n; k++ {
		h = mix(h, hashes[n-1-k])
		w.suffix[k] = h
	}
	w.closes = s == "." || s == "!" || s == "?" || s == ":" || s == "\"" || s == "“"
	return w
}

// edge stands for the words before and after a sentence.
var edge = word{low: 1, shape: 1, long: 1, breaks: true, closes: true}

// style is how a whole sentence uses capital letters, by which they tell more or
// less.
func style(words []word) uint32 {
	capitals, small := 0, 0
	for _, w := range words {
		switch {
		case w.capital:
			capitals++
		default:
			small++
		}
	}
	switch {
	case capitals == 0:
		return 1 // somebody writes no capital letters
	case capitals > small:
		return 2 // a headline, or a list of names
	}
	return 3
}

// The first features tell the word itself, those up to around the words beside it.
const (
	itself = 4
	around = itself + 16
)

// at returns word k, or the edge of the sentence.
func at(words []word, k int) *word {
	if k < 0 || k >= len(words) {
		return &edge
	}
	return &words[k]
}

// features appends the hashes of what speaks for a name at word i.
func features(out []uint32, words []word, i int, manner uint32) []uint32 {
	p2, p, w, n, n2 := at(words, i-2), at(words, i-1), at(words, i), at(words, i+1), at(words, i+2)
	add := func(kind, a, b uint32) { out = append(out, mix(mix(mix(seed, kind), a), b)) }

	begins := uint32(0)
	if i == 0 || p.closes || w.breaks {
		begins = 1
	}
	// What the word itself tells comes first, then the words around it, so that
	// training can hide either.
	add(1, w.low, 0)
	add(6, p.low, w.low)
	add(7, w.low, n.low)
	add(15, w.low, w.shape)

	add(2, p.low, 0)
	add(3, n.low, 0)
	add(4, p2.low, 0)
	add(5, n2.low, 0)
	add(8, p.low, n.low)
	add(55, p.low, w.shape)
	add(56, n.low, w.shape)
	add(57, mix(p.low, p2.low), w.shape)
	add(58, mix(n.low, n2.low), w.shape)
	add(29, p.suffix[2], 0)
	add(30, n.suffix[2], 0)
	add(48, uint32(p.cluster), uint32(w.cluster))
	add(49, uint32(w.cluster), uint32(n.cluster))
	add(50, uint32(p.cluster), uint32(n.cluster))
	add(53, uint32(p.cluster), w.shape)
	add(54, uint32(n.cluster), w.shape)

	add(0, 0, 0)
	add(9, w.shape, begins)
	add(10, w.long, begins)
	add(11, p.shape, w.shape)
	add(12, w.shape, n.shape)
	add(13, mix(p.shape, w.shape), n.shape)
	add(14, manner, w.shape)
	for k, h := range w.prefix {
		if h != 0 {
			add(20+uint32(k), h, 0)
		}
	}
	for k, h := range w.suffix {
		if h != 0 {
			add(24+uint32(k), h, 0)
			if k == 2 {
				add(28, h, w.shape)
			}
		}
	}
	for k, o := range [...]*word{p2, p, w, n, n2} {
		c := uint32(o.cluster)
		add(32+uint32(k), c, 0)
		add(40+uint32(k), c>>leafBits, 0)
	}
	add(51, uint32(w.cluster), w.shape)
	add(52, uint32(w.cluster>>leafBits), w.shape)
	for k, o := range [...]*word{p, w, n} {
		if o.lists != 0 {
			add(64+uint32(k), uint32(o.lists), 0)
			add(68+uint32(k), uint32(o.lists), w.shape)
		}
	}
	add(72, uint32(w.lists), uint32(p.lists))
	add(73, uint32(w.lists), uint32(n.lists))
	if w.breaks {
		add(80, 0, w.shape)
	}
	if n.breaks {
		add(81, 0, w.shape)
	}
	return out
}
