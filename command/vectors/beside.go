package vectors

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/data/table"
	"sotto/data/textfile"
	"sotto/data/vecfile"
	"sotto/evidence"
	"sotto/learn/model"
	"sotto/learn/vectorise"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/text/encode"
)

// beside lists the columns that are read beside the texts: those that are kept,
// and then those of the persons, of the label and of a model's numbers.
func (o *encodeOptions) beside() []string {
	all := slices.Clone(o.keep)
	for _, name := range slices.Concat([]string{o.person, o.label}, o.numbers, o.linkBy) {
		if name != "" && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}

// assumed says what the guarantee does not cover.
func (o *encodeOptions) assumed(e encode.Source, t *trained) []string {
	var m *model.Model
	if t != nil {
		m = t.Model
	}
	all := model.Uncovered(e, m)
	if len(o.keep) > 0 {
		all = append(all, fmt.Sprintf("kept columns are released as they are, and ε does not cover them: %s", strings.Join(o.keep, ", ")))
	}
	if len(o.linkBy) > 0 && o.maxRows > 0 {
		all = append(all, "the model of --link-model, by which rows are left out, was not learnt from these rows")
	}
	return all
}

// besides is what happens to the columns beside the texts.
type besides struct {
	kept    int // of the columns, the first ones
	person  int // place of its column
	persons *vectorise.Persons
	column  string
	linked  *linkedRows // nil if nothing is linked
	seen    *membership // nil without a model

	label  int // place of its column
	labels []string
	sample *measure.KeptSample // nil if no label is asked for
}

// rows says what happens to the columns beside the texts, and refuses to keep
// the texts.
func (o *encodeOptions) rows(ctx context.Context, in *textfile.Reader) (*besides, error) {
	if slices.Contains(o.keep, in.Column()) {
		return nil, fmt.Errorf("--keep names the column of the texts, %s, must name others: what is kept is released as it is", in.Column())
	}
	for _, name := range o.numbers {
		if name == o.person || slices.Contains(o.linkBy, name) {
			return nil, fmt.Errorf("the model takes numbers from %q, which says whose a row is, too: name another column for one of them, since which rows are one must not depend on what is protected", name)
		}
	}
	b := &besides{kept: len(o.keep), column: o.person}
	if o.persons() {
		b.persons, b.person = vectorise.NewPersons(o.maxRows), slices.Index(o.beside(), o.person)
		b.persons.Names.Exact = o.exact || len(o.linkBy) > 0
	}
	var err error
	if b.linked, err = o.link(ctx, in.Column()); err != nil {
		return nil, err
	}
	if o.label != "" {
		if o.label == in.Column() {
			return nil, fmt.Errorf("--label names the column of the texts, %s, must name another", in.Column())
		}
		b.sample, b.label = measure.NewKeptSample(), slices.Index(o.beside(), o.label)
	}
	return b, nil
}

// written returns what is told of each release, nil if nobody listens: labels wait
// until their row has been released.
func (b *besides) written() func(int64, []float32, []float64) {
	if b.sample == nil {
		return nil
	}
	gone := int64(0) // labels that no longer wait
	return func(place int64, _ []float32, vector []float64) {
		b.sample.Add(b.labels[place-gone], vector)
		b.labels, gone = b.labels[place-gone+1:], place+1
	}
}

// left returns what the releases still tell of the label, or why that is not
// known; neither if nobody asked.
func (b *besides) left(ctx context.Context, o encodeOptions) (*measure.KeptUse, string) {
	if b.sample == nil {
		return nil, ""
	}
	u, err := b.sample.Use(ctx, nn.NewPool(o.workers), o.label)
	if err != nil {
		return nil, strings.TrimPrefix(err.Error(), "kept: ")
	}
	return u, ""
}

// say adds what is told of the rows to whoever releases them.
func (b *besides) say(ctx context.Context, o encodeOptions, m mech.Mechanism, s *encodeSummary) {
	if o.mechanism != "" {
		s.hint = measure.KeptHint(m, "sotto encode")
	}
	s.Left, s.Untold = b.left(ctx, o)
	s.Joined, s.notes = b.joined()
}

// take returns what is asked of each row, nil if there is nothing to ask.
func (b *besides) take() func(string, []table.Value) ([]vecfile.Field, bool, error) {
	if b.kept == 0 && b.persons == nil && b.sample == nil && b.seen == nil {
		return nil
	}
	return func(t string, values []table.Value) ([]vecfile.Field, bool, error) {
		if slices.ContainsFunc(values[:b.kept], func(v table.Value) bool { return v.Kind == table.Nested }) {
			if b.linked != nil { // which counts the rows
				if _, err := b.linked.next(values); err != nil {
					return nil, false, err
				}
			}
			return nil, false, vectorise.Unfit("a kept column holds a list or an object, must hold a value")
		}
		if take, err := b.admit(t, values); !take || err != nil {
			return nil, false, err
		}
		if b.sample != nil {
			b.labels = append(b.labels, values[b.label].Text)
		}
		fields := make([]vecfile.Field, b.kept)
		for i, v := range values[:b.kept] {
			fields[i] = vecfile.Field{Text: v.Text, Bare: v.Kind == table.Number || v.Kind == table.Bool, Missing: v.Kind == table.Missing}
		}
		return fields, true, nil
	}
}

// joined returns how many names of persons were joined, and what to say of it.
func (b *besides) joined() (int, []string) {
	names := &dataset.Names{}
	if b.linked != nil {
		names = &b.linked.names
	} else if b.persons != nil {
		names = &b.persons.Names
	}
	if note := names.Note(b.column); note != "" {
		return names.Joined(), []string{note}
	}
	return 0, nil
}

// admit reports whether a row takes part: by whose it is, and by whether the model was
// trained on it, if that is not to be released.
func (b *besides) admit(t string, values []table.Value) (bool, error) {
	var who table.Value
	var err error
	if b.persons != nil {
		if who, err = b.who(values); err != nil {
			return false, err
		}
	}
	hit := false
	if s := b.seen; s != nil && s.known != nil {
		if hit = s.trainedOn(t, values, who); hit && s.leaveOut {
			s.out++
			return false, nil
		}
	}
	if b.persons != nil {
		if take, err := b.persons.Take(who); !take || err != nil {
			return false, err
		}
	}
	if b.seen != nil && b.seen.known != nil {
		b.seen.released(hit, who)
	}
	return true, nil
}

// who returns whose a row is: as its column says, or as it was linked.
func (b *besides) who(values []table.Value) (table.Value, error) {
	if b.linked != nil {
		return b.linked.next(values)
	}
	return values[b.person], nil
}

// conclude enters into a record what is known of the rows once all are released.
func (b *besides) conclude(record *evidence.Encoded, s *vectorise.Summary) error {
	s.Declined -= b.seen.leftOut()
	r := record.Release
	if r == nil {
		return nil
	}
	record.Uncovered = b.seen.uncovered(s.Rows)
	r.Rows, r.Guarantee.Assumptions = s.Rows, b.seen.assumed(leftOut(r.Guarantee.Assumptions, s.Skipped), record.Uncovered, s.Rows)
	var err error
	record.Person, err = b.promise(r.Guarantee, s.Declined)
	return err
}

// promise returns the guarantee of a person; nil if nobody asked, or nobody has a
// row.
func (b *besides) promise(each dp.Guarantee, leftOut int64) (*dp.Person, error) {
	if b.persons == nil || b.persons.Rows() == 0 {
		return nil, nil //nolint:nilnil // nobody is promised anything
	}
	p, err := dp.PerPerson(each, b.persons.Rows())
	if l := b.linked; l != nil {
		if err = l.end(); err == nil {
			p, err = dp.PerCluster(each, b.persons.Rows(), dp.Linked{Columns: l.columns, By: string(l.found.How), Clusters: l.found.Clusters})
		}
	}
	p.Column, p.LeftOut = b.column, leftOut
	return &p, err
}
