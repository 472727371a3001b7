package influence

import (
	"sotto/text"
)

// TeacherPlace is a part of a text: a word or a phrase.
type TeacherPlace struct {
	Text string
	Span text.Span
}

// Part returns what stands there.
func (p TeacherPlace) Part() string { return p.Text[p.Span.Start:p.Span.End] }

// With returns the text with another part there.
func (p TeacherPlace) With(part string) string {
	return p.Text[:p.Span.Start] + part + p.Text[p.Span.End:]
}

// without returns a text without some of its parts, in order.
func without(s string, spans []text.Span) string {
	left, at := "", 0
	for _, span := range spans {
		left, at = left+s[at:span.Start], span.End
	}
	return left + s[at:]
}
