package mask

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/language"
	"sotto/text"
)

// mention is how a person is called somewhere.
type mention struct {
	title string   // before the name, as it is written, with the space behind
	words []string // of the name, folded
	tail  string   // behind the name, such as 's
}

// titles may stand before a name and say of a person what is no name.
var titles = []string{
	"mr", "mrs", "ms", "miss", "mx", "dr", "prof", "professor", "sir", "dame", "lord", "lady", "rev", "capt", "captain", "col", "gen", "lt", "sgt",
	"herr", "frau", "monsieur", "madame", "mme", "señor", "señora", "president", "senator", "judge",
}

// newMention takes what stands for a person apart.
func newMention(surface string) mention {
	var m mention
	for _, end := range []string{"'s", "’s", "'S", "’S"} {
		if rest, ok := strings.CutSuffix(surface, end); ok && rest != "" {
			surface, m.tail = rest, end
			break
		}
	}
	for {
		word, rest, more := strings.Cut(surface, " ")
		if !more || strings.TrimSpace(rest) == "" || !slices.Contains(titles, strings.ToLower(strings.TrimRight(word, "."))) {
			break
		}
		m.title += word + " "
		surface = strings.TrimLeft(rest, " ")
	}
	for _, word := range strings.FieldsFunc(surface, func(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == '.' }) {
		m.words = append(m.words, text.Fold(word))
	}
	if len(m.words) == 0 {
		m.words = []string{text.Fold(surface)}
	}
	return m
}

// initial reports whether a word stands for those that begin with it.
func initial(word string) bool { return utf8.RuneCountInString(word) == 1 }

// stands reports whether a word of a name is another one, or its initial.
func stands(word, whole string) bool {
	return word == whole || initial(word) && strings.HasPrefix(whole, word)
}

// within returns where in a fuller name the words of another stand, in order; nil
// if they do not all.
func within(words, fuller []string) []int {
	var at []int
	i := 0
	for _, word := range words {
		for i < len(fuller) && !stands(word, fuller[i]) {
			i++
		}
		if i == len(fuller) {
			return nil
		}
		at = append(at, i)
		i++
	}
	return at
}

// people are the persons of a text.
type people struct {
	mentions map[int]mention       // by their place among what was found
	named    map[string][][]string // the different names that have a word
}

// maxNamed bounds how many names with a word are compared: where there are more,
// the word alone says nothing.
const maxNamed = 64

func (w *writer) persons() *people {
	if w.people != nil {
		return w.people
	}
	w.people = &people{mentions: map[int]mention{}, named: map[string][][]string{}}
	seen := map[string]bool{}
	for i, e := range w.found {
		if e.Type != language.Person {
			continue
		}
		m := newMention(w.s[e.Start:e.End])
		w.people.mentions[i] = m
		if name := strings.Join(m.words, " "); !seen[name] {
			seen[name] = true
			for _, word := range m.words {
				if have := w.people.named[word]; len(have) <= maxNamed {
					w.people.named[word] = append(have, m.words)
				}
			}
		}
	}
	return w.people
}

// whole returns the longest name of the person who is called by some words, and
// where in it the words stand. It is the words themselves unless they are a part of
// one name alone: the longer names that have them must be parts of each other.
func (p *people) whole(words []string) (name []string, at []int) {
	name = words
	for _, word := range words {
		if initial(word) {
			continue
		}
		if len(p.named[word]) > maxNamed {
			break
		}
		for _, other := range p.named[word] {
			switch {
			case slices.Equal(other, words) || within(words, other) == nil:
			case within(name, other) != nil:
				name = other
			case within(other, name) == nil: // two names, and nobody knows which
				return words, within(words, words)
			}
		}
		break
	}
	return name, within(words, name)
}

// person returns the pseudonym of a person: the whole of it, or the part that is
// used of the person's own name.
func (w *writer) person(i int) string {
	p := w.persons()
	m := p.mentions[i]
	name, at := p.whole(m.words)
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
