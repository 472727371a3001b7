package records

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"sotto/data/own"
	"sotto/study/link"
)

// This part of the package finds the rows of a table that are of one person, so that parts and
// guarantees can be those of persons where no column says whose a row is.
//
// Whatever decides, it is an estimate. A person whose rows are not all found lies in
// several clusters; persons who look alike share one. It is told what is in columns
// such as a name or an address, never the text that is released.

// LinkPersons is Find for a program that does not know this package.
func LinkPersons(ctx context.Context, p own.Persons, model []byte) (own.Linked, error) {
	return FindPersons(ctx, PersonsTable(p), PersonsOptions{Model: model})
}

// PersonsTable is rows of which some belong together.
type PersonsTable own.Persons

// PersonsOptions say what decides.
type PersonsOptions struct {
	// Model is the JSON of a model that "sotto link records" saved, of the same columns;
	// empty for what the rows themselves tell.
	Model   []byte
	Workers int // 0 for all cores
}

// FindPersons groups the rows of a table into clusters, one for each person as far as can be
// told: rows that package records joins, that are the same in every column, or that are
// of one known person. Too few rows to compare are joined if they are the same. A row
// with nothing in any column, and of nobody known, is an error: nobody could say whose
// it is.
func FindPersons(ctx context.Context, t PersonsTable, o PersonsOptions) (own.Linked, error) {
	if err := t.validate(); err != nil {
		return own.Linked{}, err
	}
	f := own.Linked{How: own.Estimate}
	all, options := Table{Columns: t.Columns, Rows: t.Rows}, Options{Options: link.Options{Workers: o.Workers, Work: work}}
	if len(o.Model) > 0 {
		m, err := readModel(o.Model)
		if err != nil {
			return own.Linked{}, err
		}
		f.How, options.With = own.Model, m
		if all, err = t.ordered(m.Columns); err != nil {
			return own.Linked{}, err
		}
	}
	equal := t.equal()
	if f.How == own.Estimate && slices.Max(append(equal, 0)) < personsFewest {
		f.How, f.Labels = own.Equal, equal
	} else {
		r, err := Link(ctx, all, options)
		if err != nil {
			return own.Linked{}, fmt.Errorf("persons: %w", err)
		}
		f.Labels = r.Labels
		if f.How == own.Estimate {
			f.Labels = t.held(r.Labels)
		}
	}
	f.Labels = t.join(f.Labels, equal)
	f.Clusters = slices.Max(append(f.Labels, -1)) + 1
	return f, ctx.Err()
}

// work is what a component may cost, as in [link.Options]: about a second. Who is one is
// an estimate, whether or not the division that fits it best is proved.
const work = 50_000_000

// personsFewest is how many different rows an estimate needs.
const personsFewest = 20

// validate refuses tables whose rows nobody could group.
func (t PersonsTable) validate() error {
	if len(t.Columns) == 0 || t.Known != nil && len(t.Known) != len(t.Rows) {
		return errors.New("persons: want at least one column, and a name or nothing for every row")
	}
	nobody := 0
	for i, row := range t.Rows {
		if len(row) != len(t.Columns) {
			return fmt.Errorf("persons: row %d has %d fields, must have %d", i, len(row), len(t.Columns))
		}
		if normal(strings.Join(row, " ")) == "" && (t.Known == nil || t.Known[i] == "") {
			nobody++
		}
	}
	if nobody > 0 {
		return fmt.Errorf("persons: %d of %d rows have nothing in any of the columns %s, must have something that tells whose they are; leave those rows out, or add a column", nobody, len(t.Rows), strings.Join(t.Columns, ", "))
	}
	return nil
}

// readModel reads a model and refuses one that cannot decide here.
func readModel(content []byte) (*Model, error) {
	m, err := Parse(content)
	if err != nil {
		return nil, fmt.Errorf("persons: not a model that links rows: %w", err)
	}
	if m.Encoder != "" {
		return nil, fmt.Errorf("persons: the model compares rows by the encoder %s, must be one without: leave --encoder out when it is made", m.Encoder)
	}
	return m, nil
}

// ordered returns the rows with their columns in the order of a model's.
func (t PersonsTable) ordered(columns []string) (Table, error) {
	places := make([]int, len(columns))
	for c, name := range columns {
		if places[c] = slices.Index(t.Columns, name); places[c] < 0 || len(columns) != len(t.Columns) {
			return Table{}, fmt.Errorf("persons: columns are %s, must be those of the model: %s", strings.Join(t.Columns, ", "), strings.Join(columns, ", "))
		}
	}
	out := Table{Columns: columns}
	for _, row := range t.Rows {
		fields := make([]string, len(places))
		for c, p := range places {
			fields[c] = row[p]
		}
		out.Rows = append(out.Rows, fields)
	}
	return out, nil
}

// equal gives rows the same label that have the same in every column. A row with
// nothing in any is alone.
func (t PersonsTable) equal() []int {
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

// held divides clusters further into rows that equal values of a column connect. What no
// label has taught may take rows for one that are alike in every column and equal in
// none, such as those of colleagues.
func (t PersonsTable) held(labels []int) []int {
	type value struct {
		cluster, column int
		text            string
	}
	first := make(map[value]int)
	var pairs []link.Pair
	for i, row := range t.Rows {
		for c, field := range row {
			if v := (value{labels[i], c, normal(field)}); v.text != "" {
				pairs = connect(pairs, first, v, i)
			}
		}
	}
	return link.Groups(len(labels), pairs)
}

// connect adds the pair of a row and the first that has the same, if there is one.
func connect[K comparable](pairs []link.Pair, first map[K]int, key K, row int) []link.Pair {
	if j, ok := first[key]; ok {
		return append(pairs, link.Pair{j, row})
	}
	first[key] = row
	return pairs
}

// join makes one cluster of those that have rows that are equal, or of one known person.
func (t PersonsTable) join(labels, equal []int) []int {
	one, same, known := make(map[int]int), make(map[int]int), make(map[string]int)
	var pairs []link.Pair
	for i, l := range labels {
		pairs = connect(pairs, one, l, i)
		pairs = connect(pairs, same, equal[i], i)
		if t.Known != nil && t.Known[i] != "" {
			pairs = connect(pairs, known, t.Known[i], i)
		}
	}
	return link.Groups(len(labels), pairs)
}

// normal is a field without what does not tell persons apart.
func normal(field string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(field), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}
