package explain

import (
	"strings"
	"unicode"

	"sotto/text"
)

// Words returns where the words of a text are: runs of letters, digits and
// underscores, which is what splitting at the pattern \W+ leaves, as explainers of
// texts usually do. A mark that follows one of these, such as an accent or a joiner,
// belongs to the word.
func Words(s string) []text.Span {
	var words []text.Span
	from := -1
	for i, r := range s {
		in := r == '_' || unicode.IsLetter(r) || unicode.IsNumber(r) || from >= 0 && unicode.In(r, unicode.M, unicode.Cf)
		switch {
		case in && from < 0:
			from = i
		case !in && from >= 0:
			words = append(words, text.Span{Start: from, End: i})
			from = -1
		}
	}
	if from >= 0 {
		words = append(words, text.Span{Start: from, End: len(s)})
	}
	return words
}

// Without returns a text with those of its words that are kept, and all that lies
// between words. It panics if kept does not say so of each word.
func Without(s string, words []text.Span, kept []bool) string {
	if len(words) != len(kept) {
		panic("explain: Without of other words")
	}
	var b strings.Builder
	b.Grow(len(s))
	at := 0
	for i, w := range words {
		if !kept[i] {
			b.WriteString(s[at:w.Start])
			at = w.End
		}
	}
	b.WriteString(s[at:])
	return b.String()
}

// Replace returns a text with another word in place of one of its own.
func Replace(s string, word text.Span, by string) string { return s[:word.Start] + by + s[word.End:] }
