package relation

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// This part of the package writes rules, piece by piece, by the decoder of package sequence: what it
// learns from rules that are given, and what it writes about sentences whose states some
// network makes. The networks of packages joint and marks have one each.
//
//	a := LearnAlphabet(texts)
//	w, err := NewWriter(a, WriterShape{Memory: 384, Hidden: WriterHidden, Drop: WriterDrop}, seed, rng)
//	loss, dX, dStart := w.Learn(pool, sources, targets, len(batch))
//	rules := w.Write(pool, sources)
//	rules, _ = w.Best(pool, sources, holds)

// The numbers of pieces that are no text.
const (
	begin = 0 // before a rule; and what is not known
	end   = 1 // behind it
)

// Alphabet is the pieces of which rules are made.
type Alphabet struct {
	names []string // from number 2 on
	at    map[string]int
}

// LearnAlphabet returns the pieces of some rules.
func LearnAlphabet(rules []string) Alphabet {
	seen := map[string]bool{}
	for _, r := range rules {
		for _, p := range pieces(r) {
			seen[p] = true
		}
	}
	a, _ := NewAlphabet(slices.Sorted(maps.Keys(seen))) // no piece is there twice
	return a
}

// NewAlphabet returns that of pieces, as [Alphabet.Pieces] lists them.
func NewAlphabet(names []string) (Alphabet, error) {
	a := Alphabet{names: names, at: make(map[string]int, len(names))}
	for k, name := range names {
		if a.at[name] > 0 || name == "" {
			return Alphabet{}, errors.New("writer: a piece of rules is empty or there twice, must be neither")
		}
		a.at[name] = k + 2
	}
	return a, nil
}

// Pieces lists them in order.
func (a Alphabet) Pieces() []string { return a.names }

// Size returns how many there are, those that are no text among them.
func (a Alphabet) Size() int { return len(a.names) + 2 }

// Numbers returns the pieces of a rule; nil where one is not known.
func (a Alphabet) Numbers(rule string) []int {
	var all []int
	for _, p := range pieces(rule) {
		id := a.at[p]
		if id == begin {
			return nil
		}
		all = append(all, id)
	}
	return all
}

// text returns the rule of pieces.
func (a Alphabet) text(ids []int) string {
	var b strings.Builder
	for _, id := range ids {
		if id == begin {
			return "" // no rule has it within
		}
		b.WriteString(a.names[id-2])
	}
	return b.String()
}

// pieces takes a rule apart so that its pieces, one behind another, are the rule again: a
// run of letters and digits, or a sign, with the space before it.
func pieces(rule string) []string {
	var all []string
	space, word := false, false
	for _, r := range rule {
		if r == ' ' {
			space, word = true, false
			continue
		}
		letter := r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
		switch {
		case letter && word && !space:
			all[len(all)-1] += string(r)
		case space:
			all = append(all, " "+string(r))
		default:
			all = append(all, string(r))
		}
		space, word = false, letter
	}
	return all
}
