package names

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"sotto/study/language"
)

// Count is how often something was right, wrong and missed.
type Count struct {
	Right  int `json:"right"`
	Wrong  int `json:"wrong"`  // found and not there
	Missed int `json:"missed"` // there and not found
}

// Precision is the share of what was found that is right.
func (c Count) Precision() float64 { return share(c.Right, c.Wrong) }

// Recall is the share of what is there that was found.
func (c Count) Recall() float64 { return share(c.Right, c.Missed) }

// F returns the harmonic mean of precision and recall in which recall counts
// beta times as much.
func (c Count) F(beta float64) float64 {
	p, r := c.Precision(), c.Recall()
	if p+r == 0 {
		return 0
	}
	return (1 + float64(beta*beta)) * p * r / (float64(beta*beta*p) + r)
}

func share(right, other int) float64 {
	if right == 0 {
		return 0
	}
	return float64(right) / float64(right+other)
}

// add takes another count in.
func (c *Count) add(o Count) {
	c.Right += o.Right
	c.Wrong += o.Wrong
	c.Missed += o.Missed
}

// Row is a type with its counts.
type Row struct {
	Type   string `json:"type"`
	Tokens Count  `json:"tokens"` // words that hold a letter or a digit
	Spans  Count  `json:"spans"`  // with both ends right
}

// classes has, for each type of the synthetic texts and of ours, the one that
// both are counted as. Places and addresses are one, as they are to Presidio: its
// two sets draw the line between them differently.
var classes = map[string]string{
	"STREET_ADDRESS": "location", "ADDRESS": "location", "ZIP_CODE": "location", "GPE": "location", "LOCATION": "location",
	"place": "location", "address": "location", "postcode": "location",
	"PERSON": "person", "ORGANIZATION": "organisation", "NRP": "nationality", "miscellaneous": "nationality",
	"CREDIT_CARD": "card", "IBAN_CODE": "iban", "US_SSN": "ssn", "PHONE_NUMBER": "phone", "EMAIL_ADDRESS": "email",
	"IP_ADDRESS": "ip", "DOMAIN_NAME": "url", "DATE_TIME": "date", "AGE": "age", "US_DRIVER_LICENSE": "licence",
	"TITLE": "title", "PREFIX": "title",
}

func class(t string) string {
	if c, ok := classes[t]; ok {
		return c
	}
	return t
}

// Personal counts what find gets right of texts: by words, as Presidio's own
// evaluation does, and by whole spans. The last row is of all types together.
func Personal(texts []Text, find func(text string) ([]language.Entity, error)) ([]Row, error) {
	rows := map[string]*Row{}
	row := func(t string) *Row {
		if rows[t] == nil {
			rows[t] = &Row{Type: t}
		}
		return rows[t]
	}
	for _, t := range texts {
		found, err := find(t.Text)
		if err != nil {
			return nil, err
		}
		var got []Mark
		for _, e := range found {
			got = append(got, Mark{Type: class(string(e.Type)), Start: e.Start, End: e.End})
		}
		var want []Mark
		for _, m := range t.Marks {
			want = append(want, Mark{Type: class(m.Type), Start: m.Start, End: m.End})
		}
		want, got = joined(t.Text, want), joined(t.Text, got)
		for _, k := range language.Tokens(t.Text) {
			if !wordlike(t.Text[k.Start:k.End]) {
				continue
			}
			w, g := covering(want, k), covering(got, k)
			switch {
			case w == g && w != "":
				row(w).Tokens.Right++
			default:
				if w != "" {
					row(w).Tokens.Missed++
				}
				if g != "" {
					row(g).Tokens.Wrong++
				}
			}
		}
		for _, m := range got {
			if slices.Contains(want, m) {
				row(m.Type).Spans.Right++
			} else {
				row(m.Type).Spans.Wrong++
			}
		}
		for _, m := range want {
			if !slices.Contains(got, m) {
				row(m.Type).Spans.Missed++
			}
		}
	}
	return total(rows), nil
}

// total returns rows in order of how much there is of each type, and their sum.
func total(rows map[string]*Row) []Row {
	var out []Row
	all := Row{Type: "all"}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		r := rows[name]
		if r.Tokens.Right+r.Tokens.Missed+r.Spans.Right+r.Spans.Missed == 0 && r.Tokens.Wrong+r.Spans.Wrong == 0 {
			continue
		}
		out = append(out, *r)
		all.Tokens.add(r.Tokens)
		all.Spans.add(r.Spans)
	}
	slices.SortStableFunc(out, func(a, b Row) int {
		return cmp.Compare(b.Tokens.Right+b.Tokens.Missed, a.Tokens.Right+a.Tokens.Missed)
	})
	return append(out, all)
}

// joined makes one of parts of a location that only spaces and commas separate.
func joined(text string, marks []Mark) []Mark {
	var out []Mark
	for _, m := range marks {
		if n := len(out); n > 0 && m.Type == "location" && out[n-1].Type == m.Type && out[n-1].End <= m.Start && !wordlike(text[out[n-1].End:m.Start]) {
			out[n-1].End = m.End
			continue
		}
		out = append(out, m)
	}
	return out
}

// wordlike reports whether a text has a letter or a digit, or a part of one that
// is not ASCII.
func wordlike(s string) bool {
	for i := range len(s) {
		if b := s[i]; b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80 {
			return true
		}
	}
	return false
}

// covering returns the type of the mark that most of a token lies in, or "".
func covering(marks []Mark, k language.Token) string {
	for _, m := range marks {
		if min(m.End, k.End)-max(m.Start, k.Start) > (k.End-k.Start)/2 {
			return m.Type
		}
	}
	return ""
}

// Spans counts the names of sentences that find returns whole, by type and
// together. Types that the sentences never have are left out: a corpus without
// miscellaneous names does not say which there are.
func Spans(sentences []Sentence, find func(Sentence) []Span) []Row {
	marked := marks(sentences)
	rows := map[string]*Row{}
	for _, s := range sentences {
		got := slices.DeleteFunc(find(s), func(sp Span) bool { return !marked[sp.Type] })
		countSpans(rows, s.Spans, got)
	}
	return total(rows)
}

// marks returns the types of the names of sentences.
func marks(sentences []Sentence) map[language.Type]bool {
	m := map[language.Type]bool{}
	for _, s := range sentences {
		for _, sp := range s.Spans {
			m[sp.Type] = true
		}
	}
	return m
}

// countSpans takes the names of a sentence in that should be found and that are.
func countSpans(rows map[string]*Row, want, got []Span) {
	row := func(s Span) *Count {
		if rows[string(s.Type)] == nil {
			rows[string(s.Type)] = &Row{Type: string(s.Type)}
		}
		return &rows[string(s.Type)].Spans
	}
	for _, s := range got {
		if slices.ContainsFunc(want, s.same) {
			row(s).Right++
		} else {
			row(s).Wrong++
		}
	}
	for _, s := range want {
		if !slices.ContainsFunc(got, s.same) {
			row(s).Missed++
		}
	}
}

// Gap returns how far confidences are from how often names are right: the mean
// over all that find returns of the difference, by tenths of confidence. Types
// that the sentences never have are left out.
func Gap(sentences []Sentence, find func(Sentence) []Span) float64 {
	marked := marks(sentences)
	var difference [10]float64 // sum of confidences less names that are right
	found := 0
	for _, s := range sentences {
		for _, got := range find(s) {
			if !marked[got.Type] {
				continue
			}
			k := max(0, min(len(difference)-1, int(got.Confidence*float64(len(difference)))))
			difference[k] += got.Confidence
			found++
			if slices.ContainsFunc(s.Spans, got.same) {
				difference[k]--
			}
		}
	}
	gap := 0.0
	for _, d := range difference {
		gap += math.Abs(d)
	}
	return gap / float64(max(1, found))
}
