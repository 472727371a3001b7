package declared

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/internal/layout"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// Format is the format of a stored [Table].
const Format = "sotto-table-1"

// Table is a published table with our numbers beside it, all in the units of
// the publication.
type Table struct {
	Format string   `json:"format"`
	Name   string   `json:"table"`
	About  string   `json:"about"`
	Paper  string   `json:"paper"`
	Quick  bool     `json:"quick"`
	Spec   string   `json:"spec"` // its hash
	Rows   []Row    `json:"rows"`
	Notes  []string `json:"notes,omitempty"` // what a reader must know to compare
}

// Row is a published row.
type Row struct {
	Name    string `json:"name"`
	Setting string `json:"setting,omitempty"`
	Note    string `json:"note,omitempty"` // how far it can be compared
	Task    *Task  `json:"task,omitempty"` // that ours were measured on; nil of a row without data
	// AsPublished is what is claimed and what is true of our counterpart; nil if
	// nothing is claimed of it. Honest is the same for the variant that keeps the
	// claim; nil where the claim is true, or there is none.
	AsPublished *Promise `json:"as_published"`
	Honest      *Promise `json:"honest"`
	Cells       []Cell   `json:"cells"`
}

// Task is what was to be told of which data.
type Task struct {
	Data   string    `json:"data"`
	Label  string    `json:"label"`
	Priors []float64 `json:"priors"` // shares of the classes in the test part
}

// Promise is what a configuration promises.
type Promise struct {
	Configuration string     `json:"configuration"`
	Claimed       dp.Epsilon `json:"claimed"`
	True          dp.Epsilon `json:"true"`
	Delta         float64    `json:"delta,omitempty"` // of the true guarantee
	Unit          dp.Unit    `json:"unit"`
	// TextLevel is the true ε between any two texts where words were masked, and
	// the others are between texts that differ in one word.
	TextLevel *dp.Epsilon `json:"text_level,omitempty"`
}

// Cell is a published number with ours.
type Cell struct {
	Metric      string    `json:"metric"`
	Unit        string    `json:"unit"` // %, points or kbit
	Published   Published `json:"published"`
	AsPublished *Ours     `json:"as_published"` // nil if nothing was measured
	Honest      *Ours     `json:"honest"`       // nil where the row has no honest variant
}

// Ours is our number.
type Ours struct {
	Mean       measure.Number `json:"mean"`
	Deviation  measure.Number `json:"deviation"`  // over seeds
	Difference measure.Number `json:"difference"` // to the published mean
	Seeds      int            `json:"seeds"`
}

// note adds what a reader must know, each thing once.
func (t *Table) note(notes ...string) {
	for _, n := range notes {
		if !slices.Contains(t.Notes, n) {
			t.Notes = append(t.Notes, n)
		}
	}
}

// add enters the row of a spec, unless its configuration was not trained.
func (t *Table) add(row SpecRow, out *outcome) {
	honest, asPublished := out.find(row.Match)
	if asPublished == nil {
		return
	}
	r := Row{Name: row.Name, Setting: row.Setting, Note: row.Note, Task: out.task, AsPublished: asPublished.promise, Cells: []Cell{}}
	if honest != nil {
		r.Honest = honest.promise
	}
	if asPublished.falsehood != "" {
		t.note(asPublished.falsehood)
	}
	names := slices.SortedFunc(maps.Keys(row.Published), func(a, b string) int {
		return cmp.Or(findMetric(a)-findMetric(b), strings.Compare(a, b))
	})
	for _, name := range names {
		c := Cell{Metric: name, Unit: metrics()[findMetric(name)].unit, Published: row.Published[name]} // Validate has refused others
		c.AsPublished = asPublished.ours(name, c.Published)
		if honest != nil {
			c.Honest = honest.ours(name, c.Published)
		}
		r.Cells = append(r.Cells, c)
	}
	t.Rows = append(t.Rows, r)
}

// ours summarises what the seeds gave; nil if they gave nothing.
func (f *figures) ours(metric string, p Published) *Ours {
	values := f.values[metric]
	if len(values) == 0 {
		return nil
	}
	s := measure.Summarise(values)
	return &Ours{s.Mean, s.Deviation, s.Mean - p.Mean, len(values)}
}

// wordLevel turns a promise between any two texts into one between texts that
// differ in a word, each of which was masked with the given probability.
func (p *Promise) wordLevel(rate float64) error {
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

// Print writes the table for a person.
func (t *Table) Print(w io.Writer) error {
	b := layout.NewBuffer(w)
	fmt.Fprintf(b, "%s: %s\n%s\n\n", t.Name, t.About, t.Paper)
	table := layout.NewTable(b, "ROW", "SETTING", "METRIC", "PUBLISHED", "OURS, AS PUBLISHED", "OFF BY", "TRUE ε", "OURS, HONEST", "OFF BY", "ε").Spare("OFF BY", "OFF BY")
	for _, r := range t.Rows {
		name, setting := r.Name, r.Setting
		if r.Note != "" {
			name += " (" + r.Note + ")"
		}
		proved, honest := r.AsPublished.render(), r.Honest.render()
		for _, c := range r.Cells {
			table.Cells(
				name, setting, fmt.Sprintf("%s [%s]", c.Metric, c.Unit), c.Published.Mean.PlusMinus(c.Published.Deviation, "%.2f"), c.AsPublished.render(), c.AsPublished.off(),
				proved, c.Honest.render(), c.Honest.off(), honest,
			)
			name, setting, proved, honest = "", "", "", "" // once a row
		}
	}
	table.Flush() //nolint:errcheck // it goes to memory
	if len(t.Notes) > 0 {
		b.WriteByte('\n')
	}
	for _, n := range t.Notes {
		fmt.Fprintf(b, "note: %s\n", n)
	}
	return b.Flush()
}

// render shows the true ε, with a mark where the claim is below it.
func (p *Promise) render() string {
	if p == nil {
		return "-"
	}
	text := p.True.String()
	if p.Delta != 0 {
		text += fmt.Sprintf(", δ = %.4g", p.Delta)
	}
	switch {
	case p.TextLevel != nil:
		text += fmt.Sprintf(" (word; text: %v)", *p.TextLevel)
	case p.Unit != dp.Text:
		text += " (" + string(p.Unit) + ")"
	}
	if float64(p.True) > float64(p.Claimed)*(1+1e-6) {
		text += fmt.Sprintf(", claimed %v", p.Claimed)
	}
	return text
}

func (o *Ours) render() string {
	if o == nil {
		return "-"
	}
	return o.Mean.PlusMinus(o.Deviation, "%.2f")
}

func (o *Ours) off() string {
	if o == nil {
		return "-"
	}
	return o.Difference.Text("%+.2f")
}
