package vecfile

import (
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"sotto/data/rowfile"
	"sotto/internal/layout"
)

// openParquet chooses the columns that make up the vectors.
func (r *Reader) openParquet() error {
	if err := r.in.Spool(); err != nil {
		return r.wrap(err)
	}
	var all, lists, flat []*parquet.Column
	t, err := rowfile.OpenTable(r.in.At, func(root *parquet.Column) {
		all = root.Columns()
		lists, flat = vectorColumns(all)
	})
	if err != nil {
		return r.wrap(err)
	}
	chosen, err := r.chooseColumns(lists, flat)
	if err != nil {
		return err
	}
	r.rows, r.single = t.Rows(), true
	columns := make([]*rowfile.Column[float64], len(chosen))
	for i, c := range chosen {
		leaf := leaves(c, nil)[0]
		r.single = r.single && leaf.Type().Kind() == parquet.Float
		columns[i] = rowfile.Floats(t, leaf)
		r.in.OnClose(columns[i].Close)
	}
	for _, c := range all {
		if !slices.Contains(chosen, c) {
			r.dropped.add([]byte(c.Name()))
		}
	}
	if len(lists) > 0 {
		return r.openRows(&listRows{r: r, t: t, c: columns[0]})
	}
	if err := r.setWidth(len(chosen)); err != nil {
		return err
	}
	return r.openRows(&flatRows{r: r, t: t, columns: columns})
}

// vectorColumns returns the columns that hold a vector each and those that
// hold a coordinate each.
func vectorColumns(all []*parquet.Column) (lists, flat []*parquet.Column) {
	for _, c := range all {
		l := leaves(c, nil)
		if len(l) != 1 {
			continue
		}
		if kind := l[0].Type().Kind(); kind != parquet.Float && kind != parquet.Double {
			continue
		}
		switch {
		case l[0].MaxRepetitionLevel() == 1:
			lists = append(lists, c)
		case c.Leaf():
			flat = append(flat, c)
		}
	}
	return lists, flat
}

// leaves appends the columns below c that hold values.
func leaves(c *parquet.Column, to []*parquet.Column) []*parquet.Column {
	if c.Leaf() {
		return append(to, c)
	}
	for _, child := range c.Columns() {
		to = leaves(child, to)
	}
	return to
}

func (r *Reader) chooseColumns(lists, flat []*parquet.Column) ([]*parquet.Column, error) {
	names := make([]string, len(lists))
	for i, c := range lists {
		if names[i] = c.Name(); c.Name() == r.opt.Column {
			return lists[i : i+1], nil
		}
	}
	switch {
	case r.opt.Column != "" && len(lists) == 0:
		return nil, r.errorf("column is %q, must be a list of floats, of which there is none", r.opt.Column)
	case r.opt.Column != "":
		return nil, r.errorf("column is %q, must be one of %s, the lists of floats%s", r.opt.Column, strings.Join(names, ", "), layout.Hint(r.opt.Column, names))
	case len(lists) > 1:
		return nil, r.errorf("has %d columns with lists of floats, must be told which: one of %s", len(lists), strings.Join(names, ", "))
	case len(lists) == 1:
		return lists, nil
	case len(flat) == 0:
		return nil, r.errorf("has no column of floats and none with lists of them")
	}
	return flat, nil
}
