package text

import (
	"cmp"
	"slices"
	"strings"
)

// Type says what a masked part of a text is, and so why it is masked.
type Type string

// The types of what this package masks. Other maskers have others, such as
// person or email.
const (
	Dropout Type = "dropout" // a word drawn at random
	Listed  Type = "listed"  // a word of the user's list
	Pattern Type = "pattern" // a word of which a pattern of the list matches a part
	Name    Type = "name"    // a word taken for a name
)

// Found is a part of a text that is to be masked.
type Found struct {
	Span
	Type Type
	As   string // what stands there instead; "" for nothing
}

// Masker finds what to mask in a text, such as [MaskList] and [NameList]. It
// does not change and may be used by several goroutines.
//
// No guarantee rests on it: it hides what a user knows to be telling, amplifies
// nothing, and what it misses is as exposed as it was.
type Masker interface {
	// Find returns the parts of s to mask, in order and without overlap. They
	// follow from s alone.
	Find(s string) []Found

	// Rule says what the masker goes by: two with one rule find the same. It
	// tells no word of a list.
	Rule() string
}

// Masking says what of a text is masked, and why. It tells what the masks hide,
// so it is for the user's eyes and must never be sent with the text.
type Masking struct {
	Words int     // that the text has, masked or not
	Parts []Found // that are masked, in order and without overlap
}

// dropMark stands for a dropped word where others look for what to mask. It is
// the object replacement character, which no text should contain.
const dropMark = "\ufffc"

// Mask decides what of s is masked: first the words that drop sets, and then
// what the maskers find, the first of them where several find the same. What is
// between words is seldom masked, and the number of words is not hidden.
//
// Drop is dropout, nil for none. It sets each element with the rate, as
// mech.DrawMasks does, and is called once with as many elements as there are
// words, all false. Only dropout counts for a guarantee: it masks a word with a
// probability that does not depend on the text, so that a release of what is
// left says less of any one word.
//
// The maskers see a text from which the dropped words are gone, because a mask
// that depended on a dropped word would give it away: if a pattern for titles
// masked whatever follows "Dr", a mask behind a dropped word would say what was
// dropped. The price is that a pattern of several words misses those places
// where dropout has hit one of them.
func Mask(s string, drop func(masked []bool), maskers ...Masker) Masking {
	words := Spans(s)
	k := Masking{Words: len(words)}
	if drop != nil {
		masked := make([]bool, len(words))
		drop(masked)
		for i, word := range words {
			if masked[i] {
				k.Parts = append(k.Parts, Found{Span: word, Type: Dropout})
			}
		}
	}
	seen, dropped := Apply(s, k, dropMark), k.Parts
	for _, m := range maskers {
		k.add(restore(m.Find(seen), dropped))
	}
	return k
}

// restore moves what was found in a text with marks for dropped words to where
// it stands in the text itself.
func restore(found, dropped []Found) []Found {
	moved := slices.Clone(found)
	longer, mark := 0, 0 // by how much the text is longer up to here, and the mark that follows
	place := func(at int) int {
		for mark < len(dropped) && at+longer > dropped[mark].Start {
			longer += dropped[mark].End - dropped[mark].Start - len(dropMark)
			mark++
		}
		return at + longer
	}
	for i, f := range found {
		moved[i].Start = place(f.Start)
		moved[i].End = place(f.End)
	}
	return moved
}

// add masks more parts. What is masked already stays as it is; of a part that
// overlaps it, the rest is masked, and what stands there instead does so once.
func (k *Masking) add(found []Found) {
	var all []Found
	end, old := 0, k.Parts
	keep := func(f Found) bool {
		f.Start = max(f.Start, end)
		kept := f.Start < f.End
		if kept {
			all, end = append(all, f), f.End
		}
		return kept
	}
	for _, f := range found {
		for len(old) > 0 && old[0].Start < f.End {
			before := f
			if before.End = min(f.End, old[0].Start); keep(before) {
				f.As = ""
			}
			keep(old[0])
			old = old[1:]
		}
		keep(f)
	}
	k.Parts = append(all, old...)
}

// Spans returns where the masked parts are, as [WordPiece.EncodeMasked] takes
// them.
func (k Masking) Spans() []Span {
	spans := make([]Span, len(k.Parts))
	for i, f := range k.Parts {
		spans[i] = f.Span
	}
	return spans
}

// Apply returns s, the text of a masking, with what stands in place of masked
// parts, and the placeholder where nothing does. It panics if the masking is not
// of s.
func Apply(s string, k Masking, placeholder string) string {
	if len(k.Parts) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, f := range k.Parts {
		b.WriteString(s[at:f.Start] + cmp.Or(f.As, placeholder))
		at = f.End
	}
	b.WriteString(s[at:])
	return b.String()
}

// Replace returns s, the text of a masking, with what stands in place of masked
// parts, and where in it the parts are for which nothing does: they are as they
// were, and hidden by whoever takes the text. It panics if the masking is not of s.
func (k Masking) Replace(s string) (string, []Span) {
	var hidden []Span
	if !slices.ContainsFunc(k.Parts, func(f Found) bool { return f.As != "" }) {
		return s, k.Spans()
	}
	var b strings.Builder
	at := 0
	for _, f := range k.Parts {
		b.WriteString(s[at:f.Start])
		if f.As == "" {
			hidden = append(hidden, Span{b.Len(), b.Len() + f.End - f.Start})
			f.As = s[f.Start:f.End]
		}
		b.WriteString(f.As)
		at = f.End
	}
	b.WriteString(s[at:])
	return b.String(), hidden
}
