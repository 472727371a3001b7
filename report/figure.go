package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/evidence/page"
	"sotto/learn/experiment"
	"sotto/promise/dp"
)

// figure is an accuracy of a published table, the paper's or ours, with what is
// claimed and what is true of it.
type figure struct {
	series, name string
	accuracy     measure.Number // a share
	promise      *PublishedPromise
}

// The series of figures.
const (
	inPaper  = "figure of the paper"
	ourRerun = "ours, as published"
	ourTruth = "ours, honest"
)

// dot places a figure at its true ε, with a hollow mark at the claimed one if that
// is less.
func (f figure) dot() page.Dot {
	d := page.Dot{
		X: float64(f.promise.True), Y: float64(f.accuracy), Low: math.NaN(), High: math.NaN(),
		Tip: fmt.Sprintf("%s, %s: %s at a true ε of %s", f.series, f.name, roughly(f.accuracy), epsilonText(f.promise.True)),
	}
	if !f.honest() {
		claimed := float64(f.promise.Claimed)
		d.Hollow, d.Tip = &claimed, d.Tip+", claimed "+epsilonText(f.promise.Claimed)
	}
	return d
}

func (f figure) honest() bool {
	return !(float64(f.promise.True) > float64(f.promise.Claimed)*(1+1e-6))
}

// figuresOf lists the accuracies of a table's rows on one task whose ε can stand
// on one axis: text-level ones without δ.
func figuresOf(t *PublishedTable, on *PublishedTask) []figure {
	var all []figure
	for _, r := range t.Rows {
		if !sameTable(r.Task, on) {
			continue
		}
		add := func(series string, p *PublishedPromise, percent measure.Number) {
			if p != nil && p.Unit == dp.Text && p.Delta == 0 && p.True >= 0 && p.Claimed >= 0 && finite(float64(percent)) {
				all = append(all, figure{series, nameText(join(r.Name, r.Setting)), percent / 100, p})
			}
		}
		for _, c := range r.Cells {
			if c.Metric != "accuracy" || c.Unit != "%" {
				continue
			}
			add(inPaper, r.AsPublished, c.Published.Mean)
			if c.AsPublished != nil {
				add(ourRerun, r.AsPublished, c.AsPublished.Mean)
			}
			if c.Honest != nil {
				add(ourTruth, r.Honest, c.Honest.Mean)
			}
		}
	}
	return all
}

func sameTable(a, b *PublishedTask) bool {
	return a != nil && b != nil && a.Data == b.Data && a.Label == b.Label && slices.Equal(a.Priors, b.Priors)
}

// tableCharts draws the accuracies of a table against ε, a chart for each task.
func tableCharts(t *PublishedTable) []page.Block {
	var tasks []*PublishedTask
	for _, r := range t.Rows {
		if r.Task != nil && !slices.ContainsFunc(tasks, func(o *PublishedTask) bool { return sameTable(o, r.Task) }) {
			tasks = append(tasks, r.Task)
		}
	}
	var blocks []page.Block
	for _, on := range tasks {
		all := figuresOf(t, on)
		title := fmt.Sprintf("Accuracy against ε, %s: %s on %s", nameText(t.Name), nameText(on.Label), nameText(on.Data))
		p := NewChart(title, page.Plural(len(all), "figure", "figures"), unitText(dp.Text))
		epsilons, accuracies := addFigures(p, all)
		if !ChartFrame(p, epsilons, accuracies, on.Priors, true) {
			continue
		}
		caption := fmt.Sprintf("%s on %s: what the paper printed, what its method gives here, and what is left at an ε that is kept. Filled at the true ε, hollow at the claimed one.", nameText(on.Label), nameText(on.Data))
		blocks = append(blocks, page.Block{Figure: &page.Figure{Caption: caption, Plots: []page.Plot{p}}})
	}
	return blocks
}

// addFigures adds figures to a chart and returns what its axes must hold.
func addFigures(p *page.Chart, all []figure) (epsilons, accuracies []float64) {
	for _, f := range all {
		d := f.dot()
		epsilons, accuracies = append(epsilons, d.X), append(accuracies, d.Y)
		if d.Hollow != nil {
			epsilons, p.Hollow = append(epsilons, *d.Hollow), hollowDot
		}
		put(p, f.series, d, false)
	}
	return epsilons, accuracies
}

// printed lists what papers printed of the data of a task, for its chart and
// table.
func printed(e *evidence.Evidence, r *experiment.Result) []figure {
	var all []figure
	for _, t := range evidence.All[PublishedTable](e) {
		for _, f := range figuresOf(t, &PublishedTask{Data: r.Data.Name, Label: r.Data.Label, Priors: r.Priors}) {
			if f.series == inPaper {
				f.name = nameText(t.Name) + ": " + f.name
				all = append(all, f)
			}
		}
	}
	return all
}

// originRank orders series: published ones, ours, then the others.
func originRank(c *experiment.Configuration) int {
	return slices.Index([]experiment.Origin{experiment.Published, experiment.Ours, ""}, experiment.OriginOf(c.Method))
}

// drawnName names the series of a configuration in a plot of all methods.
func drawnName(c *experiment.Configuration) string {
	if origin := experiment.OriginOf(c.Method); origin != "" {
		return string(origin) + ": " + seriesName(c)
	}
	if c.Statement == nil && c.Mean.True != nil && *c.Mean.True == dp.Infinite {
		return "unprotected: " + seriesName(c)
	}
	return seriesName(c)
}

// byOrigin orders configurations as a plot shows their series.
func byOrigin(group []*experiment.Configuration) []*experiment.Configuration {
	group = slices.Clone(group)
	slices.SortStableFunc(group, func(a, b *experiment.Configuration) int { return cmp.Compare(originRank(a), originRank(b)) })
	return group
}
