package measure

import (
	"errors"
	"fmt"
	"io"

	"sotto/command/term"
	"sotto/data/table"
)

// columns reads labels, predictions and groups: from the file of predictions, or
// joined with what another file says of the same rows.
func (o *fairnessOptions) columns(stdin io.Reader) (term.Columns, error) {
	if o.in == "" {
		if o.id != "" {
			return nil, errors.New("--id has no meaning without --in")
		}
		return term.OpenColumns(o.predictions, stdin, append([]string{o.label, o.prediction}, o.groups...)...)
	}
	predicted, known := []string{o.prediction}, append([]string{o.label}, o.groups...)
	if o.id != "" {
		predicted, known = append(predicted, o.id), append(known, o.id)
	}
	answers, err := term.OpenColumns(o.predictions, stdin, predicted...)
	if err != nil {
		return nil, err
	}
	facts, err := term.TableColumns(o.in, table.Options{}, known...)
	if err != nil {
		return nil, err
	}
	if o.id == "" {
		if len(answers[0]) != len(facts[0]) {
			return nil, fmt.Errorf("%s has %d rows and %s %d, must have as many, or a column that both share (--id)", o.predictions, len(answers[0]), o.in, len(facts[0]))
		}
	} else if facts, err = o.ordered(facts, answers[1]); err != nil {
		return nil, err
	}
	return append(term.Columns{facts[0], answers[0]}, facts[1:1+len(o.groups)]...), nil
}

// ordered returns the rows of a file in the order of the given ids. Rows that
// nobody predicted are left out.
func (o *fairnessOptions) ordered(facts term.Columns, ids []string) (term.Columns, error) {
	own := facts[len(facts)-1]
	place := make(map[string]int, len(own))
	for i, id := range own {
		if _, twice := place[id]; twice {
			return nil, fmt.Errorf("%s: row %d has the %s of another row, must have its own", o.in, i+1, o.id)
		}
		place[id] = i
	}
	rows := make([]int, len(ids))
	for k, id := range ids {
		i, ok := place[id]
		if !ok {
			return nil, fmt.Errorf("%s: the %s of row %d is none of %s, must be one", o.predictions, o.id, k+1, o.in)
		}
		rows[k] = i
	}
	some := make(term.Columns, len(facts))
	for k, column := range facts {
		for _, i := range rows {
			some[k] = append(some[k], column[i])
		}
	}
	return some, nil
}
