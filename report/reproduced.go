package report

import (
	"fmt"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
)

// tableKind is a published table that "sotto reproduce" computed again.
var tableKind = evidence.Kind[PublishedTable]{
	Format: PublishedFormat, Name: "table", List: "tables",
	Section: func(e *evidence.Evidence) []page.Section { return []page.Section{reproducedSection(e)} },
	Subjects: func(t *PublishedTable) []evidence.Subject {
		var all []evidence.Subject
		for _, r := range t.Rows {
			ours := func(c PublishedCell) *PublishedOurs { return c.AsPublished }
			all = append(all, tableSubject(join(t.Name, r.Name, r.Setting, "as published"), r.AsPublished, r.Cells, ours))
			if r.Honest != nil {
				ours = func(c PublishedCell) *PublishedOurs { return c.Honest }
				all = append(all, tableSubject(join(t.Name, r.Name, r.Setting, "honest"), r.Honest, r.Cells, ours))
			}
		}
		return all
	},
}

// tableSubject is what there is to judge of a row: what it promises, and our
// numbers, percentages as shares.
func tableSubject(name string, p *PublishedPromise, cells []PublishedCell, ours func(PublishedCell) *PublishedOurs) evidence.Subject {
	s := evidence.Subject{Name: name, Numbers: map[string]measure.Estimate{}}
	if p != nil {
		s.Promise = &evidence.Promise{Unit: p.Unit, Delta: p.Delta, Claimed: &p.Claimed, Proved: &p.True}
	}
	for _, c := range cells {
		n := evidence.Unmeasured()
		if o := ours(c); o != nil {
			n.Value = o.Mean
		}
		if c.Unit == "%" || c.Unit == "points" {
			n.Value /= 100
		}
		s.Numbers[c.Metric] = n
	}
	return s
}

// reproducedSection shows published tables beside what we measured.
func reproducedSection(e *evidence.Evidence) page.Section {
	s := page.Section{
		ID: "published", Title: "Published tables, reproduced",
		Meaning: "What was published, what the published code gives here with the ε that is true of it, and what is left at an ε that is kept.",
		Source:  "sotto reproduce; the published numbers are those of the papers.",
	}
	for _, t := range evidence.All[PublishedTable](e) {
		if len(t.Rows) == 0 {
			continue
		}
		title := nameText(t.Name)
		if t.Quick {
			title += " (quick: fewer rows, settings and seeds)"
		}
		s.Blocks = append(s.Blocks, page.Block{Heading: title}, page.Block{Note: longText(page.Sentence(t.About) + " " + t.Paper)})
		s.Blocks = append(s.Blocks, tableCharts(t)...)
		s.Blocks = append(s.Blocks, comparison(t).Blocks()...)
		var notes []page.Item
		for _, n := range t.Notes {
			notes = append(notes, page.Item{Name: "Note", Text: longText(n)})
		}
		if notes != nil {
			s.Blocks = append(s.Blocks, page.Block{List: notes})
		}
	}
	return s
}

// comparison is the table of a published table.
func comparison(t *PublishedTable) *page.Table {
	out := &page.Table{Caption: "Published and ours", Head: page.Heads("row", "setting", "measure", "#published", "#ours, as published", "#true ε", "#ours, honest", "#ε")}
	for _, r := range t.Rows {
		name, setting, proved, honest := nameText(r.Name), nameText(r.Setting), promiseText(r.AsPublished), promiseText(r.Honest)
		for _, c := range r.Cells {
			row := out.Add(name, setting, nameText(c.Metric)+" "+nameText(c.Unit), asPublished(c.Published.Mean, c.Published.Deviation),
				oursText(c.AsPublished), proved, oursText(c.Honest), honest)
			if p := r.AsPublished; p != nil && float64(p.True) > float64(p.Claimed)*(1+1e-6) {
				row[5].Tone = page.Bad
			}
		}
	}
	return out
}

func promiseText(p *PublishedPromise) string {
	if p == nil {
		return none
	}
	text := guaranteeText(&p.True, p.Unit, p.Delta)
	if float64(p.True) > float64(p.Claimed)*(1+1e-6) {
		text += fmt.Sprintf(", claimed %s", epsilonText(p.Claimed))
	}
	return text
}

func oursText(o *PublishedOurs) string {
	if o == nil {
		return none
	}
	return asPublished(o.Mean, o.Deviation)
}

// asPublished renders a mean and a deviation in the unit of the publication.
func asPublished(mean, deviation measure.Number) string {
	return orNone(func(v measure.Number) string { return plusMinus(v, deviation, 2) }, mean)
}
