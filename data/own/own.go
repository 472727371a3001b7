// Package own makes a labelled data set of a file of one's own: a column of
// texts, columns of numbers, or both, with labels, attributes, parts and persons
// as a [dataset.Layout] names them.
//
// It refuses, before anything is trained, what cannot become a model: a label
// that is a number, a class with too few rows, parts with unknown names. Errors
// and notes name columns, lines and counts, and quote no text. The path of the
// file is in errors alone: a set does not hold it.
//
// It is not for published data sets, whose names package dataset knows, and the
// parts that it draws are reproducible, so they protect nothing.
//
//	set, err := own.Load(ctx, "reviews.csv", own.Options{
//		Labels: []string{"rating"}, Layout: dataset.Layout{Text: "review"},
//	})
package own

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"sotto/data/dataset"
	"sotto/data/table"
)

// Options say what the columns of a file are.
type Options struct {
	dataset.Layout
	Name   string   // of the set; "" means [Name]
	Labels []string // columns that are to be predicted, the main one first
}

// Name is what a set is called that was given no name.
const Name = "own"

// Check refuses what is wrong whatever a file holds: columns that serve twice.
func (o Options) Check() error {
	seen := map[string]string{}
	for _, c := range o.Columns(o.Labels) {
		before, twice := seen[c.Column]
		// Who wrote a row may be what is to be hidden, or what tells rows apart.
		fits := (c.Role == "person" || c.Role == "link-by") && (before == "attribute" || before == "id")
		if twice && !fits {
			if before == c.Role {
				return fmt.Errorf("own: column %q is named twice as --%s, must be named once", c.Column, c.Role)
			}
			return fmt.Errorf("own: column %q is --%s and --%s, must be one of them", c.Column, before, c.Role)
		}
		seen[c.Column] = c.Role
	}
	if o.MaxRows < 0 || o.MaxRows > 0 && o.Person == "" && len(o.LinkBy) == 0 {
		return fmt.Errorf("own: --max-rows is %d, must be at least 1 and with a --person or --link-by whose rows it bounds", o.MaxRows)
	}
	if o.PersonExact && o.Person == "" {
		return errors.New("own: --person-exact is given without --person, the column whose names it takes as they are, must be with it")
	}
	if o.LinkModel != "" && len(o.LinkBy) == 0 {
		return errors.New("own: --link-model is given without --link-by, the columns that it compares, must be with them")
	}
	return nil
}

// Load reads a file and makes a set of it.
func Load(ctx context.Context, path string, o Options) (*dataset.Set, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	reading, err := table.ParseOptions(o.Format, o.Delimiter, o.Encoding, o.NoHeader)
	if err != nil {
		return nil, err
	}
	r, err := table.Open(path, reading)
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	if err := o.enough(r.Columns()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	b := &builder{options: o, called: dataset.Names{Exact: o.PersonExact}}
	if err := b.link(ctx, path, reading); err != nil {
		return nil, err
	}
	if err := b.bind(r); err != nil {
		return nil, err
	}
	if err := b.read(ctx, r); err != nil {
		return nil, err
	}
	b.set.Notes = append(b.set.Notes, r.Notes()...)
	if err := b.finish(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &b.set, b.set.Validate()
}

// enough refuses options that leave open what is learnt from what, and says which
// columns there are.
func (o Options) enough(columns []string) error {
	missing := ""
	switch {
	case o.Text == "" && len(o.Numbers) == 0:
		missing = "no column of texts is named (--text), nor columns of numbers (--numbers)"
	case len(o.Labels) == 0:
		missing = "no column is named that is to be predicted (--label)"
	default:
		return nil
	}
	return fmt.Errorf("%s; its columns are %s", missing, table.Listed(columns))
}

// builder makes a set, row by row.
type builder struct {
	options Options
	set     dataset.Set

	text, id, split, person int // places of columns; −1 if there is none
	classed                 []*values
	numbers                 []number
	names                   []string         // of the columns that are read
	ids                     map[string]int64 // the line where an id stood first
	repeated                [][2]int64       // lines with the same id
	duplicates              int
	called                  dataset.Names
	persons                 map[string]int
	rowsOf                  []int // of each person
	linked                  []int // whose each row is, if that was found by linking
	seen                    int   // rows so far
	parts                   parts
}

// bind finds the columns, and keeps others from being read.
func (b *builder) bind(r *table.Reader) error {
	o := b.options
	var names []string
	place := func(name string) int {
		if name == "" {
			return -1
		}
		at := slices.Index(names, name)
		if at < 0 {
			names, at = append(names, name), len(names)
		}
		return at
	}
	b.text, b.id, b.split, b.person = place(o.Text), place(o.ID), place(o.Split), place(o.Person)
	for _, name := range slices.Concat(o.Labels, o.Attributes) {
		b.classed = append(b.classed, &values{name: name, at: place(name), known: map[string]int{}})
	}
	for _, name := range o.Numbers {
		b.numbers = append(b.numbers, number{name: name, at: place(name)})
	}
	b.ids, b.persons = map[string]int64{}, map[string]int{}
	b.parts.names = map[string]int{}
	b.names = names
	return r.Select(names...)
}

// read takes all rows.
func (b *builder) read(ctx context.Context, r *table.Reader) error {
	for {
		row, err := r.Next()
		if errors.Is(err, io.EOF) {
			if b.linked != nil && b.seen < len(b.linked) {
				return errors.New("own: the file has fewer rows than when its persons were looked for, must not change while it is read")
			}
			return nil
		}
		if err != nil {
			return err
		}
		if (b.set.Rows+b.set.LeftOut)%4096 == 4095 && ctx.Err() != nil {
			return ctx.Err()
		}
		take, err := b.take(row)
		if err == nil && take {
			b.set.Rows++
			err = b.add(row, r.Line())
		}
		if err != nil {
			return r.Bad(err.Error())
		}
	}
}

// add takes one row, of which nothing but the needed columns is kept.
func (b *builder) add(row []table.Value, line int64) error {
	for k, v := range row {
		if v.Kind == table.Nested {
			return fmt.Errorf("column %q holds a list or an object, must hold one value", b.names[k])
		}
	}
	if b.text >= 0 {
		b.set.Text = append(b.set.Text, strings.Clone(row[b.text].Text))
	}
	for _, c := range b.classed {
		if err := c.add(row[c.at].Text); err != nil {
			return err
		}
	}
	for k := range b.numbers {
		x, err := b.numbers[k].parse(row[b.numbers[k].at].Text)
		if err != nil {
			return err
		}
		b.set.Features = append(b.set.Features, x)
	}
	if b.id >= 0 {
		if err := b.addID(row[b.id].Text, line); err != nil {
			return err
		}
	}
	if b.split >= 0 {
		b.parts.add(row[b.split].Text)
	}
	return nil
}

// take notes whose a row is, and reports whether it takes part: the first rows of
// a person do, whatever they hold.
func (b *builder) take(row []table.Value) (bool, error) {
	who, err := b.who(row)
	if who < 0 || err != nil {
		return err == nil, err
	}
	if most := b.options.MaxRows; most > 0 && b.rowsOf[who] == most {
		b.set.LeftOut++
		return false, nil
	}
	b.rowsOf[who]++
	b.set.Persons = append(b.set.Persons, who)
	return true, nil
}

// who returns whose a row is, -1 if nobody asks.
func (b *builder) who(row []table.Value) (int, error) {
	b.seen++
	switch {
	case b.linked != nil && b.seen > len(b.linked):
		return 0, errors.New("the file has more rows than when its persons were looked for, must not change while it is read")
	case b.linked != nil:
		return b.linked[b.seen-1], nil
	case b.person < 0:
		return -1, nil
	}
	name := b.called.Of(row[b.person].Text)
	if name == "" {
		return 0, fmt.Errorf("column %q of the person is empty, must say whose row it is", b.options.Person)
	}
	who, ok := b.persons[name]
	if !ok {
		who = len(b.persons)
		b.persons[strings.Clone(name)], b.rowsOf = who, append(b.rowsOf, 0)
	}
	return who, nil
}

// addID notes an id, and where it stood before.
func (b *builder) addID(id string, line int64) error {
	if id = strings.TrimSpace(id); id == "" {
		return fmt.Errorf("column %q of the id is empty, must tell the row apart", b.options.ID)
	}
	first, again := b.ids[id]
	if !again {
		b.ids[strings.Clone(id)] = line
		return nil
	}
	b.duplicates++
	if len(b.repeated) < shownLines {
		b.repeated = append(b.repeated, [2]int64{first, line})
	}
	return nil
}

// shownLines is how many places an error names.
const shownLines = 3

// finish makes the columns and the parts, and refuses what no model can be made
// of.
func (b *builder) finish() error {
	s, o := &b.set, b.options
	s.Name, s.Width, s.FeatureNames = cmp.Or(o.Name, Name), len(b.numbers), slices.Clone(o.Numbers)
	if b.duplicates > 0 {
		return b.sameIDs()
	}
	columns := make([]dataset.Column, len(b.classed))
	for k, v := range b.classed {
		c, err := v.column(k < len(o.Labels))
		if err != nil {
			return err
		}
		columns[k] = c
	}
	if len(b.persons) > 0 {
		s.Named = make([]dataset.Digest, len(b.persons))
		for name, who := range b.persons {
			s.Named[who] = dataset.PersonDigest(name)
		}
	}
	labels := len(o.Labels)
	s.Label, s.More, s.Attributes = columns[0], columns[1:labels:labels], columns[labels:]
	if err := b.told(); err != nil {
		return err
	}
	if err := b.divide(); err != nil {
		return err
	}
	if err := b.everywhere(); err != nil {
		return err
	}
	return b.remark()
}

// sameIDs is the error for ids that occur twice.
func (b *builder) sameIDs() error {
	var where []string
	for _, pair := range b.repeated {
		where = append(where, fmt.Sprintf("lines %d and %d", pair[0], pair[1]))
	}
	more := ""
	if left := b.duplicates - len(b.repeated); left > 0 {
		more = fmt.Sprintf(" and %d more", left)
	}
	return fmt.Errorf("column %q has the same id in %s%s, must tell every row apart; leave the repetitions out, or give --person if it says whose row it is", b.options.ID, strings.Join(where, ", "), more)
}

// told refuses an attribute that says the same of every row as a label does.
func (b *builder) told() error {
	for _, label := range slices.Concat([]dataset.Column{b.set.Label}, b.set.More) {
		for _, a := range b.set.Attributes {
			if len(a.Classes) == len(label.Classes) && sameValues(label.IDs, a.IDs) {
				return fmt.Errorf("attribute %q says the same of every row as label %q: what hides one hides the other; choose another column, or --attribute none", a.Name, label.Name)
			}
		}
	}
	return nil
}

// sameValues reports whether each class of x is one class of y and the other way
// round.
func sameValues(x, y []int) bool {
	to, from := map[int]int{}, map[int]int{}
	for i := range x {
		a, seenX := to[x[i]]
		b, seenY := from[y[i]]
		if seenX && a != y[i] || seenY && b != x[i] {
			return false
		}
		to[x[i]], from[y[i]] = y[i], x[i]
	}
	return true
}
