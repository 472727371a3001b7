package records

import (
	"errors"
)

// An Explainer says of any two rows of a table what speaks for and against them, after
// [Link] has divided it.
type Explainer struct {
	e *engine
	m *Model
}

// NewExplainer counts the words of a table whose rows are in memory, for a model that
// compares no rows as a whole.
func NewExplainer(t Table, m *Model) (*Explainer, error) {
	if err := t.Validate(); err != nil {
		return nil, err
	}
	if t.Rows == nil || m.Encoder != "" || len(m.Columns) != len(t.Columns) {
		return nil, errors.New("records: want rows in memory, and a model of their columns without an encoder")
	}
	e := newEngine(t, Options{})
	for _, fields := range t.Rows {
		r := row{}
		for _, text := range fields[:len(t.Columns)] {
			r.values = append(r.values, FieldParse(text, nil))
		}
		if len(r.values) < len(e.counts) {
			r.values = append(r.values, Whole(r.values, nil))
		}
		for c := range r.values {
			e.counts[c].Add(&r.values[c])
		}
	}
	return &Explainer{e, m}, nil
}

// Pair explains two rows, by their numbers. It panics if there are no such rows.
func (x *Explainer) Pair(i, j int) (Explanation, error) {
	features, err := x.e.pair(i, j)
	if err != nil {
		return Explanation{}, err
	}
	return x.m.Explain(features), nil
}
