package mask

import (
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/study/language"
	"sotto/study/link/mention"
	"sotto/text"
)

// called is how a person is called somewhere.
type called struct {
	title string   // before the name, as it is written, with the space behind
	words []string // of the name, folded
	tail  string   // behind the name, such as 's
	whole []string // the longest name of the person in the text
}

// titles may stay before a pseudonym: they say of a person what is no name. Others, such
// as Don, may be a name, and are masked with it.
var titles = []string{
	"the", "mr", "mrs", "ms", "miss", "mx", "dr", "prof", "professor", "sir", "dame", "lord", "lady", "rev", "capt", "captain", "col", "gen", "lt", "sgt",
	"herr", "frau", "monsieur", "madame", "mme", "señor", "señora", "president", "senator", "judge",
}

// newCalled takes what stands for a person apart.
func newCalled(surface string) called {
	n := mention.ParseName(surface)
	c := called{tail: n.Tail, words: n.Words}
	rest := n.Before
	for rest != "" {
		word, behind, _ := strings.Cut(rest, " ")
		if !slices.Contains(titles, strings.ToLower(strings.TrimRight(word, "."))) {
			break
		}
		kept := len(rest) - len(strings.TrimLeft(behind, " "))
		c.title += rest[:kept]
		rest = rest[kept:]
	}
	var names []string
	for word := range strings.FieldsSeq(rest) {
		names = append(names, text.Fold(strings.TrimRight(word, ".")))
	}
	c.words = slices.Concat(names, n.Words)
	return c
}

// initial reports whether a word stands for those that begin with it.
func initial(word string) bool { return utf8.RuneCountInString(word) == 1 }

// persons says who the persons of the text are, by their place among what was found:
// package mention says which names are one person's. A name that may be two persons'
// is a person of its own.
func (w *writer) persons() map[int]called {
	if w.people != nil {
		return w.people
	}
	w.people = map[int]called{}
	var at []int
	var found []language.Entity
	for i, e := range w.found {
		if e.Type == language.Person {
			at, found = append(at, i), append(found, e)
			w.people[i] = newCalled(w.s[e.Start:e.End])
		}
	}
	labels, err := w.mentions.Names(w.s, found)
	if err != nil { // nobody is anybody else
		labels = nil
	}
	whole := map[int][]string{}
	label := func(k int) int {
		if labels == nil {
			return k
		}
		return labels[k]
	}
	for k, i := range at {
		if words := w.people[i].words; fuller(words, whole[label(k)]) {
			whole[label(k)] = words
		}
	}
	for k, i := range at {
		c := w.people[i]
		c.whole = whole[label(k)]
		w.people[i] = c
	}
	return w.people
}

// fuller reports whether a name says more than another: it has more words, or as many of
// which fewer are initials.
func fuller(a, b []string) bool {
	if len(a) != len(b) {
		return len(a) > len(b)
	}
	count := func(words []string) (n int) {
		for _, w := range words {
			if initial(w) {
				n++
			}
		}
		return n
	}
	return count(a) < count(b)
}

// person returns the pseudonym of a person: the whole of it, or the part that is
// used of the person's own name.
func (w *writer) person(i int) string {
	m := w.persons()[i]
	name := m.whole
	at := mention.Within(m.words, name)
	if at == nil { // called otherwise: the whole pseudonym will do
		at = mention.Within(name, name)
		m.words = name
	}
	as := w.name(language.Person, strings.Join(name, " "), func(d *draw) string { return d.of(first) + " " + d.surname() })
	given, family, _ := strings.Cut(as, " ")
	var parts []string
	for k, place := range at {
		var part string
		switch {
		case place == len(name)-1 && len(name) > 1:
			part = family
		case place == 0:
			part = given
		default:
			continue // a second first name
		}
		if initial(m.words[k]) {
			part = part[:1] + "."
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		parts = []string{given}
	}
	e := w.found[i]
	return m.title + like(w.s[e.Start+len(m.title):e.End], strings.Join(parts, " ")) + m.tail
}
