package dataset

import (
	"fmt"
	"hash/maphash"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Names tells persons apart by what they are called. The same person is written with a
// capital or without one, with a space behind, in full width or with an accent of its
// own: names that differ in nothing else are joined, since somebody who counts twice has
// twice the budget. Joining two persons who are different can only raise what is said of
// the one with the most rows.
//
// It keeps numbers of 64 bits, drawn anew in each process, and never a name. The zero
// value joins.
type Names struct {
	Exact bool // takes names as they are written

	seed    maphash.Seed
	spelled map[uint64]struct{}
	persons map[uint64]struct{}
}

// Of returns by what name a person is known, "" for nobody.
func (n *Names) Of(name string) string {
	who := name
	if !n.Exact {
		who = FoldName(name)
	}
	if who == "" {
		return ""
	}
	if n.spelled == nil {
		n.seed, n.spelled, n.persons = maphash.MakeSeed(), map[uint64]struct{}{}, map[uint64]struct{}{}
	}
	n.spelled[maphash.String(n.seed, name)] = struct{}{}
	n.persons[maphash.String(n.seed, who)] = struct{}{}
	return who
}

// Joined returns how many names were found to be another way to write one that was met.
func (n *Names) Joined() int { return max(0, len(n.spelled)-len(n.persons)) }

// Note says how many names were joined, "" for none.
func (n *Names) Note(column string) string {
	joined := n.Joined()
	if joined == 0 {
		return ""
	}
	names := "names"
	if joined == 1 {
		names = "name"
	}
	return fmt.Sprintf("%d %s of %s differ from another in capitals, spaces or the form of letters alone and count as the same person; --person-exact takes names as they are", joined, names, column)
}

// FoldName returns what is common to all ways of writing a name: letters in their
// compatible form and without capitals (NFKC and case folding of Unicode), characters
// that cannot be seen left out, and one space where there is any.
func FoldName(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) {
		return strings.Join(strings.Fields(strings.ToLower(name)), " ")
	}
	name = cases.Fold().String(norm.NFKC.String(name))
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return r
	}, name)
	return strings.Join(strings.Fields(norm.NFKC.String(name)), " ")
}
