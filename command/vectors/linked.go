package vectors

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"sotto/command/term"
	"sotto/data/dataset"
	"sotto/data/own"
	"sotto/data/table"
	"sotto/learn/vectorise"
)

// persons reports whether a guarantee of a person is asked for.
func (o *encodeOptions) persons() bool { return o.person != "" || len(o.linkBy) > 0 }

// refuseLinks refuses what cannot be linked.
func (o *encodeOptions) refuseLinks(fs *pflag.FlagSet) error {
	if len(o.linkBy) == 0 {
		if fs.Changed("link-by") {
			return errors.New("--link-by is empty, must name columns that tell persons apart, such as name,email")
		}
		return term.Refuse(fs, "without --link-by", "link-model")
	}
	if o.maxRows > 0 && o.linkModel == "" {
		return errors.New("--max-rows with --link-by needs --link-model, a model that was not learnt from these rows (sotto link records --save-model, on others): else all rows together decide which of them are left out")
	}
	for k, name := range o.linkBy {
		switch {
		case name == "":
			return errors.New("--link-by has an empty name, must name columns")
		case slices.Contains(o.linkBy[:k], name):
			return fmt.Errorf("--link-by has %q twice, must have it once", name)
		case name == o.person:
			return fmt.Errorf("--link-by has %q, which is --person, must have others: rows of one --person are one already", name)
		}
	}
	if o.in == "-" {
		return errors.New("--in is standard input with --link-by, must be a file: rows are read twice, first to find who is one")
	}
	return nil
}

// linkedRows says whose each row is, in the order of the file.
type linkedRows struct {
	columns []string
	places  []int // of the columns, among those beside the texts
	found   own.Linked
	seed    maphash.Seed
	sums    []uint64 // of what the columns of each row held
	at      int
	names   dataset.Names // of persons who are known
}

// link finds out which rows are of one person, nil if nobody asked.
func (o *encodeOptions) link(ctx context.Context, texts string) (*linkedRows, error) {
	if len(o.linkBy) == 0 {
		return nil, nil //nolint:nilnil // nothing is linked
	}
	if slices.Contains(o.linkBy, texts) {
		return nil, fmt.Errorf("--link-by names the column of the texts, %s, must name others: which rows are one must not depend on a text that is protected", texts)
	}
	columns := o.linkBy
	if o.person != "" {
		columns = append(slices.Clone(columns), o.person)
	}
	in, err := o.OpenDeclared(o.in, nil, o.skipBad, columns...)
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	l := &linkedRows{columns: o.linkBy, seed: maphash.MakeSeed(), names: dataset.Names{Exact: o.exact}}
	for _, name := range o.linkBy {
		l.places = append(l.places, slices.Index(o.beside(), name))
	}
	t := own.Persons{Columns: o.linkBy}
	for {
		if _, next := in.Next(); errors.Is(next, io.EOF) {
			break
		} else if next != nil {
			return nil, next
		}
		if len(t.Rows)%4096 == 4095 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		values := in.Beside()
		fields := make([]string, len(o.linkBy))
		if unfit := l.unfit(values[:len(fields)]); unfit != nil && o.skipBad {
			continue // as it will be when rows are released
		} else if unfit != nil {
			return nil, fmt.Errorf("line %d: %w", in.Line(), unfit)
		}
		for k := range fields {
			fields[k] = strings.Clone(values[k].Text)
		}
		t.Rows = append(t.Rows, fields)
		l.sums = append(l.sums, l.sum(fields))
		if o.person != "" {
			t.Known = append(t.Known, strings.Clone(l.names.Of(values[len(fields)].Text)))
		}
	}
	if l.found, err = own.LinkPersons(ctx, t, []byte(o.linkModel)); err != nil {
		return nil, fmt.Errorf("--link-by: %w", err)
	}
	return l, nil
}

// unfit says that a row cannot be linked, by its columns, in their order; nil if it can.
func (l *linkedRows) unfit(values []table.Value) error {
	for k, v := range values {
		if v.Kind == table.Nested {
			return vectorise.Unfit(fmt.Sprintf("--link-by: column %q holds a list or an object, must hold a value", l.columns[k]))
		}
	}
	return nil
}

// sum knows a row again.
func (l *linkedRows) sum(fields []string) uint64 {
	return maphash.Comparable(l.seed, strings.Join(fields, "\x00"))
}

// errChanged is returned for a file that is not what it was.
var errChanged = errors.New("the file is not what it was when its persons were looked for, must not change while it is read")

// next returns the cluster of the next row, by its columns beside the text.
func (l *linkedRows) next(values []table.Value) (table.Value, error) {
	fields, own := make([]string, len(l.places)), make([]table.Value, len(l.places))
	for k, at := range l.places {
		own[k], fields[k] = values[at], values[at].Text
	}
	if unfit := l.unfit(own); unfit != nil {
		return table.Value{}, unfit
	}
	if l.at >= len(l.sums) || l.sums[l.at] != l.sum(fields) {
		return table.Value{}, errChanged
	}
	l.at++
	return table.Value{Kind: table.String, Text: strconv.Itoa(l.found.Labels[l.at-1])}, nil
}

// end refuses a file that has become shorter.
func (l *linkedRows) end() error {
	if l.at < len(l.sums) {
		return errChanged
	}
	return nil
}
