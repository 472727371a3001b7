package feature

import (
	"slices"
	"strings"
	"unicode"

	"sotto/study/errors"
)

// Segment is a part of a text with how much its features speak for an error.
type Segment struct {
	Text     string   `json:"text"`
	Weight   float64  `json:"weight,omitempty"`   // the sum of what its features add; 0 for nothing
	Features []string `json:"features,omitempty"` // that it is marked for
}

// Mark divides a text where its marks change: each place has the weight of those
// reasons for an error whose features stand there. What speaks against an error, and
// what a text has as a whole, marks nothing. The segments joined are the text.
func Mark(text string, found Text, reasons []errors.Reason) []Segment {
	type mark struct {
		Span
		name string
		adds float64
	}
	var marks []mark
	cuts := []int{0, len(text)}
	for _, r := range reasons {
		f := found.Find(r.Feature)
		if f == nil || !(r.Adds > 0) {
			continue
		}
		for _, s := range f.Spans {
			marks = append(marks, mark{s, r.Feature, r.Adds})
			cuts = append(cuts, s.Start, s.End)
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	var all []Segment
	for i := 1; i < len(cuts); i++ {
		s := Segment{Text: text[cuts[i-1]:cuts[i]]}
		for _, m := range marks {
			if m.Start <= cuts[i-1] && cuts[i] <= m.End && !slices.Contains(s.Features, m.name) {
				s.Weight += m.adds
				s.Features = append(s.Features, m.name)
			}
		}
		all = append(all, s)
	}
	return all
}

// Line joins segments to one line, without what would upset a terminal, and lets mark
// mark those with a weight; strength is their weight by that of the strongest.
func Line(segments []Segment, mark func(text string, strength float64) string) string {
	most := 0.0
	for _, s := range segments {
		most = max(most, s.Weight)
	}
	var b strings.Builder
	for _, s := range segments {
		text := strings.Map(func(r rune) rune {
			if !unicode.IsPrint(r) {
				return ' '
			}
			return r
		}, s.Text)
		if s.Weight > 0 {
			text = mark(text, s.Weight/most)
		}
		b.WriteString(text)
	}
	return b.String()
}
