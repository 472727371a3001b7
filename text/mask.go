package text

import (
	"slices"
	"sort"
	"strings"
)

// Reason says why a word is masked; it is empty for a word that is not.
type Reason string

// The reasons to mask a word.
const (
	Dropout Reason = "dropout" // drawn at random
	Listed  Reason = "listed"  // a word of the user's list
	Pattern Reason = "pattern" // part of what a pattern of the list matches
	Name    Reason = "name"    // taken for a name
)

// Masker decides which words of a text are masked. The zero value masks none.
//
// Only dropout counts for a guarantee: it masks a word with a probability that
// does not depend on the text, so a release of what is left says less of any one
// word. The other masks hide what a user knows to be telling; they follow from
// the text, amplify nothing, and a word that they miss is as exposed as it was.
//
// Dropout goes first, over all words. The other masks then see a text from which
// the dropped words are gone, because a mask that depended on a dropped word
// would give it away: if a pattern for titles masked whatever follows "Dr", a
// mask behind a dropped word would say what was dropped. The price is that a
// pattern of several words misses those places where dropout has hit one of
// them.
type Masker struct {
	List  *MaskList // words and patterns to mask; nil for none
	Names *NameList // names to mask; nil if names are not looked for

	// Draw sets each element with the rate of dropout, as mech.DrawMasks does;
	// nil for no dropout. It is called once a text with as many elements as the
	// text has words, all false.
	Draw func(masked []bool)
}

// Masking says which words of a text are masked, and why. It tells what the
// masks hide, so it is for the user's eyes and must never be sent with the text.
type Masking struct {
	Spans  []Span   // all words, as [Spans] finds them
	Masked []bool   // for each word
	Reason []Reason // for each word, empty if it is not masked
}

// Mask decides on the words of s. What is between words is never masked, and
// neither is the number of words hidden.
func (m *Masker) Mask(s string) Masking {
	spans := Spans(s)
	k := Masking{Spans: spans, Masked: make([]bool, len(spans)), Reason: make([]Reason, len(spans))}
	if m.Draw != nil {
		m.Draw(k.Masked)
		for i, masked := range k.Masked {
			if masked {
				k.Reason[i] = Dropout
			}
		}
	}
	// The masks of one kind must not change what the next kind sees.
	dropped := slices.Clone(k.Masked)
	if m.List != nil {
		m.List.mark(&k, s, dropped)
	}
	if m.Names != nil {
		m.Names.mark(&k, s, dropped)
	}
	return k
}

// mask masks a word, unless it is masked already.
func (k *Masking) mask(word int, why Reason) {
	if !k.Masked[word] {
		k.Masked[word], k.Reason[word] = true, why
	}
}

// MaskedSpans returns where the masked words are, as [WordPiece.EncodeMasked]
// takes them.
func (k Masking) MaskedSpans() []Span {
	var spans []Span
	for i, span := range k.Spans {
		if k.Masked[i] {
			spans = append(spans, span)
		}
	}
	return spans
}

// Apply returns s, the text of a masking, with each masked word replaced by the
// placeholder. It panics if the masking is not of a text as long as s.
func Apply(s string, k Masking, placeholder string) string {
	replaced, _ := replace(s, k.Spans, k.Masked, placeholder)
	return replaced
}

// replace replaces the masked words and also returns where all words are then.
func replace(s string, spans []Span, masked []bool, placeholder string) (string, []Span) {
	if len(spans) != len(masked) {
		panic("text: masking has masks for more or fewer words than it has")
	}
	if !slices.Contains(masked, true) {
		return s, spans
	}
	var b strings.Builder
	moved := make([]Span, len(spans))
	at := 0
	for i, span := range spans {
		b.WriteString(s[at:span.Start])
		at = span.End
		moved[i].Start = b.Len()
		if masked[i] {
			b.WriteString(placeholder)
		} else {
			b.WriteString(s[span.Start:span.End])
		}
		moved[i].End = b.Len()
	}
	b.WriteString(s[at:])
	return b.String(), moved
}

// overlapping returns the first word that ends behind a byte; all words before
// it are clear of what begins there.
func overlapping(spans []Span, start int) int {
	return sort.Search(len(spans), func(i int) bool { return spans[i].End > start })
}
