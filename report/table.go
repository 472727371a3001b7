package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"sotto/compute/measure"
	"sotto/internal/layout"
	"sotto/promise/dp"
)

// This part of the package holds published tables with our numbers beside them. What computes them
// again lies elsewhere.

// PublishedFormat is the format of a stored [Table].
const PublishedFormat = "sotto-table-1"

// PublishedTable is a published table with our numbers beside it, all in the units of
// the publication.
type PublishedTable struct {
	Format string         `json:"format"`
	Name   string         `json:"table"`
	About  string         `json:"about"`
	Paper  string         `json:"paper"`
	Quick  bool           `json:"quick"`
	Spec   string         `json:"spec"` // its hash
	Rows   []PublishedRow `json:"rows"`
	Notes  []string       `json:"notes,omitempty"` // what a reader must know to compare
}

// PublishedRow is a published row.
type PublishedRow struct {
	Name    string         `json:"name"`
	Setting string         `json:"setting,omitempty"`
	Note    string         `json:"note,omitempty"` // how far it can be compared
	Task    *PublishedTask `json:"task,omitempty"` // that ours were measured on; nil of a row without data
	// AsPublished is what is claimed and what is true of our counterpart; nil if
	// nothing is claimed of it. Honest is the same for the variant that keeps the
	// claim; nil where the claim is true, or there is none.
	AsPublished *PublishedPromise `json:"as_published"`
	Honest      *PublishedPromise `json:"honest"`
	Cells       []PublishedCell   `json:"cells"`
}

// PublishedTask is what was to be told of which data.
type PublishedTask struct {
	Data   string    `json:"data"`
	Label  string    `json:"label"`
	Priors []float64 `json:"priors"` // shares of the classes in the test part
}

// PublishedPromise is what a configuration promises.
type PublishedPromise struct {
	Configuration string     `json:"configuration"`
	Claimed       dp.Epsilon `json:"claimed"`
	True          dp.Epsilon `json:"true"`
	Delta         float64    `json:"delta,omitempty"` // of the true guarantee
	Unit          dp.Unit    `json:"unit"`
	// TextLevel is the true ε between any two texts where words were masked, and
	// the others are between texts that differ in one word.
	TextLevel *dp.Epsilon `json:"text_level,omitempty"`
}

// PublishedCell is a published number with ours.
type PublishedCell struct {
	Metric      string          `json:"metric"`
	Unit        string          `json:"unit"` // %, points or kbit
	Published   PublishedNumber `json:"published"`
	AsPublished *PublishedOurs  `json:"as_published"` // nil if nothing was measured
	Honest      *PublishedOurs  `json:"honest"`       // nil where the row has no honest variant
}

// PublishedOurs is our number.
type PublishedOurs struct {
	Mean       measure.Number `json:"mean"`
	Deviation  measure.Number `json:"deviation"`  // over seeds
	Difference measure.Number `json:"difference"` // to the published mean
	Seeds      int            `json:"seeds"`
}

// PublishedNumber is a published number with its deviation, undefined if none was
// published. In JSON it is a number, or a list of both.
type PublishedNumber struct {
	Mean      measure.Number
	Deviation measure.Number
}

// MarshalJSON implements [json.Marshaler].
func (p PublishedNumber) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(p.Deviation)) {
		return json.Marshal(p.Mean)
	}
	return json.Marshal([]measure.Number{p.Mean, p.Deviation})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (p *PublishedNumber) UnmarshalJSON(b []byte) error {
	var mean float64
	if err := json.Unmarshal(b, &mean); err == nil && !bytes.Equal(b, []byte("null")) {
		*p = PublishedNumber{measure.Number(mean), measure.Number(math.NaN())}
		return nil
	}
	var both []*float64
	if err := json.Unmarshal(b, &both); err != nil || len(both) != 2 || both[0] == nil || both[1] == nil {
		return errors.New("published: a published value is neither a number nor a list of mean and deviation")
	}
	*p = PublishedNumber{measure.Number(*both[0]), measure.Number(*both[1])}
	return nil
}

// Print writes the table for a person.
func (t *PublishedTable) Print(w io.Writer) error {
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
func (p *PublishedPromise) render() string {
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

func (o *PublishedOurs) render() string {
	if o == nil {
		return "-"
	}
	return o.Mean.PlusMinus(o.Deviation, "%.2f")
}

func (o *PublishedOurs) off() string {
	if o == nil {
		return "-"
	}
	return o.Difference.Text("%+.2f")
}
