package rowfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// Table is a Parquet file that is read row by row, with one page of each column
// in memory.
type Table struct {
	Row int64 // rows read so far

	file    *parquet.File
	in      *faults
	columns []leaf
	group   int   // row group being read; -1 before the first
	end     int   // row group at which reading ends
	left    int64 // rows of it still to come
}

// leaf is a [Column] of whatever type.
type leaf interface {
	open(group int) error
	More() error
	name() string
}

// OpenTable reads the index of a file and shows its columns to choose.
func OpenTable(in *io.SectionReader, choose func(root *parquet.Column)) (*Table, error) {
	t := &Table{in: &faults{ReaderAt: in}, group: -1}
	if err := Footer(t.in, in.Size()); err != nil {
		return nil, cmp.Or(t.in.err, err)
	}
	err := guard(func() (err error) {
		if t.file, err = parquet.OpenFile(t.in, in.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true)); err == nil {
			choose(t.file.Root())
		}
		return err
	})
	if err != nil { // the library's own words may quote what the file holds
		return nil, cmp.Or(t.in.err, ErrDamaged)
	}
	t.end = len(t.file.RowGroups())
	return t, nil
}

// Groups returns how many row groups there are.
func (t *Table) Groups() int { return len(t.file.RowGroups()) }

// Only makes Next read one row group alone, counted from 1, with rows counted as
// if all were read. It must come before the first Next.
func (t *Table) Only(group int) error {
	if group < 1 || group > t.end {
		return fmt.Errorf("row group is %d, must be from 1 to %d", group, t.end)
	}
	t.group, t.end = group-2, group
	for _, g := range t.file.RowGroups()[:group-1] {
		t.Row += g.NumRows()
	}
	return nil
}

// Rows returns how many rows the file promises.
func (t *Table) Rows() (rows int64) {
	for _, g := range t.file.RowGroups() {
		rows += g.NumRows() // the sum in the file's own metadata is wrong at times
	}
	return rows
}

// Next moves to the next row, or returns [io.EOF] after the last. A row group
// must hold exactly as many rows as it promises.
func (t *Table) Next() error {
	for t.left == 0 {
		for _, c := range t.columns {
			switch err := c.More(); {
			case err == nil:
				return t.errorf(c, errors.New("holds more rows than it promises"))
			case !errors.Is(err, io.EOF):
				return t.errorf(c, err)
			}
		}
		if t.group+1 == t.end {
			return io.EOF
		}
		t.group++
		t.left = t.file.RowGroups()[t.group].NumRows()
		for _, c := range t.columns {
			if err := c.open(t.group); err != nil {
				return t.errorf(c, err)
			}
		}
	}
	t.left--
	t.Row++
	return nil
}

// errorf says in which part of the file err happened.
func (t *Table) errorf(c leaf, err error) error {
	if errors.Is(err, io.EOF) {
		err = errors.New("holds fewer rows than it promises")
	}
	return fmt.Errorf("row group %d, column %q: %w", t.group+1, c.name(), cmp.Or(t.in.err, err))
}

// guard runs f, which calls the library, and turns a panic into an error: the
// library panics on some damaged files.
func guard(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = ErrDamaged
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
