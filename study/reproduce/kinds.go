package reproduce

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
)

// shown is a result that a terminal and a page can show, and a gate judge.
type shown interface {
	head() *Header
	show(*sheet)
	subjects() []evidence.Subject
}

// Kinds are the results of this package as evidence.
func Kinds() evidence.Kinds {
	privEmb := kindOf[PrivEmb]("privemb")
	privEmb.Check = (*PrivEmb).check
	return evidence.Kinds{kindOf[STSB]("stsb"), kindOf[SentEval]("senteval"), privEmb}
}

// formatOf is the format of the table of that name.
func formatOf(table string) string { return "sotto-" + table + "-1" }

func kindOf[T any, P interface {
	*T
	shown
}](table string) evidence.Kind[T] {
	return evidence.Kind[T]{
		Format: formatOf(table), Name: "table", List: table,
		Section:  evidence.Each("", func(v *T) []page.Section { return []page.Section{section(P(v))} }),
		Subjects: func(v *T) []evidence.Subject { return P(v).subjects() },
	}
}

// section shows what is printed: the first line is its meaning.
func section(r shown) page.Section {
	var all sheet
	r.show(&all)
	s := page.Section{ID: r.head().Table, Title: "Published table: " + r.head().Table, Source: "sotto reproduce; the published numbers are those of the papers."}
	for _, p := range all {
		switch text := strings.TrimSpace(p.line); {
		case p.rows != nil:
			t := &page.Table{Caption: s.Title}
			for _, name := range p.rows[0] {
				t.Head = append(t.Head, page.Column{Name: strings.ToLower(name)})
			}
			for _, row := range p.rows[1:] {
				t.Add(row...)
			}
			s.Blocks = append(s.Blocks, t.Blocks()...)
		case s.Meaning == "":
			s.Meaning = text + "."
		case text != "":
			s.Blocks = append(s.Blocks, page.Block{Note: text})
		}
	}
	for _, n := range r.head().Notes {
		s.Blocks = append(s.Blocks, page.Block{Note: n})
	}
	return s
}

// oneNumber is a subject with one number.
func oneNumber(name string, match evidence.Match, number string, value, low, high measure.Number) evidence.Subject {
	return evidence.Subject{Name: name, Match: match, Numbers: map[string]measure.Estimate{number: {Value: value, Low: low, High: high}}}
}

func (r *STSB) subjects() []evidence.Subject {
	return each(r.Encoders, func(e Similarity) evidence.Subject {
		return oneNumber("stsb "+e.Encoder, evidence.Match{Data: "stsb"}, "spearman", e.Test.Spearman, e.Test.Low, e.Test.High)
	})
}

func (r *SentEval) subjects() []evidence.Subject {
	return each(r.Rows, func(a Accuracy) evidence.Subject {
		return oneNumber("senteval "+a.Set+" "+a.Encoder, evidence.Match{Data: a.Set}, "accuracy", a.Accuracy, a.Low, a.High)
	})
}

func (r *PrivEmb) subjects() []evidence.Subject {
	var all []evidence.Subject
	add := func(s evidence.Subject, of Release) {
		s.Name = fmt.Sprintf("privemb %s, %s m=%d", s.Name, of.Variant, of.M)
		s.Match.Mechanism, s.Match.Variant = mechanism, of.Variant
		s.Promise = &evidence.Promise{Unit: of.Unit, Claimed: of.Claimed, Proved: of.True}
		all = append(all, s)
	}
	for _, o := range r.Opinion {
		add(oneNumber("opinion", evidence.Match{}, "accuracy", o.Accuracy, o.Low, o.High), o.Release)
	}
	for _, t := range r.Tasks {
		add(oneNumber(t.Set, evidence.Match{Data: t.Set}, "accuracy", t.Test, t.Low, t.High), t.Release)
	}
	return all
}

// check refuses a truth without the claim that it is held against.
func (r *PrivEmb) check() error {
	all := slices.Concat(each(r.Pairs, func(p Pair) Release { return p.Release }),
		each(r.Opinion, func(o Opinion) Release { return o.Release }), each(r.Tasks, func(t Task) Release { return t.Release }))
	if slices.ContainsFunc(all, func(of Release) bool { return of.True != nil && of.Claimed == nil }) {
		return errors.New("reproduce: a release has a true ε and none that is claimed, must have both or neither")
	}
	return nil
}
