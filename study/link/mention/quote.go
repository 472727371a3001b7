package mention

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"sotto/study/language"
)

// longestQuote is how many tokens a quotation may have: a mark that is never closed
// must not turn a whole text into speech.
const longestQuote = 400

// quotations returns the number of the quotation that each token stands in, -1 outside.
// Marks that do not tell whether they open or close take turns; single ones count where
// a text has no double ones.
func quotations(d *language.Document) []int {
	single := true
	for _, t := range d.Tokens {
		switch t.Text {
		case `"`, "“", "”", "``", "''":
			single = false
		}
	}
	out := make([]int, len(d.Tokens))
	open, closed, n := -1, -1, -1
	for i, t := range d.Tokens {
		opens, closes := false, false
		switch t.Text {
		case `"`:
			opens, closes = open < 0, open >= 0
		case "“", "``":
			opens = true
		case "”", "''":
			closes = true
		case "‘":
			opens = single
		case "’":
			closes = single
		case "'", "`":
			opens, closes = single && open < 0 && behindMark(d, i), single && open >= 0
		}
		broken := i > 0 && strings.Contains(d.Text[d.Tokens[i-1].End:max(d.Tokens[i-1].End, t.Start)], "\n\n")
		if open >= 0 && (i-open > longestQuote || broken) {
			open = -1
			if broken && t.Text == `"` { // a paragraph of speech
				opens, closes = true, false
			}
		}
		switch {
		case opens:
			if !continues(d, closed, i) {
				n++
			}
			open = i
		case closes:
			open, closed = -1, i
		}
		if out[i] = -1; open >= 0 {
			out[i] = n
		}
	}
	return out
}

// behindMark reports whether a token stands behind a mark or at the beginning, so that an
// apostrophe there may open a quotation: in the boys' room it does not.
func behindMark(d *language.Document, i int) bool {
	if i == 0 || d.Tokens[i-1].Sentence != d.Tokens[i].Sentence {
		return true
	}
	r, _ := utf8.DecodeRuneInString(d.Tokens[i-1].Text)
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// continues reports whether a quotation that opens at a token goes on with what closed
// before: "I know," said he, "but not how."
func continues(d *language.Document, closed, open int) bool {
	if closed < 0 || open-closed > farSpeaker || open+1 >= len(d.Tokens) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(d.Tokens[open+1].Text)
	return unicode.IsLower(r) || d.Tokens[closed].Sentence == d.Tokens[open].Sentence
}

// farSpeaker is how many tokens from a quotation the verb of speech may stand.
const farSpeaker = 8

// speakers returns, for each quotation, the place among the mentions of who says it; -1
// if nothing tells.
func speakers(d *language.Document, quotes []int, mentions []Mention) []int {
	n := 0
	for _, q := range quotes {
		n = max(n, q+1)
	}
	out := make([]int, n)
	for q := range out {
		out[q] = -1
	}
	byHead := make(map[int]int, len(mentions)) // the longest mention of each head
	for k, m := range mentions {
		if at, ok := byHead[m.head]; !ok || mentions[at].end-mentions[at].first < m.end-m.first {
			byHead[m.head] = k
		}
	}
	subject := make(map[int]int) // of each verb
	for i, t := range d.Tokens {
		if k, ok := byHead[i]; ok && strings.HasPrefix(t.DepRel, "nsubj") && t.Head >= 0 {
			subject[t.Head] = k
		}
	}
	for i := 0; i < len(quotes); {
		q := quotes[i]
		end := i
		for end < len(quotes) && quotes[end] == q {
			end++
		}
		if q >= 0 && out[q] < 0 {
			out[q] = said(d, quotes, subject, byHead, i, end)
		}
		i = end
	}
	return out
}

// said looks for a verb of speech behind a quotation, then before it.
func said(d *language.Document, quotes []int, subject, byHead map[int]int, first, end int) int {
	try := func(i int) int {
		t := d.Tokens[i]
		if quotes[i] >= 0 || !speech[strings.ToLower(t.Lemma)] {
			return -1
		}
		if k, ok := subject[i]; ok {
			return k
		}
		// The tree may be wrong: said John.
		for _, j := range []int{i + 1, i - 1, i + 2, i + 3} {
			if j >= 0 && j < len(quotes) && quotes[j] < 0 {
				if k, ok := byHead[j]; ok {
					return k
				}
			}
		}
		return -1
	}
	for i := end; i < min(len(quotes), end+farSpeaker); i++ {
		if k := try(i); k >= 0 {
			return k
		}
		if i > end && quotes[i] >= 0 {
			break
		}
	}
	for i := first - 1; i >= max(0, first-farSpeaker); i-- {
		if quotes[i] >= 0 {
			break
		}
		if k := try(i); k >= 0 {
			return k
		}
	}
	return -1
}
