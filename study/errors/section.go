package errors

import (
	"fmt"
	"math"
	"strconv"

	"sotto/compute/measure"
	"sotto/evidence/page"
)

// percent renders a share.
func percent(v measure.Number) string {
	if math.IsNaN(float64(v)) {
		return page.Undefined
	}
	return page.Decimal(100*v, 1) + " %"
}

// points renders a difference of shares.
func points(v measure.Number) string { return page.Decimal(100*v, 1) }

// shownFeatures is how many features a page lists.
const shownFeatures = 20

func (r *Result) sections() []page.Section {
	name := page.FileName(r.Source)
	all := []page.Section{{
		Title:   name,
		Meaning: "Kinds of texts by how often the answer to them is wrong. The rules were found on one half of the rows; the interval is of the other half, so that it does not owe anything to the search.",
		Source:  fmt.Sprintf("sotto errors: %d rows, a tree of depth %d with at least %d rows a leaf; intervals after Clopper and Pearson", r.Rows, r.Tree.Depth, r.Tree.Least),
		Blocks:  r.cohortBlocks(),
	}}
	if r.Privacy != nil {
		all = append(all, page.Section{
			Title:   name + ", what privacy costs",
			Meaning: "By how many points private answers are less often right than unprotected ones, by kind of text. A loss whose interval holds 0 may be chance.",
			Source:  fmt.Sprintf("sotto errors: %s to each text%s; intervals: %s", r.Privacy.answers(), r.Privacy.stated(), r.Privacy.Interval),
			Blocks:  r.Privacy.blocks(),
		})
	}
	if len(r.Rankers) > 0 {
		balanced := "rows as they are"
		if r.Balance {
			balanced = "as many right as wrong answers"
		}
		all = append(all, page.Section{
			Title:   name + ", how errors can be foreseen",
			Meaning: "The share of errors among the first K texts of a ranking that has not seen them. The deviation is that between splits, so that one split alone says little.",
			Source:  fmt.Sprintf("sotto errors: %s into %d and %d rows, %s; tests after Nadeau and Bengio", page.Plural(r.Splits, "split", "splits"), r.Train, r.Test, balanced),
			Blocks:  r.rankerBlocks(),
		})
	}
	return all
}

func (r *Result) cohortBlocks() []page.Block {
	t := &page.Table{Caption: "Cohorts", Head: page.Heads("rule", "#texts", "#wrong", "#share of all errors", "#wrong, held out", "#95 % interval")}
	for _, c := range r.Cohorts {
		t.Add(page.Clean(c.Rule, 300), strconv.Itoa(c.Size), percent(c.ErrorRate), percent(c.Share), percent(c.HeldOut.ErrorRate), percent(c.HeldOut.Low)+" to "+percent(c.HeldOut.High))
	}
	blocks := t.Blocks()
	if h := r.HeatMap; h != nil {
		blocks = append(blocks, h.blocks()...)
	}
	if len(r.Features) > 0 {
		f := &page.Table{Caption: "Features by importance", Head: page.Heads("feature", "group", "#importance", "#texts with it", "#wrong with it", "#wrong without"), Folded: true}
		for _, v := range r.Features[:min(len(r.Features), shownFeatures)] {
			f.Add(page.Clean(v.Name, 100), page.Clean(v.Group, 40), page.Decimal(v.Importance, 4), strconv.Itoa(v.Rows), percent(v.With), percent(v.Without))
		}
		blocks = append(blocks, f.Blocks()...)
	}
	return blocks
}

func (h *HeatMap) blocks() []page.Block {
	p := &page.HeatMap{
		Title: "Errors by " + page.Clean(h.Rows.Feature, 60) + " and " + page.Clean(h.Columns.Feature, 60), Decimals: 0, Low: 0, High: 100,
		Desc: "The share of wrong answers in percent, by two features.",
	}
	t := &page.Table{Caption: p.Title + ": wrong of texts", Head: page.Heads(page.Clean(h.Rows.Feature, 60) + " ↓, " + page.Clean(h.Columns.Feature, 60) + " →")}
	for _, name := range h.Columns.Names {
		p.Columns = append(p.Columns, page.Clean(name, 40))
		t.Head = append(t.Head, page.Heads("#"+page.Clean(name, 40))...)
	}
	for i, line := range h.Cells {
		name := page.Clean(h.Rows.Names[i], 40)
		p.Rows = append(p.Rows, name)
		var values []float64
		cells := []string{name}
		for _, c := range line {
			values = append(values, 100*float64(c.ErrorRate))
			cells = append(cells, fmt.Sprintf("%d of %d", c.Errors, c.Rows))
		}
		p.Values = append(p.Values, values)
		t.Add(cells...)
	}
	caption := "Percent of answers that are wrong: " + page.Clean(h.Rows.Feature, 60) + " from top to bottom, " + page.Clean(h.Columns.Feature, 60) + " from left to right."
	return append([]page.Block{{Figure: &page.Figure{Caption: caption, Plots: []page.Plot{p}}}}, t.Blocks()...)
}

// answers says which private answers were counted.
func (l *Loss) answers() string {
	if l.Draws == 0 {
		return "all private answers that may be drawn"
	}
	return page.Plural(l.Draws, "private answer", "private answers")
}

// stated says what is known of their ε.
func (l *Loss) stated() string {
	switch {
	case l.Guarantee != nil:
		return ", each with " + l.Guarantee.String()
	case l.Epsilon != nil:
		return fmt.Sprintf(", with ε = %v as somebody stated", *l.Epsilon)
	}
	return ""
}

func (l *Loss) blocks() []page.Block {
	t := &page.Table{Caption: "Cohorts by what they lose", Head: page.Heads("rule", "#texts", "#right before", "#right after", "#loss, points", "#loss, held out", "#interval")}
	for _, c := range append([]LossOf{l.All}, l.Cohorts...) {
		t.Add(page.Clean(c.Rule, 300), strconv.Itoa(c.Size), percent(c.Before), percent(c.After), points(c.Loss), points(c.HeldOut.Loss), points(c.HeldOut.Low)+" to "+points(c.HeldOut.High))
	}
	return t.Blocks()
}

func (r *Result) rankerBlocks() []page.Block {
	t := &page.Table{Caption: "Rankers", Head: page.Heads("ranker", "#AUC")}
	var at []string
	for _, k := range []string{"10", "20", "50", "100", "200", "500"} {
		if _, ok := r.Rankers[0].PAt[k]; ok {
			at = append(at, k)
			t.Head = append(t.Head, page.Heads("#P@"+k)...)
		}
	}
	for _, k := range r.Rankers {
		cells := []string{page.Clean(k.Name, 40), plusMinus(k.AUC, k.AUCSD)}
		for _, n := range at {
			cells = append(cells, plusMinus(k.PAt[n].Mean, k.PAt[n].SD))
		}
		t.Add(cells...)
	}
	c := &page.Table{Caption: "Differences between rankers", Head: page.Heads("rankers", "measure", "#difference", "#95 % interval", "#p"), Folded: true}
	for _, v := range r.Tests {
		c.Add(page.Clean(v.A, 40)+" − "+page.Clean(v.B, 40), page.Clean(v.Measure, 40), page.Decimal(v.Difference, 3), page.Decimal(v.Low, 3)+" to "+page.Decimal(v.High, 3), page.Decimal(v.P, 4))
	}
	blocks := t.Blocks()
	if len(r.Tests) > 0 {
		blocks = append(blocks, c.Blocks()...)
	}
	return blocks
}

func plusMinus(mean, sd measure.Number) string {
	return page.Decimal(mean, 3) + " ± " + page.Decimal(sd, 3)
}
