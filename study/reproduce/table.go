package reproduce

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/report"
)

// note adds what a reader must know, each thing once.
func note(t *report.PublishedTable, notes ...string) {
	for _, n := range notes {
		if !slices.Contains(t.Notes, n) {
			t.Notes = append(t.Notes, n)
		}
	}
}

// add enters the row of a spec, unless its configuration was not trained.
func add(t *report.PublishedTable, row specRow, out *outcome) {
	honest, asPublished := out.find(row.Match)
	if asPublished == nil {
		return
	}
	r := report.PublishedRow{Name: row.Name, Setting: row.Setting, Note: row.Note, Task: out.task, AsPublished: asPublished.promise, Cells: []report.PublishedCell{}}
	if honest != nil {
		r.Honest = honest.promise
	}
	if asPublished.falsehood != "" {
		note(t, asPublished.falsehood)
	}
	names := slices.SortedFunc(maps.Keys(row.Published), func(a, b string) int {
		return cmp.Or(findMetric(a)-findMetric(b), strings.Compare(a, b))
	})
	for _, name := range names {
		c := report.PublishedCell{Metric: name, Unit: metrics()[findMetric(name)].unit, Published: row.Published[name]} // Validate has refused others
		c.AsPublished = asPublished.ours(name, c.Published)
		if honest != nil {
			c.Honest = honest.ours(name, c.Published)
		}
		r.Cells = append(r.Cells, c)
	}
	t.Rows = append(t.Rows, r)
}

// ours summarises what the seeds gave; nil if they gave nothing.
func (f *declaredFigures) ours(metric string, p report.PublishedNumber) *report.PublishedOurs {
	values := f.values[metric]
	if len(values) == 0 {
		return nil
	}
	s := measure.Summarise(values)
	return &report.PublishedOurs{Mean: s.Mean, Deviation: s.Deviation, Difference: s.Mean - p.Mean, Seeds: len(values)}
}

// wordLevel turns a promise between any two texts into one between texts that
// differ in a word, each of which was masked with the given probability.
func wordLevel(p *report.PublishedPromise, rate float64) error {
	proved, err := mech.WordLevel(dp.Guarantee{Epsilon: p.True, Delta: p.Delta, Unit: p.Unit}, rate)
	if err != nil {
		return err
	}
	claimed, err := mech.WordLevel(dp.Guarantee{Epsilon: p.Claimed, Unit: p.Unit}, rate)
	if err != nil {
		return err
	}
	text := p.True
	p.TextLevel, p.Claimed, p.True, p.Delta, p.Unit = &text, claimed.Epsilon, proved.Epsilon, proved.Delta, proved.Unit
	return nil
}
