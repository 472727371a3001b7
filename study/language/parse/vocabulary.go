package parse

import (
	"slices"

	"sotto/study/language"
)

// vocabulary is what a model knows by name: words with a vector of their own,
// words with a vector that others learnt, tags and relations.
type vocabulary struct {
	words     map[string]int32 // the row of a word; unknown for all others
	spellings []string         // the word of a row, from 1 on
	given     map[string]int32 // the row of a word that has a given vector
	upos      labels
	xpos      labels
	relations labels
}

// labels are names with numbers.
type labels struct {
	names  []string
	number map[string]int
}

func newLabels(names []string) labels {
	l := labels{names: names, number: make(map[string]int, len(names))}
	for i, name := range names {
		l.number[name] = i
	}
	return l
}

// of returns the number of a name, −1 if it is none of them.
func (l labels) of(name string) int {
	if i, known := l.number[name]; known {
		return i
	}
	return -1
}

// collect returns the vocabulary of sentences: words that occur at least least
// times, in the order of how often they do, and all tags and relations.
func collect(d *language.Document, least int) *vocabulary {
	counts := map[string]int{}
	seen := [3]map[string]bool{{}, {}, {}}
	for i := range d.Tokens {
		t := &d.Tokens[i]
		counts[normal(t.Text)]++
		seen[0][t.UPOS], seen[1][t.XPOS], seen[2][t.DepRel] = true, true, true
	}
	v := &vocabulary{given: map[string]int32{}}
	for word, n := range counts {
		if n >= least {
			v.spellings = append(v.spellings, word)
		}
	}
	slices.SortFunc(v.spellings, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		if a < b {
			return -1
		}
		return 1
	})
	v.index()
	sorted := func(names map[string]bool) labels {
		var all []string
		for name := range names {
			all = append(all, name)
		}
		slices.Sort(all)
		return newLabels(all)
	}
	v.upos, v.xpos, v.relations = sorted(seen[0]), sorted(seen[1]), sorted(seen[2])
	return v
}

// index makes words from spellings.
func (v *vocabulary) index() {
	v.words = make(map[string]int32, len(v.spellings))
	for i, word := range v.spellings {
		v.words[word] = int32(i + 1)
	}
}
