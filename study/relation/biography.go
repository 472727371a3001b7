package relation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/data/dataset"
	"sotto/study/language"
	"sotto/study/relation/rule"
)

// third are the words for whom a biography is about.
var third = []string{"he", "she", "him", "his", "her", "himself", "herself"}

// addBiography adds the pairs of whom a text is about and each linked entity of the same
// sentence.
func (s *Set) addBiography(x dataset.Related, d *language.Document, like Instance) {
	known := map[int]string{} // by entity
	for _, q := range x.Relations {
		known[q.Object] = named(q)
	}
	for first := 0; first < len(d.Tokens); {
		_, end := d.Sentence(first)
		one := Cut(d, first, end)
		base := d.Tokens[first].Start
		first = end
		mentions := mentions(one, x.Group)
		var marks []language.Entity
		for _, m := range mentions {
			marks = append(marks, language.Entity{Type: language.Person, Start: one.Tokens[m.First].Start, End: one.Tokens[m.End-1].End, Confidence: 1})
		}
		var links []int
		some := false
		for k, e := range x.Entities {
			if e.Start >= base && e.End <= base+len(one.Text) {
				links = append(links, k)
				some = some || known[k] != ""
			}
		}
		// A link goes before a mention that it overlaps, and both before what was found.
		var given []language.Entity
		for _, e := range one.Entities {
			if slices.ContainsFunc(links, func(k int) bool { return x.Entities[k].Start == base+e.Start && x.Entities[k].End == base+e.End }) {
				given = append(given, e)
			}
		}
		one.Entities = merge(merge(given, marks), one.Entities)
		like.Doc = one
		for _, k := range links {
			object := Tokens(one, x.Entities[k].Start-base, x.Entities[k].End-base)
			like.Extra = !some
			if !s.put(like, nearest(one, mentions, object), object, known[k]) && known[k] != "" {
				s.Apart[like.Part]++
			}
		}
	}
}

// Cut returns a sentence of a document as a document of its own, from its token first up
// to, but without, end. Its text begins at the first token.
func Cut(d *language.Document, first, end int) *language.Document {
	base, stop := d.Tokens[first].Start, d.Tokens[end-1].End
	one := &language.Document{Text: d.Text[base:stop], Tokens: slices.Clone(d.Tokens[first:end])}
	for k := range one.Tokens {
		t := &one.Tokens[k]
		t.Start, t.End, t.Sentence = t.Start-base, t.End-base, 0
		if t.Head >= 0 {
			t.Head -= first
		}
	}
	for _, e := range d.Entities {
		if e.Start >= base && e.End <= stop {
			e.Start, e.End = e.Start-base, e.End-base
			one.Entities = append(one.Entities, e)
		}
	}
	return one
}

// mentions returns where a sentence names someone: words of the name side by side, or he
// or she.
func mentions(d *language.Document, name string) []rule.Span {
	words := map[string]bool{}
	for _, w := range strings.Fields(name) {
		if r, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(r) && len(w) > 1 {
			words[strings.Trim(w, ",.()\"")] = true
		}
	}
	var all []rule.Span
	for k := 0; k < len(d.Tokens); k++ {
		switch {
		case words[d.Tokens[k].Text]:
			end := k + 1
			for end < len(d.Tokens) && words[d.Tokens[end].Text] {
				end++
			}
			all = append(all, rule.Span{First: k, End: end})
			k = end - 1
		case slices.Contains(third, strings.ToLower(d.Tokens[k].Text)):
			all = append(all, rule.Span{First: k, End: k + 1})
		}
	}
	return all
}

// nearest returns the span with the shortest way through the tree to an object, and of
// equal ones the nearest in the text; −1 and −1 where there is none.
func nearest(d *language.Document, spans []rule.Span, object rule.Span) rule.Span {
	best, least := rule.Span{First: -1, End: -1}, [2]int{}
	for _, s := range spans {
		if s.First < object.End && object.First < s.End {
			continue
		}
		path, _ := Path(d, Head(d, s), Head(d, object))
		way := [2]int{len(path), max(object.First-s.End, s.First-object.End)}
		if path == nil {
			way[0] = len(d.Tokens)
		}
		if best.First < 0 || slices.Compare(way[:], least[:]) < 0 {
			best, least = s, way
		}
	}
	return best
}
