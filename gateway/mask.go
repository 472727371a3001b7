package gateway

import "sotto/text"

// masked returns texts without the words that the masker takes out. What a
// release is called and what it costs follow from what is left, so that two
// texts which differ in masked words alone are one release.
func (g *Gateway) masked(texts []string) []string {
	if g.Masker == nil {
		return texts
	}
	left := make([]string, len(texts))
	for i, t := range texts {
		left[i] = text.Apply(t, g.Masker.Mask(t), " ")
	}
	return left
}

// piece is a part of a text as the page shows it.
type piece struct {
	Text   string      `json:"text"`
	Reason text.Reason `json:"reason,omitempty"` // why it is masked; empty if it is not
}

// pieces takes a text apart at its masked words. Without a masker it says what
// a masker of names would find, and applied is false.
func (g *Gateway) pieces(s string) (parts []piece, applied bool) {
	masker := g.Masker
	if masker == nil {
		masker = &text.Masker{Names: &text.NameList{}}
	}
	k, from := masker.Mask(s), 0
	for i, span := range k.Spans {
		if !k.Masked[i] {
			continue
		}
		if span.Start > from {
			parts = append(parts, piece{Text: s[from:span.Start]})
		}
		parts = append(parts, piece{s[span.Start:span.End], k.Reason[i]})
		from = span.End
	}
	if from < len(s) {
		parts = append(parts, piece{Text: s[from:]})
	}
	return parts, g.Masker != nil
}
