package report

import (
	"fmt"
	"math"
	"strconv"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
)

// smallPlots is how many learning curves a report draws.
const smallPlots = 6

// descriptionSection shows how many bits of an attribute releases leave.
func descriptionSection(e *evidence.Evidence) page.Section {
	s := page.Section{
		ID: "mdl", Title: "Description length",
		Meaning: "How many bits it takes to tell the attribute to somebody who has the releases and learns as it goes. A curve at the line learns nothing; the sooner and deeper it falls, the more the releases say. A compression of 1 is none.",
		Source:  "sotto attack: each probe is fitted to the rows on the axis and codes those that follow.",
	}
	t := &page.Table{Caption: "Description length", Head: page.Heads("attacked", "attribute", "attacker", "code", "#rows", "#kbit", "#kbit, without vectors", "#compression")}
	f := &page.Figure{Small: true}
	last := "" // of several seeds of a model the first is drawn
	for _, m := range models(e) {
		p := &page.Chart{
			Title: "Learning curves, " + m.name, Desc: "Bits for each row against the number of rows seen.",
			Heading: m.name, X: page.Axis{Label: "rows learnt from", Log: true}, Y: page.Axis{Label: "bits a row"},
		}
		for _, k := range m.Findings {
			if d := k.Description; d != nil {
				t.Add(m.name, nameText(k.Target), nameText(k.Attacker), nameText(string(d.Coding)), strconv.Itoa(d.Rows), page.Decimal(d.Kbit, 2), page.Decimal(known(d)/1024, 2), page.Decimal(d.Compression, 3))
				learn(p, nameText(k.Attacker), d)
			}
		}
		if p.X.High > p.X.Low && len(f.Plots) < smallPlots && m.folder != last {
			last = m.folder
			closeCurves(p)
			f.Plots = append(f.Plots, p)
		}
	}
	if len(t.Rows) == 0 {
		return s
	}
	if len(f.Plots) > 0 {
		f.Caption = "Bits for each row, against the number of rows that the attacker has learnt from (logarithmic)."
		if n := len(models(e)); n > len(f.Plots) {
			f.Caption += fmt.Sprintf(" The first %d of %d are drawn.", len(f.Plots), n)
		}
		s.Blocks = append(s.Blocks, page.Block{Figure: f})
	}
	t.Folded = len(t.Rows) > foldRows
	s.Blocks = append(s.Blocks, t.Blocks()...)
	return s
}

// known is the bits of whoever has no vectors: those of the attribute's entropy,
// or of equally likely values in what was stored before that was measured.
func known(d *measure.DescriptionLength) float64 {
	if d.Prior > 0 {
		return d.Prior
	}
	return d.Uniform
}

// learn adds the learning curve of an attacker. Blocks that were coded without
// a probe have no place on it.
func learn(p *page.Chart, name string, d *measure.DescriptionLength) {
	s := page.Series{Name: name, Runs: [][]page.Dot{nil}}
	for _, b := range d.Blocks {
		rows, bits := float64(b.To-b.From), b.Bits
		if b.Fitted < 1 || !(rows > 0) || !finite(bits) {
			continue
		}
		x, y := float64(b.Fitted), bits/rows
		if p.X.Low == 0 {
			p.X.Low = x
		}
		p.X.Low, p.X.High, p.Y.High = min(p.X.Low, x), max(p.X.High, x), max(p.Y.High, y)
		nan := math.NaN()
		s.Runs[0] = append(s.Runs[0], page.Dot{X: x, Y: y, Low: nan, High: nan, Tip: fmt.Sprintf("%s, %d rows: %s bits a row", name, b.Fitted, page.Decimal(y, 3))})
	}
	if len(s.Runs[0]) > 0 {
		p.Series = append(p.Series, s)
	}
	if d.Classes > 1 && len(p.Levels) == 0 {
		bits := math.Log2(float64(d.Classes)) * known(d) / d.Uniform
		p.Levels = []page.Level{{Name: "without vectors " + page.Decimal(bits, 2), Value: bits}}
		p.Y.High = max(p.Y.High, bits)
	}
}

// closeCurves gives the axes of learning curves a little room. A probe that
// takes noise for signal may cost many bits at first, which is cut off.
func closeCurves(p *page.Chart) {
	p.X.Low, p.X.High = p.X.Low/1.2, p.X.High*1.2
	if len(p.Levels) > 0 {
		p.Y.High = min(p.Y.High, 3*p.Levels[0].Value)
	}
	p.Y.High *= 1.08
}
