package mention

import (
	"context"
	"encoding/json"
	"errors"

	"sotto/study/language/english"
	"sotto/study/link"
)

// item is a pronoun of GAP and two names before or behind it.
type item struct {
	id, part, text string
	female         bool
	pronoun, a, b  Span
	aIsOne, bIsOne bool
}

func readGAP(folder string) ([]item, error) {
	var out []item
	err := lines(folder, "gap.jsonl.gz", func(line []byte) error {
		var r struct {
			ID      string `json:"id"`
			Split   string `json:"split"`
			Text    string `json:"text"`
			Gender  string `json:"gender"`
			Pronoun [2]int `json:"pronoun"`
			A       [2]int `json:"a"`
			B       [2]int `json:"b"`
			ACoref  bool   `json:"a_coref"`
			BCoref  bool   `json:"b_coref"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return err
		}
		for _, s := range [][2]int{r.Pronoun, r.A, r.B} {
			if s[0] < 0 || s[1] <= s[0] || s[1] > len(r.Text) {
				return errors.New("a place must be within the text")
			}
		}
		if r.Gender != "F" && r.Gender != "M" {
			return errors.New("gender must be F or M")
		}
		out = append(out, item{
			id: r.ID, part: r.Split, text: r.Text, female: r.Gender == "F",
			pronoun: Span{Start: r.Pronoun[0], End: r.Pronoun[1]}, a: Span{Start: r.A[0], End: r.A[1]}, b: Span{Start: r.B[0], End: r.B[1]},
			aIsOne: r.ACoref, bIsOne: r.BCoref,
		})
		return nil
	})
	return out, err
}

// counts are decisions about a name: is the pronoun it?
type counts struct{ right, wrong, missed int }

func (c *counts) add(want, got bool) {
	switch {
	case want && got:
		c.right++
	case got:
		c.wrong++
	case want:
		c.missed++
	}
}

func (c counts) ratio() link.Ratio {
	part := func(of int) float64 {
		if of == 0 {
			return 0
		}
		return float64(c.right) / float64(of)
	}
	r := link.Ratio{Precision: part(c.right + c.wrong), Recall: part(c.right + c.missed)}
	if r.Precision+r.Recall > 0 {
		r.F1 = 2 * r.Precision * r.Recall / (r.Precision + r.Recall)
	}
	return r
}

// Pronouns is how well the pronouns of GAP are resolved.
type Pronouns struct {
	Method    string     `json:"method"`
	Knows     string     `json:"knows"` // "the two names", or "the text" alone
	Texts     int        `json:"texts"`
	Masculine link.Ratio `json:"masculine"`
	Feminine  link.Ratio `json:"feminine"`
	Overall   link.Ratio `json:"overall"`
	Ratio     float64    `json:"feminine_to_masculine"` // of F1: 1 means that both fare alike
}

// tally is what a method said.
type tally struct {
	method, knows string
	by            [2]counts // masculine, feminine
	texts         int
}

func (t *tally) add(it item, a, b bool) {
	k := 0
	if it.female {
		k = 1
	}
	t.texts++
	t.by[k].add(it.aIsOne, a)
	t.by[k].add(it.bIsOne, b)
}

func (t *tally) result() Pronouns {
	m, f := t.by[0], t.by[1]
	all := counts{m.right + f.right, m.wrong + f.wrong, m.missed + f.missed}
	p := Pronouns{Method: t.method, Knows: t.knows, Texts: t.texts, Masculine: m.ratio(), Feminine: f.ratio(), Overall: all.ratio()}
	if p.Masculine.F1 > 0 {
		p.Ratio = p.Feminine.F1 / p.Masculine.F1
	}
	return p
}

// gapLessons returns the development part of GAP as lessons: of each text a pronoun and
// two names are known, and whether it is one of them.
func gapLessons(ctx context.Context, folder string) ([]Lesson, error) {
	items, err := readGAP(folder)
	if err != nil {
		return nil, err
	}
	p, err := english.Load()
	if err != nil {
		return nil, err
	}
	var out []Lesson
	for _, it := range items {
		if it.part != "development" {
			continue
		}
		d, err := p.Document(it.text)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return nil, err
		}
		l := Lesson{Document: d, Partial: true, Spans: []Span{it.a, it.b, it.pronoun}, Entity: []int{0, 1, 2}}
		switch {
		case it.aIsOne:
			l.Entity[2] = 0
		case it.bIsOne:
			l.Entity[2] = 1
		}
		out = append(out, l)
	}
	return out, nil
}
