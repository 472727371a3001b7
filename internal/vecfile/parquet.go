package vecfile

import (
	"errors"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"

	"sotto/internal/parquetcheck"
)

// openParquet chooses the columns that make up the vectors.
func (r *Reader) openParquet() error {
	if err := r.in.spool(); err != nil {
		return err
	}
	at := &faults{ReaderAt: r.in.at}
	if err := parquetcheck.Footer(at, r.in.at.Size()); err != nil {
		return r.parquetError(at, err)
	}
	var file *parquet.File
	err := guard(func() (err error) {
		file, err = parquet.OpenFile(at, r.in.at.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		return err
	})
	if err != nil {
		return r.parquetError(at, parquetcheck.ErrDamaged)
	}
	p := &parquetRows{r: r, at: at, file: file, group: -1}
	r.in.closers = append(r.in.closers, p.close)
	var lists, flat []*parquet.Column
	if err = guard(func() error { lists, flat = vectorColumns(file.Root()); return nil }); err != nil {
		return r.parquetError(at, parquetcheck.ErrDamaged)
	}
	chosen, err := r.chooseColumns(lists, flat)
	if err != nil {
		return err
	}
	r.rows, r.single = 0, true
	for _, g := range file.RowGroups() {
		r.rows += g.NumRows() // the sum in the file's own metadata is wrong at times
	}
	kept := make(map[string]bool, len(chosen))
	for _, c := range chosen {
		leaf := leaves(c, nil)[0]
		r.single = r.single && leaf.Type().Kind() == parquet.Float
		p.columns = append(p.columns, &column{p: p, leaf: leaf, maxDef: byte(leaf.MaxDefinitionLevel())})
		kept[c.Name()] = true
	}
	for _, c := range file.Root().Columns() {
		if !kept[c.Name()] {
			r.dropped.add([]byte(c.Name()))
		}
	}
	if len(lists) > 0 {
		return r.openRows(&listRows{parquetRows: p})
	}
	if err := r.setWidth(len(chosen)); err != nil {
		return err
	}
	return r.openRows(&flatRows{parquetRows: p})
}

// vectorColumns returns the columns that hold a vector each and those that
// hold a coordinate each.
func vectorColumns(root *parquet.Column) (lists, flat []*parquet.Column) {
	for _, c := range root.Columns() {
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
		return nil, r.errorf("column is %q, must be one of %s, the lists of floats", r.opt.Column, strings.Join(names, ", "))
	case len(lists) > 1:
		return nil, r.errorf("has %d columns with lists of floats, must be told which: one of %s", len(lists), strings.Join(names, ", "))
	case len(lists) == 1:
		return lists, nil
	case len(flat) == 0:
		return nil, r.errorf("has no column of floats and none with lists of them")
	}
	return flat, nil
}

// guard runs f, which calls the library, and turns a panic into an error: the
// library panics on some damaged files.
func guard(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = parquetcheck.ErrDamaged
		}
	}()
	return f()
}

// faults remembers the first error of a device, so that it can be told from
// damage in what was read.
type faults struct {
	io.ReaderAt
	err error
}

// ReadAt implements [io.ReaderAt].
func (f *faults) ReadAt(b []byte, off int64) (int, error) {
	n, err := f.ReaderAt.ReadAt(b, off)
	if err != nil && !errors.Is(err, io.EOF) && f.err == nil {
		f.err = err
	}
	return n, err
}

// parquetError reports what the device said, or else err. The library's own
// words are not used: they may quote what the file holds.
func (r *Reader) parquetError(at *faults, err error) error {
	if at.err != nil {
		err = at.err
	}
	return r.errorf("%w", err)
}
