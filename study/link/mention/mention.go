// Package mention finds who and what a document speaks of, by name, by a noun or by a
// pronoun, and which of these mentions are one and the same.
//
// Names and nouns are compared in pairs: by words, initials, nicknames, spelling, titles
// and distance. A logistic model makes a probability of each comparison, what contradicts
// itself is forbidden, and package link divides. A pronoun then joins the one before it
// that fits best, by gender, number, place in the sentence and distance, or nobody.
//
// What it finds is an estimate. It promises no privacy, and no name that it misses is
// any less exposed. The smallest use is
//
//	m, err := mention.Load()
//	…
//	r, err := m.Link(ctx, document, m.Find(document), mention.Options{})
//	for _, c := range r.Clusters() {
//		… // places in r.Mentions
//	}
//
// Tokens, tags, trees and entities of the document must be filled, as package english
// does; [Model.Names] needs entities alone.
package mention

import (
	"strings"

	"sotto/study/language"
)

// Kind is how something is spoken of.
type Kind string

// The kinds.
const (
	Named   Kind = "name"    // Ann Lee
	Nominal Kind = "nominal" // the old doctor
	Pronoun Kind = "pronoun" // she
)

// Gender is what a mention says of the gender of whom it speaks of; empty is unknown.
type Gender string

// The genders that English pronouns tell apart.
const (
	Female Gender = "female"
	Male   Gender = "male"
	Neuter Gender = "neuter"
)

// Number is whether a mention is of one or of several; empty is unknown.
type Number string

// The numbers.
const (
	Singular Number = "singular"
	Plural   Number = "plural"
)

// Span is a place of a text, from byte Start to End.
type Span struct{ Start, End int }

// Mention is a place of a document where somebody or something is spoken of.
type Mention struct {
	Span
	Kind   Kind
	Type   language.Type // person, organisation, place, miscellaneous; empty if it is not known
	Gender Gender
	Number Number

	first, end, head int      // tokens; head is the one that the others depend on
	sentence         int      // of the head
	quote            int      // number of the quotation it stands in, -1 outside
	name             Name     // if it is one
	lemma            string   // of the head, in lower case
	words            []string // in lower case
	pronoun          pronoun
}

// of makes a mention of the tokens from first up to end.
func (m *Model) of(d *language.Document, first, end int, quotes []int) Mention {
	out := Mention{first: first, end: end, head: headOf(d, first, end)}
	out.Start, out.End = d.Tokens[first].Start, d.Tokens[end-1].End
	head := d.Tokens[out.head]
	out.sentence, out.quote = head.Sentence, quotes[out.head]
	for _, t := range d.Tokens[first:end] {
		out.words = append(out.words, strings.ToLower(t.Text))
	}
	out.lemma = strings.ToLower(head.Lemma)
	if out.lemma == "" {
		out.lemma = strings.ToLower(head.Text)
	}
	if p, ok := pronouns[out.words[0]]; ok && end-first == 1 {
		out.Kind, out.pronoun, out.Gender, out.Number = Pronoun, p, p.gender, p.number
		if p.person < 3 || p.gender == Female || p.gender == Male {
			out.Type = language.Person
		}
		return out
	}
	if m.isName(d, out) {
		out.Kind, out.name = Named, ParseName(d.Text[out.Start:out.End])
		out.Type = typeOf(d, out)
		out.Gender = m.nameGender(out.name)
		if out.Gender != "" && out.Type == "" {
			out.Type = language.Person
		}
		out.Number = Singular
		return out
	}
	out.Kind = Nominal
	h := m.heads[out.lemma]
	out.Type, out.Gender = h.typ, h.gender
	switch head.XPOS {
	case "NNS", "NNPS":
		out.Number = Plural
	default:
		out.Number = Singular
	}
	for _, t := range d.Tokens[first:end] { // the king and queen
		if t.Head == out.head && strings.HasPrefix(t.DepRel, "conj") {
			out.Number = Plural
		}
	}
	return out
}

// headOf returns the token of a span that depends on something outside of it, the last
// one if there is no tree.
func headOf(d *language.Document, first, end int) int {
	for i := first; i < end; i++ {
		t := d.Tokens[i]
		if t.DepRel != "" && (t.Head < first || t.Head >= end) && t.DepRel != "punct" && t.DepRel != "case" && t.DepRel != "det" {
			return i
		}
	}
	return end - 1
}

// isName reports whether a mention is a name: its head is a proper noun, or it lies
// within an entity.
func (m *Model) isName(d *language.Document, x Mention) bool {
	head := d.Tokens[x.head]
	if head.UPOS == "PROPN" && startsCapital(head.Text) {
		return true
	}
	if e, ok := entityAt(d, head.Start); ok && named(e.Type) && startsCapital(head.Text) {
		return true
	}
	return false
}

// typeOf is the type of the entity that has the head of a name; a title makes a person.
func typeOf(d *language.Document, x Mention) language.Type {
	if len(x.name.Titles) > 0 {
		return language.Person
	}
	if e, ok := entityAt(d, d.Tokens[x.head].Start); ok && named(e.Type) {
		return e.Type
	}
	return ""
}

// entityAt returns the entity that has a byte.
func entityAt(d *language.Document, at int) (language.Entity, bool) {
	lo, hi := 0, len(d.Entities)
	for lo < hi {
		if mid := (lo + hi) / 2; d.Entities[mid].End <= at {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(d.Entities) && d.Entities[lo].Start <= at {
		return d.Entities[lo], true
	}
	return language.Entity{}, false
}

// named reports whether entities of a type are names.
func named(t language.Type) bool {
	return t == language.Person || t == language.Organisation || t == language.Place || t == language.Miscellaneous
}

// At makes mentions of given places of a document, such as those of a corpus. Places are
// widened to whole tokens; one without a token is left out.
func (m *Model) At(d *language.Document, spans []Span) []Mention {
	quotes := quotations(d)
	var out []Mention
	for _, s := range spans {
		first, end := tokensOf(d, s)
		if first < end {
			out = append(out, m.of(d, first, end, quotes))
		}
	}
	return out
}

// tokensOf returns the tokens that lie within a place, or touch it.
func tokensOf(d *language.Document, s Span) (first, end int) {
	lo, hi := 0, len(d.Tokens)
	for lo < hi {
		if mid := (lo + hi) / 2; d.Tokens[mid].End <= s.Start {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	end = lo
	for end < len(d.Tokens) && d.Tokens[end].Start < s.End {
		end++
	}
	return lo, end
}

// Head returns the word of a mention that the others depend on, in lower case: of a name
// its last word.
func (m Mention) Head() string {
	if m.Kind == Named {
		return m.name.Words[len(m.name.Words)-1]
	}
	return m.lemma
}
