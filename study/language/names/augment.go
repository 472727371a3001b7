package names

import (
	weakrand "math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/study/language"
)

// harmonise marks words for nationalities, which Wikigold marks and the corpora
// of short messages do not, so that corpora do not contradict one another.
func harmonise(sentences []Sentence, lists *lookup) []Sentence {
	out := make([]Sentence, 0, len(sentences))
	for _, s := range sentences {
		taken := make([]bool, len(s.Words))
		for _, sp := range s.Spans {
			for k := sp.Start; k < sp.End; k++ {
				taken[k] = true
			}
		}
		t := Sentence{Words: s.Words, Breaks: s.Breaks}
		next := 0
		for i, w := range s.Words {
			for next < len(s.Spans) && s.Spans[next].Start == i {
				t.Spans = append(t.Spans, s.Spans[next])
				next++
			}
			if r, _ := utf8.DecodeRuneInString(w); !taken[i] && unicode.IsUpper(r) && lists.find(hashed(w))&nationality != 0 {
				t.Spans = append(t.Spans, Span{Type: language.Miscellaneous, Start: i, End: i + 1})
			}
		}
		out = append(out, t)
	}
	return out
}

// people draws names of people.
type people struct {
	first, last []string
}

// newPeople takes names from the persons of sentences.
func newPeople(sentences []Sentence, first []string) *people {
	p := &people{first: first}
	for _, s := range sentences {
		for _, sp := range s.Spans {
			if sp.Type == language.Person && sp.End-sp.Start > 1 {
				p.last = append(p.last, s.Words[sp.End-1])
			}
		}
	}
	return p
}

// rename returns the sentences that name people, with other people. Whoever is
// named in a sentence then tells less than how people are named.
func (p *people) rename(sentences []Sentence, random *weakrand.Rand) []Sentence {
	var out []Sentence
	for _, s := range sentences {
		t, changed := p.renamed(s, random)
		if !changed {
			continue
		}
		if random.IntN(6) == 0 {
			for i, w := range t.Words {
				t.Words[i] = strings.ToLower(w)
			}
		}
		out = append(out, t)
	}
	return out
}

// renamed replaces the people of one sentence.
func (p *people) renamed(s Sentence, random *weakrand.Rand) (t Sentence, changed bool) {
	at := 0
	for _, sp := range s.Spans {
		for ; at < sp.Start; at++ {
			t.add(s, at)
		}
		from := len(t.Words)
		if sp.Type != language.Person || strings.HasPrefix(s.Words[sp.Start], "@") || len(p.last) == 0 {
			for ; at < sp.End; at++ {
				t.add(s, at)
			}
		} else {
			changed = true
			switch kind := random.IntN(5); {
			case kind < 2:
				t.push(p.first[random.IntN(len(p.first))])
			case kind == 2:
				t.push(p.last[random.IntN(len(p.last))])
			default:
				t.push(p.first[random.IntN(len(p.first))])
				if kind == 4 && random.IntN(3) == 0 {
					t.push(string(rune('A' + random.IntN(26))))
				}
				t.push(p.last[random.IntN(len(p.last))])
			}
			if s.Breaks != nil {
				t.Breaks[from] = s.Breaks[sp.Start]
			}
			at = sp.End
		}
		t.Spans = append(t.Spans, Span{Type: sp.Type, Start: from, End: len(t.Words)})
	}
	for ; at < len(s.Words); at++ {
		t.add(s, at)
	}
	return t, changed
}

// add appends word i of another sentence.
func (s *Sentence) add(from Sentence, i int) {
	s.push(from.Words[i])
	if from.Breaks != nil {
		s.Breaks[len(s.Breaks)-1] = from.Breaks[i]
	}
}

// push appends a word.
func (s *Sentence) push(word string) {
	s.Words = append(s.Words, word)
	s.Breaks = append(s.Breaks, false)
}
