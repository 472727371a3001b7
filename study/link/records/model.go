package records

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"sotto/internal/atomicfile"
	"sotto/internal/regular"
)

// This part of the package learns what agreements between two rows say: a logistic model of
// labelled pairs, calibrated on pairs that it was not trained on, or an estimate from
// pairs without a label. It says of each pair what speaks for and against.
//
//	m, err := Fit(columns, pairs, match.Options{})
//	e := m.Explain(x) // terms whose sum is the logit of the probability

// format is the format of a model in a file.
const format = "sotto-link-model-1"

// all is the name of what all columns are together, which is compared like one more of
// them if there are two and more.
const all = "all columns"

// A Model makes a probability of a comparison. It holds no text of any row.
type Model struct {
	Format   string   `json:"format"`
	Columns  []string `json:"columns"`           // that are compared
	Encoder  string   `json:"encoder,omitempty"` // by which rows are compared as a whole
	Features []string `json:"features"`          // what is found in each column, in order
	// Weights are those of the features of each column, and of all columns together if
	// there are two and more. Above zero, a feature speaks for the same.
	Weights  [][]float64 `json:"weights"`
	Constant float64     `json:"constant"`

	Estimated bool `json:"estimated"` // from pairs without a label
	Pairs     int  `json:"pairs"`     // that it was made from
	Same      int  `json:"same"`      // of those, labelled the same
	// Calibration is that of pairs that were not trained on; nil if there were none.
	Calibration *Calibration `json:"calibration,omitempty"`
}

// Width returns how many features a comparison of so many columns has.
func Width(columns int) int {
	if columns > 1 {
		columns++
	}
	return columns * Count
}

// newModel returns a model with these weights, of which the last is the constant.
func newModel(columns []string, weights []float64) *Model {
	m := &Model{Format: format, Columns: slices.Clone(columns), Features: slices.Clone(Names[:]), Constant: weights[len(weights)-1]}
	for at := 0; at < len(weights)-1; at += Count {
		m.Weights = append(m.Weights, slices.Clone(weights[at:at+Count]))
	}
	return m
}

// Validate reports what is wrong with a model, if anything is.
func (m *Model) Validate() error {
	if m.Format != format {
		return fmt.Errorf("match: format is %.40q, must be %s", m.Format, format)
	}
	if len(m.Columns) == 0 || !slices.Equal(m.Features, Names[:]) {
		return errors.New("match: the model has no columns or is of other features than those of this version, must be made anew")
	}
	if len(m.Weights)*Count != Width(len(m.Columns)) {
		return fmt.Errorf("match: weights are for %d columns, must be for the %d that are named and for all together", len(m.Weights), len(m.Columns))
	}
	for _, w := range m.flat() {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return errors.New("match: a weight is not finite, must be")
		}
	}
	for _, w := range m.Weights {
		if len(w) != Count {
			return fmt.Errorf("match: a column has %d weights, must have %d", len(w), Count)
		}
	}
	return nil
}

// Load reads a model from a file.
func Load(path string) (*Model, error) {
	content, err := regular.Read(path, 1<<30)
	if err != nil {
		return nil, err
	}
	m, err := Parse(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// Parse reads a model. A field that is not known is an error.
func Parse(content []byte) (*Model, error) {
	m := new(Model)
	if err := atomicfile.ParseJSON(content, m); err != nil {
		return nil, err
	}
	return m, m.Validate()
}

// Save writes the model to a file, whole or not at all.
func (m *Model) Save(path string) error { return atomicfile.WriteJSON(path, m) }

// Logit returns the logit of the probability that a pair is the same. It panics if x
// is not as long as [Width] says.
func (m *Model) Logit(x []float64) float64 {
	if len(x) != len(m.Weights)*Count {
		panic("match: the comparison has another number of columns than the model")
	}
	sum := m.Constant
	for c, weights := range m.Weights {
		row := x[c*Count:]
		for k, w := range weights {
			if v := row[k]; v != 0 {
				sum += float64(w * v)
			}
		}
	}
	return sum
}

// Probability is that of a logit.
func Probability(logit float64) float64 { return 1 / (1 + math.Exp(-logit)) }

// A Term is what a feature of a comparison adds to the logit.
type term struct {
	Name         string  `json:"name"`  // column: feature
	Value        float64 `json:"value"` // from 0 to 1
	Weight       float64 `json:"weight"`
	Contribution float64 `json:"contribution"` // value times weight; above zero it speaks for the same
}

// An Explanation says why a pair has its probability.
type Explanation struct {
	Probability float64 `json:"probability"`
	Logit       float64 `json:"logit"`    // the sum of the contributions and the constant
	Constant    float64 `json:"constant"` // what is so of every pair
	Terms       []term  `json:"terms"`    // those that are not 0, the strongest first
}

// Explain returns what speaks for and against a pair.
func (m *Model) Explain(x []float64) Explanation {
	e := Explanation{Logit: m.Logit(x), Constant: m.Constant, Terms: []term{}}
	e.Probability = Probability(e.Logit)
	for k, f := range m.Flat() {
		if c := float64(f.Weight * x[k]); c != 0 {
			e.Terms = append(e.Terms, term{Name: f.Name, Value: x[k], Weight: f.Weight, Contribution: c})
		}
	}
	slices.SortStableFunc(e.Terms, func(a, b term) int { return cmp.Compare(math.Abs(b.Contribution), math.Abs(a.Contribution)) })
	return e
}

// Feature is the weight of a comparison: above zero it speaks for the same.
type Feature struct {
	Name   string  `json:"name"`
	Weight float64 `json:"weight"`
}

// Flat lists the features of all columns.
func (m *Model) Flat() []Feature {
	out := make([]Feature, 0, len(m.Weights)*Count)
	for c, weights := range m.Weights {
		name := all
		if c < len(m.Columns) {
			name = m.Columns[c]
		}
		for k, w := range weights {
			out = append(out, Feature{name + ": " + m.Features[k], w})
		}
	}
	return out
}

// flat lists the weights of all columns, the constant last.
func (m *Model) flat() []float64 { return append(slices.Concat(m.Weights...), m.Constant) }
