package report

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/learn/experiment"
)

// The groups and classes that a plot of groups shows.
const (
	plotGroups  = 8
	plotClasses = 4
)

// foldGroups is how many rows of groups, which a plot shows too, stay open.
const foldGroups = 6

// fairnessKind is what "sotto measure fairness" stores.
var fairnessKind = evidence.Kind[evidence.Fairness]{
	Format: evidence.FairnessFormat, Name: "fairness", List: "fairness",
	Check: func(f *evidence.Fairness) error {
		if f.Fairness == nil || slices.ContainsFunc(f.Attributes, func(a evidence.AttributeFairness) bool { return a.Fairness == nil }) {
			return errors.New("evidence: a comparison of groups has no groups")
		}
		return nil
	},
	Section: func(e *evidence.Evidence) []page.Section {
		s := fairnessSection()
		for _, f := range evidence.All[evidence.Fairness](e) {
			source := nameText(page.FileName(f.Source))
			for _, a := range f.Attributes {
				s.Blocks = append(s.Blocks, groupsOf(source+", by "+nameText(a.Attribute), a.Fairness)...)
			}
			s.Blocks = append(s.Blocks, groupsOf(source+", by "+nameText(strings.Join(f.Columns.Group, " × ")), f.Fairness)...)
		}
		return []page.Section{s}
	},
	Subjects: func(f *evidence.Fairness) []evidence.Subject {
		all := []evidence.Subject{fairnessSubject(page.FileName(f.Source), strings.Join(f.Columns.Group, " × "), f.Fairness)}
		for _, a := range f.Attributes {
			all = append(all, fairnessSubject(page.FileName(f.Source), a.Attribute, a.Fairness))
		}
		return all
	},
}

func fairnessSubject(source, by string, f *measure.Fairness) evidence.Subject {
	gap := f.GRMS
	if len(f.Classes) == 2 { // as of a training
		gap = f.Classes[1].TPRDifference
	}
	s := evidence.Subject{Name: join("fairness of", source, "by", by), Numbers: map[string]measure.Estimate{
		"accuracy": f.Accuracy.Estimate, "gap": gap, "grms": f.GRMS, "parity": f.ParityDifference, "odds": f.OddsDifference,
	}}
	maps.Copy(s.Numbers, f.Alike().Estimates())
	return s
}

// fairnessSection is how differently groups are served, without its blocks.
func fairnessSection() page.Section {
	return page.Section{
		ID: "fairness", Title: "Fairness by group",
		Meaning: "How well each group is served. The gaps are 0 where all groups are served alike; the parity ratio is 1. A gap is the largest difference, so that its interval lies above 0 even there. A rate without rows is not defined, which is not 0.",
		Source:  "Configurations: sotto train, groups by the first seed. Predictions of other models: sotto measure fairness. Bars are 95 % bootstrap intervals.",
	}
}

// fairnessOf compares the groups under each configuration of a result.
func fairnessOf(r *experiment.Result) []page.Block {
	all := kept(trainedOf(r), func(c *experiment.Configuration) bool {
		return finite(float64(c.Mean.Gap)) || finite(float64(c.Mean.GRMS)) || c.Fairness != nil
	})
	if len(all) == 0 {
		return nil
	}
	title := nameText(r.Data.Name) + ", by " + nameText(r.Data.Attribute)
	blocks := []page.Block{{Heading: title}}
	if p, left := configurationPlot(all, title); p != nil {
		caption := "Accuracy by group."
		if left > 0 {
			caption = fmt.Sprintf("Accuracy by group, of the selected configurations first; %s in the table alone.", page.Plural(left, "other is", "others are"))
		}
		blocks = append(blocks, page.Block{Figure: &page.Figure{Caption: caption, Plots: []page.Plot{p}}})
	}
	t := &page.Table{
		Caption: "Gaps between groups, " + title, Folded: len(all) > foldRows,
		Head: page.Heads("configuration", "#true ε", "#TPR gap", "#GRMS", "#parity difference", "#parity ratio", "#equalised odds difference"),
	}
	for _, c := range all {
		parity, ratio, odds := none, none, none
		if f := c.Fairness; f != nil {
			parity, ratio, odds = estimateText(f.ParityDifference), estimateText(f.ParityRatio), estimateText(f.OddsDifference)
		}
		t.Add(configurationName(c), provedText(c.Mean.True, c.Mean.Unit, c.Mean.Delta), plusMinus(c.Mean.Gap, c.Deviation.Gap, 4), plusMinus(c.Mean.GRMS, c.Deviation.GRMS, 4), parity, ratio, odds)
	}
	return append(blocks, t.Blocks()...)
}

// estimateText renders a number with its interval.
func estimateText(e measure.Estimate) string { return page.Decimal(e.Value, 4) + intervalOf(e, 1, 4) }

// intervalOf renders the interval of an estimate, nothing if it has none.
func intervalOf(e measure.Estimate, scale measure.Number, decimals int) string {
	low, high := holding(scale*e.Value, scale*e.Low, scale*e.High)
	if e.Resamples == 0 || !finite(low) {
		return ""
	}
	return " (" + page.Decimal(low, decimals) + " to " + page.Decimal(high, decimals) + ")"
}

// configurationPlot shows each configuration as a row and each group as a mark,
// the selected ones first. It says how many it left out.
func configurationPlot(all []*experiment.Configuration, title string) (*page.Dots, int) {
	var ordered []*experiment.Configuration
	for _, want := range []bool{true, false} {
		ordered = append(ordered, kept(all, func(c *experiment.Configuration) bool { return c.Selected == want && c.Fairness != nil })...)
	}
	if len(ordered) == 0 || len(ordered[0].Fairness.Groups) > plotGroups {
		return nil, 0
	}
	p := &page.Dots{Title: "Accuracy by group, " + title, Desc: "The tables below have the numbers.", Axis: page.Axis{Label: "accuracy", Percent: true}}
	for _, g := range ordered[0].Fairness.Groups {
		p.Keys = append(p.Keys, nameText(g.Name))
	}
	short := namingOf(ordered)
	shown := min(len(ordered), plotRows/2)
	for _, c := range ordered[:shown] {
		row := page.Row{Name: short.atEpsilon(c), Bound: math.NaN()}
		for i, g := range c.Fairness.Groups {
			if i < len(p.Keys) {
				row.Marks = append(row.Marks, shareMark(i, nameText(g.Name), g.Accuracy))
			}
		}
		p.Rows = append(p.Rows, row)
	}
	return p, len(ordered) - shown
}

func shareMark(key int, name string, s measure.Share) page.Mark {
	value := s.Value
	if s.Rows == 0 {
		value = measure.Undefined
	}
	low, high := holding(value, s.Low, s.High)
	return page.Mark{Key: key, Value: float64(value), Low: low, High: high, Tip: name + ": " + roughly(value)}
}

// groupsOf shows one comparison: a row for each group.
func groupsOf(title string, f *measure.Fairness) []page.Block {
	blocks := []page.Block{{Heading: title}}
	if p := groupPlot(title, f); p != nil {
		blocks = append(blocks, page.Block{Figure: &page.Figure{Caption: rowsCaption("Accuracy and true positive rate by group.", len(f.Groups)), Plots: []page.Plot{p}}})
	}
	groups := &page.Table{Caption: "Groups, " + title, Head: page.Heads("group", "#rows", "#accuracy", "class", "#selected", "#TPR", "#FPR")}
	for _, g := range f.Groups {
		if len(g.Classes) == 0 {
			groups.Add(nameText(g.Name), strconv.Itoa(g.Rows), shareText(g.Accuracy), none, none, none, none)
		}
		for _, c := range g.Classes {
			groups.Add(nameText(g.Name), strconv.Itoa(g.Rows), shareText(g.Accuracy), nameText(c.Class), shareText(c.Selection), shareText(c.TPR), shareText(c.FPR))
		}
	}
	groups.Folded = len(groups.Rows) > foldGroups
	return append(append(blocks, gapTable(title, f).Blocks()...), groups.Blocks()...)
}

func groupPlot(title string, f *measure.Fairness) *page.Dots {
	if len(f.Groups) == 0 {
		return nil
	}
	p := &page.Dots{Title: "Groups, " + title, Desc: "The tables below have the numbers.", Axis: page.Axis{Label: "share of rows", Percent: true}, Keys: []string{"accuracy"}}
	rates := len(f.Groups[0].Classes) <= plotClasses
	if rates {
		for _, c := range f.Groups[0].Classes {
			p.Keys = append(p.Keys, "TPR of "+nameText(c.Class))
		}
	}
	for _, g := range f.Groups[:min(plotRows, len(f.Groups))] {
		row := page.Row{Name: fmt.Sprintf("%s (%s)", nameText(g.Name), page.Plural(g.Rows, "row", "rows")), Bound: math.NaN()}
		row.Marks = append(row.Marks, shareMark(0, "accuracy", g.Accuracy))
		for i, c := range g.Classes {
			if rates && i+1 < len(p.Keys) {
				row.Marks = append(row.Marks, shareMark(i+1, "TPR of "+nameText(c.Class), c.TPR))
			}
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}

// shareText renders a share with its interval, or that there were no rows.
func shareText(s measure.Share) string {
	if s.Rows == 0 {
		return page.Undefined + " (0 rows)"
	}
	return percent(s.Value) + intervalOf(s.Estimate, 100, 2)
}

func gapTable(title string, f *measure.Fairness) *page.Table {
	t := &page.Table{Caption: "Gaps between groups, " + title, Head: page.Heads("measure", "#value (95 % interval)", "#fair")}
	if b := f.Alike(); b != nil {
		t.Add("macro-F1 of all groups", percent(b.MacroF1), "1")
		t.Add("balanced accuracy of all groups", percent(b.Balanced), "1")
	}
	t.Add("accuracy, best group − worst", estimateText(f.Difference), "0")
	t.Add("demographic parity difference", estimateText(f.ParityDifference), "0")
	t.Add("demographic parity ratio", estimateText(f.ParityRatio), "1")
	t.Add("equalised odds difference", estimateText(f.OddsDifference), "0")
	for _, c := range f.Classes[:min(plotGroups, len(f.Classes))] {
		class := nameText(c.Overall.Class)
		if c.TPRGap != nil && len(f.Groups) == 2 {
			t.Add(fmt.Sprintf("TPR gap of %s, %s − %s", class, nameText(f.Groups[0].Name), nameText(f.Groups[1].Name)), estimateText(*c.TPRGap), "0")
		} else {
			t.Add("TPR difference of "+class, estimateText(c.TPRDifference), "0")
		}
	}
	t.Add(fmt.Sprintf("GRMS over %d of %s", f.ClassesDefined, page.Plural(len(f.Classes), "class", "classes")), estimateText(f.GRMS), "0")
	return t
}
