package direction

import (
	"fmt"
	"slices"
	"strings"

	"sotto/study/bias"
)

// lookup finds the vectors of words.
type lookup struct {
	table *bias.Table
	parts bool // a word of several parts that is not there is the mean of them
	unit  bool
}

// entry is a word that was found. Two words with one key are one row of the
// table.
type entry struct {
	key    string
	rows   []int // of the table
	vector []float64
}

// Why a word has no vector.
const (
	absent      = "not in the vectors"
	severalGone = "several words, and not in the vectors as one"
	partGone    = "several words, of which not all are in the vectors"
	zero        = "its vector is zero"
)

// find returns the vector of a word, or why there is none.
func (l lookup) find(word string) (e entry, reason string) {
	if i, ok := l.index(word); ok {
		e = entry{key: fmt.Sprint(i), rows: []int{i}, vector: l.table.Row(i)}
		return e, zeroReason(e.vector)
	}
	parts := strings.Fields(word)
	if len(parts) < 2 {
		return entry{}, absent
	}
	if !l.parts {
		return entry{}, severalGone
	}
	e = entry{key: strings.Join(parts, " "), vector: make([]float64, l.table.Dim())}
	for _, p := range parts {
		i, ok := l.index(p)
		if !ok {
			return entry{}, partGone
		}
		e.rows = append(e.rows, i)
		for j, v := range l.table.Row(i) {
			e.vector[j] += v / float64(len(parts))
		}
	}
	if reason = zeroReason(e.vector); reason == "" && l.unit {
		bias.Normalise(e.vector)
	}
	return e, reason
}

func (l lookup) index(word string) (int, bool) {
	for _, v := range variants(word) {
		if i, ok := l.table.Index(v); ok {
			return i, true
		}
	}
	return 0, false
}

func zeroReason(v []float64) string {
	if norm2(v) == 0 {
		return zero
	}
	return ""
}

// foundPair is a pair with both vectors.
type foundPair struct {
	Pair
	female, male entry
	half         []float64 // (female − male)/2, what both lie from their mean
}

// pairs returns the pairs that have two different vectors, and notes what was
// lost and what is ambiguous.
func (l lookup) pairs(r *Result, pairs []Pair) []foundPair {
	var found []foundPair
	for _, p := range pairs {
		find := func(word string, gender Gender) (e entry, ok bool) {
			e, reason := l.find(word)
			if reason != "" {
				r.Lost = append(r.Lost, Lost{Name: p.Name, Word: word, Gender: gender, Pair: true, Reason: reason})
			}
			return e, reason == ""
		}
		female, ok := find(p.Female, Female)
		male, both := find(p.Male, Male)
		if !ok || !both {
			continue
		}
		f := foundPair{p, female, male, make([]float64, len(female.vector))}
		for j := range f.half {
			f.half[j] = female.vector[j]/2 - male.vector[j]/2
		}
		if norm2(f.half) == 0 {
			r.note("%s has one vector for both of its words and defines nothing", p.Name)
			continue
		}
		if p.Note != "" {
			r.note("%s: %s", p.Name, p.Note)
		}
		found = append(found, f)
	}
	r.ambiguous(found)
	return found
}

// ambiguous notes pairs that share words.
func (r *Result) ambiguous(pairs []foundPair) {
	for i, p := range pairs {
		for _, q := range pairs[:i] {
			switch {
			case p.female.key == q.female.key && p.male.key == q.male.key:
				r.note("%s and %s are the same words, which count twice in the component and once as a pair", q.Name, p.Name)
			case p.female.key == q.female.key:
				r.note("%s is the female word of both %s and %s", p.Female, q.Name, p.Name)
			case p.male.key == q.male.key:
				r.note("%s is the male word of both %s and %s", p.Male, q.Name, p.Name)
			case p.female.key == q.male.key || p.male.key == q.female.key:
				r.note("%s and %s have a word in common, female in one and male in the other", q.Name, p.Name)
			}
		}
	}
}

// distinct counts the pairs that are not the same words as one before.
func distinct(pairs []foundPair) int {
	seen := map[[2]string]bool{}
	for _, p := range pairs {
		seen[[2]string{p.female.key, p.male.key}] = true
	}
	return len(seen)
}

// forms returns the forms of a profession that have vectors, each vector once.
func (l lookup) forms(r *Result, p Profession) []foundForm {
	var found []foundForm
	add := func(gender Gender, words []string) {
		for _, w := range words {
			e, reason := l.find(w)
			if reason != "" {
				r.Lost = append(r.Lost, Lost{Name: p.Name, Word: w, Gender: gender, Reason: reason})
				continue
			}
			i := slices.IndexFunc(found, func(f foundForm) bool { return f.entry.key == e.key })
			if i < 0 {
				found = append(found, foundForm{word: w, gender: gender, entry: e})
			} else if found[i].gender != gender {
				found[i].gender = Neutral
				r.note("%s: %s stands under several genders and counts once, as neutral", p.Name, w)
			}
		}
	}
	add(Female, p.Female)
	add(Male, p.Male)
	add(Neutral, p.Neutral)
	if p.Note != "" && len(found) > 0 {
		r.note("%s: %s", p.Name, p.Note)
	}
	return found
}
