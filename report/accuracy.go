package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/learn/experiment"
	"sotto/promise/dp"
)

// accuracySection shows what each configuration is good for at its true ε.
func accuracySection(e *evidence.Evidence) page.Section {
	s := page.Section{
		ID: "accuracy", Title: "Accuracy against ε",
		Meaning: "How often a model that sees only the releases is right, at the ε that is true of them. Published methods and ours share a plot. A filled mark stands at the true ε; a hollow one, joined to it, stands at the ε that was claimed. No release can reach the shaded part on average, so a hollow mark in it is a claim that cannot be true.",
		Source:  "Means, deviations and 95 % intervals over seeds: sotto train. The limit is computed from the shares of the classes in the test part.",
	}
	for _, r := range tasks(e) {
		trained := trainedOf(r)
		if len(trained) == 0 {
			continue
		}
		s.Blocks = append(s.Blocks, page.Block{Heading: taskName(r)})
		papers := printed(e, r)
		for _, group := range byUnit(trained) {
			if c := accuracyChart(r, group, papers); c != nil {
				s.Blocks = append(s.Blocks, page.Block{Figure: &page.Figure{Caption: accuracyCaption(r, group, c), Plots: []page.Plot{c}}})
			}
		}
		s.Blocks = append(s.Blocks, accuracyTable(r, trained, papers).Blocks()...)
		if t := balanceTable(r, trained); len(t.Rows) > 0 {
			s.Blocks = append(s.Blocks, t.Blocks()...)
		}
	}
	return s
}

// trainedOf returns the configurations that were measured, by true ε.
func trainedOf(r *experiment.Result) []*experiment.Configuration {
	var list []*experiment.Configuration
	for i := range r.Configurations {
		if c := &r.Configurations[i]; len(c.Seeds) > 0 && finite(float64(c.Mean.Accuracy)) {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b *experiment.Configuration) int {
		return cmp.Or(cmp.Compare(seriesName(a), seriesName(b)), cmp.Compare(variantOf(a), variantOf(b)),
			cmp.Compare(a.Dim, b.Dim), cmp.Compare(a.Lambda, b.Lambda), cmp.Compare(valueOf(a.Mean.True), valueOf(b.Mean.True)))
	})
	return list
}

func taskName(r *experiment.Result) string {
	if r.Data.Label == "" {
		return nameText(r.Data.Name)
	}
	return nameText(r.Data.Name) + ": " + nameText(r.Data.Label)
}

// byUnit parts configurations whose ε cannot be compared: of different units,
// and with or without a δ. Those without any promise belong to the first.
func byUnit(all []*experiment.Configuration) [][]*experiment.Configuration {
	var groups [][]*experiment.Configuration
	var others []*experiment.Configuration
	for _, c := range all {
		if c.Mean.True == nil || c.Statement == nil {
			others = append(others, c)
			continue
		}
		group := entry(&groups, func(g []*experiment.Configuration) bool {
			return g[0].Mean.Unit == c.Mean.Unit && (g[0].Mean.Delta > 0) == (c.Mean.Delta > 0)
		}, nil)
		*group = append(*group, c)
	}
	if len(groups) > 0 {
		groups[0] = append(groups[0], others...)
	}
	return groups
}

// accuracyChart draws one group, published methods and ours, with what papers
// printed of the same data, or nothing if no ε in it is finite.
func accuracyChart(r *experiment.Result, group []*experiment.Configuration, papers []figure) *page.Chart {
	unit, limited := group[0].Mean.Unit, group[0].Mean.Unit == dp.Text && !(group[0].Mean.Delta > 0)
	p := NewChart("Accuracy against ε, "+taskName(r), page.Plural(len(group), "configuration", "configurations"), unitText(unit))
	var epsilons, accuracies []float64
	last := map[string]string{} // what the last run of a series has in common
	for _, c := range byOrigin(group) {
		d := accuracyDot(c)
		epsilons, accuracies = append(epsilons, d.X), append(accuracies, d.Y)
		if d.Hollow != nil {
			epsilons, p.Hollow = append(epsilons, *d.Hollow), hollowDot
		}
		name, run := drawnName(c), configurationName(c)
		put(p, name, d, last[name] == run)
		last[name] = run
	}
	if limited {
		x, y := addFigures(p, papers)
		epsilons, accuracies = append(epsilons, x...), append(accuracies, y...)
		p.Lines = yardsticks(group)
	}
	if v := float64(r.Reference); finite(v) {
		p.Levels = append(p.Levels, page.Level{Name: "unprotected " + roughly(v), Value: v})
		accuracies = append(accuracies, v)
	}
	if !ChartFrame(p, epsilons, accuracies, r.Priors, limited) {
		return nil
	}
	return p
}

// put adds a point to the series of its method and mechanism, joined to the one
// before if that differs from it in ε alone.
func put(p *page.Chart, name string, d page.Dot, joined bool) {
	s := entry(&p.Series, func(s page.Series) bool { return s.Name == name }, page.Series{Name: name})
	if n := len(s.Runs); joined && !math.IsInf(d.X, 1) && d.X > 0 && !math.IsInf(s.Runs[n-1][0].X, 1) {
		s.Runs[n-1] = append(s.Runs[n-1], d)
		return
	}
	s.Runs = append(s.Runs, []page.Dot{d})
}

func accuracyDot(c *experiment.Configuration) page.Dot {
	low, high := seedInterval(c)
	d := page.Dot{
		X: valueOf(c.Mean.True), Y: float64(c.Mean.Accuracy), Low: low, High: high,
		Tip: fmt.Sprintf("%s: %s at a true ε of %s", configurationName(c), roughly(c.Mean.Accuracy), statedText(c.Mean.True)),
	}
	if c.Statement != nil && !c.Statement.Honest() {
		if claimed := float64(c.Statement.Claimed); !math.IsNaN(claimed) {
			d.Hollow = &claimed
		}
		d.Tip += ", claimed " + epsilonText(c.Statement.Claimed)
	}
	return d
}

// seedInterval returns the interval over seeds, or that of the one seed, around
// the mean that is shown.
func seedInterval(c *experiment.Configuration) (low, high float64) {
	switch {
	case len(c.Seeds) > 1:
		return holding(c.Mean.Accuracy, c.Interval[0], c.Interval[1])
	case len(c.Seeds) == 1:
		return holding(c.Mean.Accuracy, c.Seeds[0].Low, c.Seeds[0].High)
	}
	return math.NaN(), math.NaN()
}

// yardsticks joins the yardsticks that were stored, by ε.
func yardsticks(group []*experiment.Configuration) []page.Line {
	var points []page.Point
	for _, c := range group {
		if x, y := valueOf(c.Mean.True), float64(c.Mean.Yardstick); finite(x) && x > 0 && finite(y) {
			points = append(points, page.Point{X: x, Y: y})
		}
	}
	slices.SortFunc(points, func(a, b page.Point) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	slices.Reverse(points) // of several models without protection the best counts
	points = slices.CompactFunc(points, func(a, b page.Point) bool { return math.Abs(a.X-b.X) <= 1e-6*b.X })
	slices.Reverse(points)
	if len(points) < 2 {
		return nil
	}
	return []page.Line{{Name: "yardstick", At: points}}
}

func accuracyCaption(r *experiment.Result, group []*experiment.Configuration, c *page.Chart) string {
	text := fmt.Sprintf("Bars are 95 %% intervals over %s", page.Plural(len(group[0].Seeds), "seed", "seeds"))
	switch {
	case len(group[0].Seeds) == 1:
		text = "Bars are 95 % intervals of the one model on its test rows"
	case len(group[0].Seeds) == 2:
		text += ", wide because two seeds say little about a third"
	}
	if finite(float64(r.Reference)) {
		text += ". The yardstick is an unprotected model whose answer alone is released at the same ε"
	}
	text += "."
	if len(c.Series) > 1 {
		text += " Series stand a little to the right of each other, so that equal points can be told apart."
	}
	return text
}

func accuracyTable(r *experiment.Result, all []*experiment.Configuration, papers []figure) *page.Table {
	t := &page.Table{
		Caption: "Accuracy, " + taskName(r),
		Head:    page.Heads("configuration", "whose", "#claimed ε", "#true ε", "#accuracy", "#95 % interval", "#limit", "#yardstick"),
		Folded:  len(all) > foldRows,
	}
	for _, c := range byOrigin(all) {
		low, high := seedInterval(c)
		interval := orNone(func(v float64) string { return between(v, high) }, low)
		name := configurationName(c)
		if c.Selected {
			name += " (selected)"
		}
		row := t.Add(name, cmp.Or(string(experiment.OriginOf(c.Method)), none), statedText(c.Mean.Claimed), provedText(c.Mean.True, c.Mean.Unit, c.Mean.Delta), percentPlusMinus(c.Mean.Accuracy, c.Deviation.Accuracy),
			interval, orNone(atMost, c.Mean.Limit), orNone(percent, c.Mean.Yardstick))
		if c.Statement != nil && !c.Statement.Honest() {
			row[2].Tone, row[3].Tone = page.Bad, page.Bad
		}
	}
	for _, f := range papers {
		row := t.Add(f.series+", "+f.name, string(experiment.Published), epsilonText(f.promise.Claimed), epsilonText(f.promise.True), percent(f.accuracy), none, none, none)
		if !f.honest() {
			row[2].Tone, row[3].Tone = page.Bad, page.Bad
		}
	}
	return t
}
