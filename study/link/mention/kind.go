package mention

import (
	"errors"
	"fmt"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
)

// JudgedFormat is that of a stored [Result].
const JudgedFormat = "sotto-mentions-judged-1"

// JudgedKind is what "sotto link mentions --evaluate" stores, for reports and gates.
var JudgedKind = evidence.Kind[Judged]{
	Format: JudgedFormat, Name: "mentions", List: "mentions",
	Check:    (*Judged).check,
	Section:  evidence.Each("Who is the same in texts", (*Judged).sections),
	Summary:  evidence.Said((*Judged).sentence, nil),
	Subjects: (*Judged).subjects,
}

func (r *Judged) check() error {
	if len(r.Chains) == 0 && len(r.Pronouns) == 0 {
		return errors.New("judge: the result has neither chains nor pronouns, must have some")
	}
	return nil
}

// subjects are the methods, each with its mean F1, or with its F1 by gender.
func (r *Judged) subjects() []evidence.Subject {
	var out []evidence.Subject
	for _, c := range r.Chains {
		out = append(out, evidence.Subject{
			Name:  fmt.Sprintf("%s of %s by %s, %s mentions", c.Scope, page.FileName(r.Corpus), c.Method, c.Mentions),
			Match: evidence.Match{Data: r.Corpus, Method: c.Method, Test: c.Mentions + " " + c.Scope},
			Numbers: map[string]measure.Estimate{
				"muc": evidence.Exactly(measure.Number(c.MUC.F1)), "b_cubed": evidence.Exactly(measure.Number(c.BCubed.F1)),
				"ceaf_e": evidence.Exactly(measure.Number(c.CEAFE.F1)), "lea": evidence.Exactly(measure.Number(c.LEA.F1)), "conll": evidence.Exactly(measure.Number(c.CoNLL)),
			},
		})
	}
	for _, p := range r.Pronouns {
		out = append(out, evidence.Subject{
			Name:  fmt.Sprintf("pronouns of %s by %s, knowing %s", page.FileName(r.Corpus), p.Method, p.Knows),
			Match: evidence.Match{Data: r.Corpus, Method: p.Method, Test: p.Knows},
			Numbers: map[string]measure.Estimate{
				"f1": evidence.Exactly(measure.Number(p.Overall.F1)), "f1_masculine": evidence.Exactly(measure.Number(p.Masculine.F1)),
				"f1_feminine": evidence.Exactly(measure.Number(p.Feminine.F1)), "feminine_to_masculine": evidence.Exactly(measure.Number(p.Ratio)),
			},
		})
	}
	return out
}

func (r *Judged) sentence() string {
	if len(r.Chains) > 0 {
		c := r.Chains[0]
		return fmt.Sprintf("Mentions of %s are put into chains with a mean F1 of %s %% where the mentions are given.", page.FileName(r.Corpus), page.Decimal(measure.Number(100*c.CoNLL), 1))
	}
	p := r.Pronouns[0]
	return fmt.Sprintf("Pronouns of %s are resolved with an F1 of %s %%; feminine ones have %s of the F1 of masculine ones.",
		page.FileName(r.Corpus), page.Decimal(measure.Number(100*p.Overall.F1), 1), page.Decimal(measure.Number(p.Ratio), 2))
}

func (r *Judged) sections() []page.Section {
	percent := func(v float64) string { return page.Decimal(measure.Number(100*v), 1) }
	var t *page.Table
	if len(r.Chains) > 0 {
		t = &page.Table{Caption: "F1 of chains of mentions, in percent", Head: page.Heads("method", "mentions", "scope", "#MUC", "#B³", "#CEAF-m", "#CEAF-e", "#LEA", "#mean")}
		for _, c := range r.Chains {
			t.Add(c.Method, c.Mentions, c.Scope, percent(c.MUC.F1), percent(c.BCubed.F1), percent(c.CEAFM.F1), percent(c.CEAFE.F1), percent(c.LEA.F1), percent(c.CoNLL))
		}
	} else {
		t = &page.Table{Caption: "F1 of pronouns, in percent", Head: page.Heads("method", "knows", "#masculine", "#feminine", "#ratio", "#overall")}
		for _, p := range r.Pronouns {
			t.Add(p.Method, p.Knows, percent(p.Masculine.F1), percent(p.Feminine.F1), page.Decimal(measure.Number(p.Ratio), 2), percent(p.Overall.F1))
		}
	}
	return []page.Section{{
		Title:   page.FileName(r.Corpus),
		Meaning: "How well mentions of one person or thing are told from those of others. The mean is that of the F1 of MUC, B³ and CEAF-e.",
		Source:  fmt.Sprintf("sotto link mentions --evaluate %s: its %s part; the model was trained on %d documents of others", page.FileName(r.Corpus), r.Part, r.Trained),
		Blocks:  t.Blocks(),
	}}
}
