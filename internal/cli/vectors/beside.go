package vectors

import (
	"fmt"
	"slices"
	"strings"

	"sotto/dataset/table"
	"sotto/dp"
	"sotto/encode/textfile"
	"sotto/internal/vecfile"
	"sotto/internal/vectorise"
)

// beside lists the columns that are read beside the texts: those that are kept,
// and then that of the persons.
func (o *encodeOptions) beside() []string {
	if o.person == "" || slices.Contains(o.keep, o.person) {
		return o.keep
	}
	return append(slices.Clone(o.keep), o.person)
}

// assumed says what the guarantee does not cover.
func (o *encodeOptions) assumed(t *trained) []string {
	var all []string
	if t != nil {
		all = append(all, t.model.Coverage())
	}
	if len(o.keep) > 0 {
		all = append(all, fmt.Sprintf("kept columns are released as they are, and ε does not cover them: %s", strings.Join(o.keep, ", ")))
	}
	return all
}

// besides is what happens to the columns beside the texts.
type besides struct {
	kept    int // of the columns, the first ones
	person  int // place of its column
	persons *vectorise.Persons
	column  string
}

// rows says what happens to the columns beside the texts, and refuses to keep
// the texts.
func (o *encodeOptions) rows(in *textfile.Reader) (*besides, error) {
	if slices.Contains(o.keep, in.Column()) {
		return nil, fmt.Errorf("--keep names the column of the texts, %s, must name others: what is kept is released as it is", in.Column())
	}
	b := &besides{kept: len(o.keep), column: o.person}
	if o.person != "" {
		b.persons, b.person = vectorise.NewPersons(o.maxRows), slices.Index(o.beside(), o.person)
	}
	return b, nil
}

// take returns what is asked of each row, nil if there is nothing to ask.
func (b *besides) take() func([]table.Value) ([]vecfile.Field, bool, error) {
	if b.kept == 0 && b.persons == nil {
		return nil
	}
	return func(values []table.Value) ([]vecfile.Field, bool, error) {
		if b.persons != nil {
			if take, err := b.persons.Take(values[b.person]); !take || err != nil {
				return nil, false, err
			}
		}
		fields := make([]vecfile.Field, b.kept)
		for i, v := range values[:b.kept] {
			fields[i] = vecfile.Field{Text: v.Text, Bare: v.Kind == table.Number || v.Kind == table.Bool, Missing: v.Kind == table.Missing}
			if v.Kind == table.Nested {
				return nil, false, fmt.Errorf("a kept column holds a list or an object, must hold a value")
			}
		}
		return fields, true, nil
	}
}

// promise returns the guarantee of a person; nil if nobody asked, or nobody has a
// row.
func (b *besides) promise(each dp.Guarantee, leftOut int64) (*dp.Person, error) {
	if b.persons == nil || b.persons.Rows() == 0 {
		return nil, nil //nolint:nilnil // nobody is promised anything
	}
	p, err := dp.PerPerson(each, b.persons.Rows())
	p.Column, p.LeftOut = b.column, leftOut
	return &p, err
}
