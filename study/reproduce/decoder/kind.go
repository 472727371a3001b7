package decoder

import (
	"errors"
	"fmt"
	"io"
	"math"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/internal/layout"
	"sotto/study/relation/joint"
)

// Kind is the tables as evidence.
var Kind = evidence.Kind[Result]{
	Format: Format, Name: "table", List: "rule_decoders",
	Check:    (*Result).check,
	Section:  evidence.Each("", (*Result).sections),
	Subjects: (*Result).subjects,
}

func (r *Result) check() error {
	if len(r.Sets) == 0 {
		return errors.New("decoder: there is no data set, must be at least one")
	}
	for _, s := range r.Sets {
		if len(s.Table) == 0 || len(s.Curve) == 0 {
			return fmt.Errorf("decoder: %.40q has no table or no curve, must have both", s.Data)
		}
	}
	return nil
}

// subjects lets gates limit what networks reach.
func (r *Result) subjects() []evidence.Subject {
	var all []evidence.Subject
	for _, s := range r.Sets {
		for _, l := range s.Table {
			all = append(all, evidence.Subject{
				Name: fmt.Sprintf("relations of %s, %s", page.FileName(s.Data), l.Name), Match: evidence.Match{Data: s.Data, Method: l.Name, Test: "test"},
				Numbers: map[string]measure.Estimate{"precision": exactly(l.Precision), "recall": exactly(l.Recall), "f1": exactly(l.F1), "macro_f1": exactly(l.MacroF1), "bleu": exactly(l.BLEU), "bleu_greedy": exactly(l.Greedy), "faithful": exactly(l.Faithful)},
			})
		}
	}
	return all
}

func exactly(s measure.Summary) measure.Estimate { return evidence.Exactly(s.Mean) }

// cells returns the cells of a line: ours and, behind it, the published ones.
func (l Line) cells() []string {
	p := Published{}
	if l.Published != nil {
		p = *l.Published
	}
	all, silent := []string{l.Name}, l.On == "" || l.Without == joint.Decoder
	for _, c := range []struct {
		ours   measure.Summary
		theirs float64
		none   bool
	}{{l.Precision, p.Precision, false}, {l.Recall, p.Recall, false}, {l.F1, p.F1, false}, {l.Greedy, p.BLEU, silent}} {
		ours, theirs := percent(c.ours), "–"
		if c.none {
			ours = "–"
		}
		if c.theirs > 0 {
			theirs = fmt.Sprintf("%.1f", c.theirs)
		}
		all = append(all, ours, theirs)
	}
	if silent || l.Without == joint.Classifier {
		return append(all, "–", "–")
	}
	return append(all, percent(l.BLEU), percent(l.Faithful))
}

// percent writes a mean in percent, with its deviation where there is one.
func percent(s measure.Summary) string {
	mean := page.Decimal(100*s.Mean, 1)
	if math.IsNaN(float64(s.Deviation)) {
		return mean
	}
	return mean + " ± " + page.Decimal(100*s.Deviation, 1)
}

// says writes a gain.
func (g Gain) says() string {
	d := g.Difference
	if math.IsNaN(float64(d.Low)) {
		return fmt.Sprintf("%s: %s points with one seed, which tells nothing", g.Name, signed(d.Mean))
	}
	return fmt.Sprintf("%s: %s points (%s to %s): %s", g.Name, signed(d.Mean), signed(d.Low), signed(d.High), g.Says)
}

// says writes what a set's table has besides its columns: the mean of F1 over relations, what
// holds on new sentences, and the gains.
func (s Set) says() []string {
	var all []string
	for _, l := range s.Table {
		if l.On == joint.RulesAndLabels && l.Without != joint.Classifier {
			words := fmt.Sprintf("%s: mean of F1 over relations %s", l.Name, percent(l.MacroF1))
			if l.New != nil {
				words += fmt.Sprintf("; on sentences that stand in no other part F1 %s, mean %s", percent(*l.New), percent(*l.NewMacro))
			}
			all = append(all, words)
		}
	}
	for _, g := range s.Together {
		all = append(all, g.says())
	}
	return all
}

func signed(v measure.Number) string {
	if v > 0 {
		return "+" + page.Decimal(100*v, 1)
	}
	return page.Decimal(100*v, 1)
}

// sections shows the tables on a page.
func (r *Result) sections() []page.Section {
	var all []page.Section
	for _, s := range r.Sets {
		n := s.Table[len(s.Table)-1].Seeds
		one := page.Section{
			ID: "rule-decoder-" + s.Data, Title: "Published table: relations and the rules that explain them, " + page.FileName(s.Data),
			Meaning: fmt.Sprintf("How well relations are told and rules written on the test part, by rules alone and by networks. %d rules were learnt from %d pairs; they match %s %% of the relations there. Published figures are of other data.", s.Rules, s.Train, page.Decimal(measure.Number(100*s.Matched), 1)),
			Source:  "sotto reproduce rule-decoder --data " + page.FileName(s.Data) + "; the published numbers are those of TACRED in " + r.Paper + ".",
		}
		for _, part := range []struct {
			caption string
			lines   []Line
		}{{"In percent, mean ± deviation over " + page.Plural(n, "seed", "seeds"), s.Table}, {"Trained on what a share of the rules matches", s.Curve}} {
			t := &page.Table{Caption: part.caption, Head: page.Heads("", "#precision", "#TACRED", "#recall", "#TACRED", "#F1", "#TACRED", "#BLEU", "#TACRED", "#BLEU of a beam", "#faithful")}
			for _, l := range part.lines {
				t.Add(l.cells()...)
			}
			one.Blocks = append(one.Blocks, t.Blocks()...)
		}
		for _, words := range s.says() {
			one.Blocks = append(one.Blocks, page.Block{Note: words + "."})
		}
		all = append(all, one)
	}
	for _, n := range r.Notes {
		all[len(all)-1].Blocks = append(all[len(all)-1].Blocks, page.Block{Note: n})
	}
	return all
}

// Print prints the tables, for a person.
func (r *Result) Print(to io.Writer) error {
	w := layout.NewBuffer(to)
	fmt.Fprintf(w, "%s\n", r.Paper)
	for _, s := range r.Sets {
		fmt.Fprintf(w, "\n%s: %d rules learnt from %d pairs match %.1f %% of their relations; %s; in percent\n\n", s.Data, s.Rules, s.Train, 100*s.Matched, page.Plural(s.Table[len(s.Table)-1].Seeds, "seed", "seeds"))
		for k, lines := range [][]Line{s.Table, s.Curve} {
			t := layout.NewTable(w, []any{[]string{"on the test part", "trained on what a share of rules matches"}[k], "precision", "TACRED", "recall", "TACRED", "F1", "TACRED", "BLEU", "TACRED", "beam", "faithful"}...).Headed()
			for _, l := range lines {
				var row []any
				for _, c := range l.cells() {
					row = append(row, c)
				}
				t.Row(row...)
			}
			t.Flush() //nolint:errcheck // it goes to memory
			fmt.Fprintln(w)
		}
		for _, words := range s.says() {
			fmt.Fprintln(w, words)
		}
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "\nnote: %s\n", n)
	}
	return w.Flush()
}
