// Package persons finds the rows of a table that are of one person, so that parts and
// guarantees can be those of persons where no column says whose a row is.
//
// Whatever decides, it is an estimate. A person whose rows are not all found lies in
// several clusters; persons who look alike share one. It is told what is in columns
// such as a name or an address, never the text that is released.
package persons

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"sotto/link"
)

// Table is rows of which some belong together.
type Table struct {
	Columns []string   // by which rows are linked
	Rows    [][]string // the fields of those columns
	// Known, if not nil, names whose each row is as far as that is known: rows with the
	// same name are of one person for certain, and "" says nothing.
	Known []string
}

// How is what decided which rows are of one person.
type How string

// What can decide.
const (
	Equal How = "equality" // the same in every column, but for case, spaces and punctuation
)

// Found are clusters of rows.
type Found struct {
	Labels   []int // the cluster of each row, numbered from 0 in the order in which they appear
	Clusters int
	How      How
}

// Options say what decides.
type Options struct {
	Model []byte // that "sotto link records" saved; empty for what the rows themselves tell
}

// Find groups the rows of a table into clusters, one for each person as far as can be
// told. A row with nothing in any column, and of nobody known, is an error: nobody
// could say whose it is.
func Find(ctx context.Context, t Table, o Options) (Found, error) {
	if len(t.Columns) == 0 || t.Known != nil && len(t.Known) != len(t.Rows) {
		return Found{}, errors.New("persons: want at least one column, and a name or nothing for every row")
	}
	nobody := 0
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return Found{}, fmt.Errorf("persons: row %d has %d fields, must have %d", i, len(row), len(t.Columns))
		}
		if normal(strings.Join(row, " ")) == "" && (t.Known == nil || t.Known[i] == "") {
			nobody++
		}
	}
	if nobody > 0 {
		return Found{}, fmt.Errorf("persons: %d of %d rows have nothing in any of the columns %s, must have something that tells whose they are; leave those rows out, or add a column", nobody, len(t.Rows), strings.Join(t.Columns, ", "))
	}
	if len(o.Model) > 0 {
		return Found{}, errors.New("persons: a model is given, which cannot be used yet")
	}
	f := Found{How: Equal, Labels: t.equal()}
	f.Labels = t.join(f.Labels)
	for _, l := range f.Labels {
		f.Clusters = max(f.Clusters, l+1)
	}
	return f, ctx.Err()
}

// equal gives rows the same label that have the same in every column. A row with
// nothing in any is alone.
func (t Table) equal() []int {
	seen := make(map[string]int)
	labels := make([]int, len(t.Rows))
	for i, row := range t.Rows {
		key := make([]string, len(row))
		for c, field := range row {
			key[c] = normal(field)
		}
		whole := strings.Join(key, "\x00")
		first, ok := seen[whole]
		if !ok || strings.Trim(whole, "\x00") == "" {
			first = i
			seen[whole] = i
		}
		labels[i] = first
	}
	return link.Canonical(labels)
}

// join makes one cluster of those that have rows of one known person.
func (t Table) join(labels []int) []int {
	if t.Known == nil {
		return labels
	}
	to := make([]int, len(labels)) // a label, or the one that it has become
	for i := range to {
		to[i] = i
	}
	root := func(l int) int {
		for to[l] != l {
			to[l] = to[to[l]]
			l = to[l]
		}
		return l
	}
	first := make(map[string]int)
	for i, name := range t.Known {
		if name == "" {
			continue
		}
		l, ok := first[name]
		if !ok {
			first[name] = labels[i]
			continue
		}
		a, b := root(l), root(labels[i])
		to[max(a, b)] = min(a, b)
	}
	out := make([]int, len(labels))
	for i, l := range labels {
		out[i] = root(l)
	}
	return link.Canonical(out)
}

// normal is a field without what does not tell persons apart.
func normal(field string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(field), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}
