package report

import (
	"cmp"
	"fmt"
	"slices"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/learn/attack"
	"sotto/learn/experiment"
)

// plotRows is how many rows a dot plot shows.
const plotRows = 24

// leakageSection is what attackers learnt of the protected attribute, without
// its blocks.
func leakageSection() page.Section {
	return page.Section{
		ID: "leakage", Title: "Leakage",
		Meaning: "How often an attacker who was trained on releases guesses the protected attribute of people it has not seen. At the line, it does no better than somebody who sees nothing; the tick is what no attacker can exceed at the true ε. A low number says that these attackers failed; only ε speaks of all.",
		Source:  "The reference attacker (100 hidden units) of each configuration, and where a claim is false the same after it has taken out what all coordinates share, whichever is right more often: sotto train. Further attackers: sotto attack.",
	}
}

// attackersSection adds what the attackers of "sotto attack" learnt.
func attackersSection(e *evidence.Evidence) page.Section {
	s, all := leakageSection(), models(e)
	if len(all) == 0 {
		return s
	}
	s.Blocks = append(s.Blocks, page.Block{Heading: "Further attackers"})
	if p := attackPlot(all); p != nil {
		s.Blocks = append(s.Blocks, page.Block{Figure: &page.Figure{Caption: rowsCaption("Bars are 95 % intervals.", len(all)), Plots: []page.Plot{p}}})
	}
	s.Blocks = append(s.Blocks, attackTable(all).Blocks()...)
	return s
}

// rowsCaption adds how much a plot leaves out.
func rowsCaption(text string, rows int) string {
	if rows > plotRows {
		text += fmt.Sprintf(" The first %d of %d are drawn; the table has all.", plotRows, rows)
	}
	return text
}

// leakageOf shows the strongest attacker on each configuration of a result.
func leakageOf(r *experiment.Result) []page.Block {
	all := kept(trainedOf(r), func(c *experiment.Configuration) bool { return finite(float64(c.Mean.Leakage)) })
	if len(all) == 0 {
		return nil
	}
	attribute := nameText(r.Data.Attribute)
	p := &page.Dots{
		Title: "Leakage of " + attribute + ", " + nameText(r.Data.Name),
		Desc:  fmt.Sprintf("%s. The table below has the same numbers.", page.Plural(len(all), "configuration", "configurations")),
		Axis:  page.Axis{Label: "accuracy of the attacker", Percent: true}, Keys: []string{"strongest attacker"}, Bound: "limit",
	}
	t := &page.Table{
		Caption: "Leakage of " + attribute + ", " + nameText(r.Data.Name), Folded: len(all) > foldRows,
		Head: page.Heads("configuration", "#claimed ε", "#true ε", "#attack accuracy", "attacker", "#95 % intervals", "#majority", "#limit"),
	}
	short := namingOf(all)
	for i, c := range all {
		best, accuracy := c.Strongest(), percentPlusMinus(c.Mean.Leakage, c.Deviation.Leakage)
		if best.Attacker == "" { // a mean of seeds that were not all attacked
			best.Mean = c.Mean.Leakage
		} else if best.Mean != c.Mean.Leakage {
			accuracy = percent(best.Mean)
		}
		low, high := holding(best.Mean, best.Low, best.High)
		interval := orNone(func(v float64) string { return between(v, high) }, low)
		t.Add(configurationName(c), statedText(c.Mean.Claimed), provedText(c.Mean.True, c.Mean.Unit, c.Mean.Delta), accuracy, cmp.Or(best.Attacker, none),
			interval, orNone(percent, c.Mean.Majority), orNone(atMost, c.Mean.AttackLimit))
		if i < plotRows {
			p.Rows = append(p.Rows, page.Row{Name: short.atEpsilon(c), Bound: float64(c.Mean.AttackLimit), Marks: []page.Mark{{
				Key: 0, Value: float64(best.Mean), Low: low, High: high, Tip: short.atEpsilon(c) + ": " + roughly(best.Mean),
			}}})
		}
	}
	if m := float64(all[0].Mean.Majority); finite(m) {
		p.Levels = []page.Level{{Name: "seeing nothing " + roughly(m), Value: m}}
	}
	caption := "Bars span the 95 % intervals of all seeds. The tick is the limit at the true ε."
	return append([]page.Block{
		{Heading: nameText(r.Data.Name) + ": " + attribute},
		{Figure: &page.Figure{Caption: rowsCaption(caption, len(all)), Plots: []page.Plot{p}}},
	}, t.Blocks()...)
}

// attackPlot shows each model as a row and each attacker as a mark.
func attackPlot(all []attacked) *page.Dots {
	p := &page.Dots{
		Title: "Attackers on released vectors", Desc: fmt.Sprintf("%s. The table below has the same numbers.", page.Plural(len(all), "attack", "attacks")),
		Axis: page.Axis{Label: "accuracy of the attacker", Percent: true}, Bound: "limit",
	}
	for _, m := range all[:min(len(all), plotRows)] {
		row := page.Row{Name: m.name, Bound: float64(m.Findings[0].Limit)}
		for _, k := range m.Findings {
			name := nameText(k.Attacker)
			j := slices.Index(p.Keys, name)
			if j < 0 {
				j, p.Keys = len(p.Keys), append(p.Keys, name)
			}
			low, high := holding(k.Value, k.Low, k.High)
			row.Marks = append(row.Marks, page.Mark{Key: j, Value: float64(k.Value), Low: low, High: high, Tip: name + " on " + m.name + ": " + roughly(k.Value)})
		}
		p.Rows = append(p.Rows, row)
	}
	blind := all[0].Findings[0].Baseline
	if !slices.ContainsFunc(all, func(m attacked) bool {
		return slices.ContainsFunc(m.Findings, func(k attack.Finding) bool { return k.Baseline != blind })
	}) {
		p.Levels = []page.Level{{Name: "seeing nothing " + roughly(blind), Value: float64(blind)}}
	}
	return p
}

func attackTable(all []attacked) *page.Table {
	t := &page.Table{
		Caption: "Attackers on released vectors",
		Head:    page.Heads("attacked", "attribute", "stated", "attacker", "#accuracy", "#95 % interval", "#majority", "#limit", "#AUC", "verdict"),
	}
	for _, m := range all {
		stated := "nothing"
		if g := m.Guarantee; g != nil {
			stated = "ε = " + guaranteeText(&g.Epsilon, g.Unit, g.Delta)
		}
		for _, k := range m.Findings {
			auc := measure.Undefined
			if k.Leakage != nil {
				auc = k.Leakage.AUC
			}
			row := t.Add(m.name, nameText(k.Target), stated, nameText(k.Attacker), percent(k.Value), between(holding(k.Value, k.Low, k.High)), percent(k.Baseline),
				orNone(atMost, k.Limit), page.Decimal(auc, 3), "")
			row[len(row)-1] = attackVerdict(k)
		}
	}
	t.Folded = len(t.Rows) > foldRows
	return t
}

// attackVerdict says how an attack stands to its limit.
func attackVerdict(f attack.Finding) page.Cell {
	switch {
	case f.Refutes:
		return page.Cell{Text: "refutes the stated ε", Tone: page.Bad}
	case f.Value > f.Limit:
		return page.Cell{Text: "above the limit, which alone refutes nothing", Tone: page.Warn} // by chance, or without a test
	case finite(float64(f.Limit)):
		return page.Cell{Text: "within the limit", Tone: page.Plain}
	}
	return page.Cell{Text: none, Tone: page.Plain}
}
