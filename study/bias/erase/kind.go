package erase

import (
	"fmt"
	"math"
	"strings"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/promise/mech"
	"sotto/study/bias"
)

// Kind is what "sotto bias erase" stores, for reports and gates.
var Kind = evidence.Kind[Report]{
	Format: ReportFormat, Name: "erasure", List: "erasures",
	Check:    (*Report).check,
	Section:  evidence.Each("Erasure", (*Report).Sections),
	Summary:  evidence.Said((*Report).sentence, nil),
	Subjects: (*Report).subjects,
	Stated: func(r *Report) []*mech.Statement {
		if r.Private == nil {
			return nil
		}
		return []*mech.Statement{r.Private.Guarantee}
	},
}

// check refuses a report that lacks what pages rely on.
func (r *Report) check() error {
	if c := r.Concept; c != nil && len(c.Rows) != len(c.Classes) {
		return fmt.Errorf("erase: the concept has %d classes and rows of %d, must have as many", len(c.Classes), len(c.Rows))
	}
	if r.Private != nil && (r.Private.Guarantee == nil || r.Probes == nil) {
		return fmt.Errorf("erase: private vectors were read without a mechanism or raw ones, must have both")
	}
	return nil
}

// subjects is what the probes still read after erasure; nothing was measured of
// an eraser that was applied alone.
func (r *Report) subjects() []evidence.Subject {
	s := evidence.Subject{
		Name:    fmt.Sprintf("%s on %s", r.Method, page.FileName(r.Vectors)),
		Match:   evidence.Match{Data: page.FileName(r.Vectors), Method: string(r.Method)},
		Numbers: map[string]measure.Estimate{"linear_after": evidence.Unmeasured(), "mlp_after": evidence.Unmeasured()},
	}
	if p := r.Probes; p != nil {
		s.Numbers["linear_after"], s.Numbers["mlp_after"] = p.After.Linear.estimate(), p.After.MLP.estimate()
	}
	if p := r.Private; p != nil {
		s.Numbers["private_linear_after"], s.Numbers["private_mlp_after"] = p.Erased.Linear.Estimate(), p.Erased.MLP.Estimate()
	}
	return []evidence.Subject{s}
}

func (r Reading) estimate() measure.Estimate {
	value := measure.Number(r.Accuracy)
	low, high := measure.Holding(value, measure.Number(r.Low), measure.Number(r.High))
	return measure.Estimate{Value: value, Low: low, High: high}
}

func (r *Report) sentence() string {
	if r.Probes == nil {
		return fmt.Sprintf("%d of %d directions were removed, and nobody looked at what is left.", r.RankRemoved, r.Dim)
	}
	return fmt.Sprintf("After erasure a linear probe is right about %s %% of rows and one with hidden units about %s %%, where the commonest class is %s %%.",
		page.Decimal(100*r.Probes.After.Linear.Accuracy, 1), page.Decimal(100*r.Probes.After.MLP.Accuracy, 1), page.Decimal(100*r.Probes.After.Linear.Majority, 1))
}

// Sections show what was removed, and what probes read before and after.
func (r *Report) Sections() []page.Section {
	s := page.Section{
		Title:   page.FileName(r.Vectors),
		Meaning: "What a linear probe and one with hidden units read of a concept before and after it was erased, on rows that neither the eraser nor the probe was fitted to.",
		Source:  fmt.Sprintf("%s removed %d of %d directions from %s", r.Method, r.RankRemoved, r.Dim, page.Plural(r.Rows, "vector", "vectors")),
		Blocks:  []page.Block{{Warning: page.Sentence(Privacy)}},
	}
	if c := r.Concept; c != nil {
		var sizes []string
		for i, name := range c.Classes {
			sizes = append(sizes, fmt.Sprintf("%d %s", c.Rows[i], name))
		}
		s.Blocks = append(s.Blocks, page.Block{List: []page.Item{
			{Name: "concept", Text: c.From + "; " + strings.Join(sizes[:min(len(sizes), 10)], ", ")},
			{Name: "rows", Text: fmt.Sprintf("%d for the eraser, %d to fit probes, %d to score them", c.ForEraser, c.ForProbes, c.ForScore)},
		}})
	}
	if r.Note != "" {
		s.Blocks = append(s.Blocks, page.Block{Note: page.Sentence(r.Note)})
	}
	if r.Probes != nil {
		s.Blocks = append(s.Blocks, r.probes()...)
	}
	if c := r.Clusters; c != nil {
		s.Blocks = append(s.Blocks, page.Block{Note: fmt.Sprintf("Clusters of %d rows agree with their classes by V-measure %s before and %s after.", c.Rows, page.Decimal(c.Before, 3), page.Decimal(c.After, 3))})
	}
	if len(r.Weat) > 0 {
		table := &page.Table{Caption: "Association tests of gender", Head: page.Heads("test", "words", "#effect before", "#p", "#effect after", "#p")}
		for _, t := range r.Weat {
			cells := table.Add(t.Test, t.About, page.Decimal(t.Before, 2), page.Decimal(t.BeforeP, 4), page.Decimal(t.After, 2), page.Decimal(t.AfterP, 4))
			if t.Refused != "" {
				cells[2] = page.Cell{Text: "refused: " + t.Refused, Tone: page.Warn}
			}
		}
		s.Blocks = append(s.Blocks, table.Blocks()...)
	}
	return []page.Section{s}
}

// probes draws and lists the readings.
func (r *Report) probes() []page.Block {
	table := &page.Table{Caption: "Accuracy of probes", Head: page.Heads("vectors", "#linear probe", "#balanced", fmt.Sprintf("#%d hidden units", r.Probes.Units), "#balanced", "#majority")}
	for _, l := range r.Lines() {
		table.Add(l...)
	}
	dots := &page.Dots{
		Title: "Accuracy of probes", Desc: "All numbers stand in the table below.", Axis: page.Axis{Label: "share of rows that are read right", Low: 0, High: 1},
		Keys: []string{"linear", "hidden units"}, Levels: []page.Level{{Name: "commonest class", Value: r.Probes.Before.Linear.Majority}},
	}
	add := func(name string, linear, mlp measure.Estimate) {
		row := page.Row{Name: name, Bound: math.NaN()}
		for key, e := range []measure.Estimate{linear, mlp} {
			if !math.IsNaN(float64(e.Value)) {
				row.Marks = append(row.Marks, page.Mark{Key: key, Value: float64(e.Value), Low: float64(e.Low), High: float64(e.High), Tip: page.Decimal(e.Value, 3)})
			}
		}
		dots.Rows = append(dots.Rows, row)
	}
	add("raw", r.Probes.Before.Linear.estimate(), r.Probes.Before.MLP.estimate())
	add("erased", r.Probes.After.Linear.estimate(), r.Probes.After.MLP.estimate())
	var notes []page.Block
	if p := r.Private; p != nil {
		add("private", p.Raw.Linear.Estimate(), p.Raw.MLP.Estimate())
		add("erased, then private", p.Erased.Linear.Estimate(), p.Erased.MLP.Estimate())
		notes = []page.Block{{Note: page.Sentence(bias.Promise(p.Guarantee, r.Thing()))}, {Note: page.Sentence(p.Note)}, {Warning: page.Sentence(bias.SimulatedNote)}}
	}
	figure := page.Block{Figure: &page.Figure{Caption: "What probes read, with 95 % intervals: of private rows over draws, of the others Clopper–Pearson.", Plots: []page.Plot{dots}}}
	return append(append([]page.Block{figure}, table.Blocks()...), notes...)
}
