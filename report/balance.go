package report

import (
	"strconv"

	"sotto/compute/measure"
	"sotto/evidence/page"
	"sotto/learn/experiment"
)

// balanceTable tells how configurations do when all classes count alike, and the
// recall of each class of the selected ones.
func balanceTable(r *experiment.Result, all []*experiment.Configuration) *page.Table {
	t := &page.Table{
		Caption: "All classes counting alike, " + taskName(r) + ": balanced accuracy is the mean recall, the share of a class that is told",
		Head:    page.Heads("configuration", "label", "class", "#rows", "#macro-F1", "#balanced accuracy", "#recall"),
	}
	for _, c := range all {
		labels := c.Mean.Labels
		if len(labels) == 0 {
			labels = []experiment.LabelScore{{Name: r.Data.Label, Balance: c.Mean.Balance}}
		}
		for _, l := range labels {
			if l.Balance == nil {
				continue
			}
			b := l.Balance
			least := t.Add(configurationName(c), nameText(l.Name), "all", none, ended(b.MacroF1, b.MacroF1Low, b.MacroF1High),
				ended(b.Balanced, b.BalancedLow, b.BalancedHigh), "at least "+orNone(percent, b.Least))
			if b.Vanished > 0 {
				least[len(least)-1].Tone = page.Bad
			}
			if !c.Selected {
				continue
			}
			for _, recall := range b.Recalls {
				row := t.Add(configurationName(c), nameText(l.Name), nameText(recall.Class), strconv.Itoa(recall.Rows), none, none, ended(recall.Value, recall.Low, recall.High))
				if recall.Value == 0 {
					row[len(row)-1].Tone = page.Bad
				}
			}
		}
	}
	t.Folded = len(t.Rows) > foldRows
	return t
}

// ended renders a share with its interval, where there is one.
func ended(v, low, high measure.Number) string {
	if !finite(float64(low)) || !finite(float64(high)) {
		return orNone(percent, v)
	}
	return orNone(percent, v) + " (" + between(float64(low), float64(high)) + ")"
}
