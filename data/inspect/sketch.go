package inspect

import (
	"maps"
	"slices"
)

// sketch counts different values by their hashes: exactly up to a bound, and from
// there on by the values whose hash ends in so many zeros. A value that is left at
// the end was never left out before, so what is counted of it is exact.
//
// With a sample of m values the standard error of the estimate is about √(1/m), so
// it is below one percent for bounds of 20,000 and more, because a sample has half
// of the bound at least, within chance.
type sketch struct {
	seen  map[uint64]tally
	bound int
	level uint // zeros that a hash must end in
}

// tally is what is counted of one value.
type tally struct {
	rows  uint32
	parts uint16 // one bit a part
}

func newSketch(bound int) *sketch { return &sketch{seen: map[uint64]tally{}, bound: bound} }

// add counts a value that stands in a part, given as its bit.
func (s *sketch) add(hash uint64, part uint16) {
	if hash&(1<<s.level-1) != 0 {
		return
	}
	t := s.seen[hash]
	t.rows++
	t.parts |= part
	s.seen[hash] = t
	for len(s.seen) > s.bound {
		s.level++
		maps.DeleteFunc(s.seen, func(h uint64, _ tally) bool { return h&(1<<s.level-1) != 0 })
	}
}

// distinct returns how many different values there were.
func (s *sketch) distinct() int64 { return int64(len(s.seen)) << s.level }

// exact reports whether nothing was left out.
func (s *sketch) exact() bool { return s.level == 0 }

// count returns how many values pass, an estimate unless exact.
func (s *sketch) count(pass func(tally) bool) int64 {
	n := int64(0)
	for _, t := range s.seen {
		if pass(t) {
			n++
		}
	}
	return n << s.level
}

// spread returns the most rows that a value of the sample has, and the median.
func (s *sketch) spread() (most, median int64) {
	if len(s.seen) == 0 {
		return 0, 0
	}
	rows := make([]uint32, 0, len(s.seen))
	for _, t := range s.seen {
		rows = append(rows, t.rows)
	}
	slices.Sort(rows)
	return int64(rows[len(rows)-1]), int64(rows[len(rows)/2])
}

// several reports whether a value stands in more than one part.
func several(t tally) bool { return t.parts&(t.parts-1) != 0 }

// digest returns a hash of s, the same on every machine, and how many words s has
// as blanks separate them.
func digest(s string) (hash uint64, words int) {
	const prime = 1099511628211 // FNV-1a
	hash = 14695981039346656037
	blank := true
	for i := range len(s) {
		c := s[i]
		hash = (hash ^ uint64(c)) * prime
		if c == ' ' || (c >= '\t' && c <= '\r') {
			blank = true
		} else if blank {
			blank = false
			words++
		}
	}
	// The last bits of FNV are not mixed well, and they decide who is in a sample.
	hash ^= hash >> 32
	hash *= 0xd6e8feb86659fd93
	hash ^= hash >> 32
	return hash, words
}
