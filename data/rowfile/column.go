package rowfile

import (
	"bytes"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"
)

// Column reads one leaf column of a [Table], page by page.
type Column[T any] struct {
	MaxDef byte   // the definition level of a value that is there
	Vals   []T    // values of the page that are there
	Rep    []byte // their repetition levels; empty without lists
	Def    []byte // definition levels; empty if no value can be missing
	K, V   int    // next level, next value

	t      *Table
	leaf   *parquet.Column
	size   int // bytes that a value has at least; 0 means a bit
	gather func(dst []T, table encoding.Values, index []int32) []T
	heads  *Pages // ahead of pages
	pages  parquet.Pages
	page   parquet.Page
}

// Floats returns the column of a leaf that holds floats of 32 or 64 bits. Whoever
// has it must close it.
func Floats(t *Table, leaf *parquet.Column) *Column[float64] {
	if leaf.Type().Kind() == parquet.Float {
		return newColumn(t, leaf, 4, func(dst []float64, table encoding.Values, index []int32) []float64 {
			return gather(dst, table.Float(), index)
		})
	}
	return newColumn(t, leaf, 8, func(dst []float64, table encoding.Values, index []int32) []float64 {
		return gather(dst, table.Double(), index)
	})
}

// Ints returns the column of a leaf that holds integers of 32 or 64 bits. Whoever
// has it must close it.
func Ints(t *Table, leaf *parquet.Column) *Column[int64] {
	if leaf.Type().Kind() == parquet.Int32 {
		return newColumn(t, leaf, 4, func(dst []int64, table encoding.Values, index []int32) []int64 {
			return gather(dst, table.Int32(), index)
		})
	}
	return newColumn(t, leaf, 8, func(dst []int64, table encoding.Values, index []int32) []int64 {
		return gather(dst, table.Int64(), index)
	})
}

// Bools returns the column of a leaf that holds booleans. Whoever has it must
// close it.
func Bools(t *Table, leaf *parquet.Column) *Column[bool] {
	c := newColumn[bool](t, leaf, 0, nil)
	c.gather = func(dst []bool, table encoding.Values, index []int32) []bool {
		bits := table.Boolean() // of whole bytes, so the page says how many there are
		if index == nil {
			for i := range int(c.page.NumValues() - c.page.NumNulls()) {
				dst = append(dst, bits[i/8]>>(i%8)&1 == 1)
			}
		}
		for _, i := range index {
			dst = append(dst, bits[i/8]>>(i%8)&1 == 1)
		}
		return dst
	}
	return c
}

// Texts returns the column of a leaf that holds strings. Whoever has it must
// close it.
func Texts(t *Table, leaf *parquet.Column) *Column[string] {
	return newColumn(t, leaf, 4, func(dst []string, table encoding.Values, index []int32) []string { // 4: its length
		b, at := table.ByteArray()
		if index == nil {
			for i := range len(at) - 1 {
				dst = append(dst, string(b[at[i]:at[i+1]]))
			}
		}
		for _, i := range index {
			dst = append(dst, string(b[at[i]:at[i+1]]))
		}
		return dst
	})
}

// gather appends the values of table to dst: all of them in order, or, unless
// it is nil, those that index selects. It panics if one of them is not there,
// which guard makes an error.
func gather[To int64 | float64, T int32 | int64 | float32 | float64](dst []To, table []T, index []int32) []To {
	if index == nil {
		for _, v := range table {
			dst = append(dst, To(v))
		}
	}
	for _, i := range index {
		dst = append(dst, To(table[i]))
	}
	return dst
}

func newColumn[T any](t *Table, leaf *parquet.Column, size int, gather func([]T, encoding.Values, []int32) []T) *Column[T] {
	c := &Column[T]{MaxDef: byte(leaf.MaxDefinitionLevel()), t: t, leaf: leaf, size: size, gather: gather, heads: new(Pages)}
	t.columns = append(t.columns, c)
	return c
}

func (c *Column[T]) name() string { return c.leaf.Path()[0] }

// Optional reports whether a value, within its list if it is in one, may be
// missing.
func (c *Column[T]) Optional() bool { return c.leaf.Optional() }

// open moves to row group g.
func (c *Column[T]) open(g int) error {
	c.Close() //nolint:errcheck // it returns none
	c.heads = NewPages(c.t.in, &c.t.file.Metadata().RowGroups[g].Columns[c.leaf.Index()].MetaData)
	return guard(func() error {
		c.pages = c.t.file.RowGroups()[g].ColumnChunks()[c.leaf.Index()].Pages()
		return nil
	})
}

// Close releases the pages. It returns nil.
func (c *Column[T]) Close() error {
	// What closing says does not matter: nothing more is read from them.
	_ = guard(func() error {
		parquet.Release(c.page)
		if c.pages != nil {
			return c.pages.Close()
		}
		return nil
	})
	c.page, c.pages, c.Vals, c.Rep, c.Def, c.K, c.V = nil, nil, c.Vals[:0], nil, nil, 0, 0
	return nil
}

// Take returns the value at hand of a column without lists, unless it is missing,
// and moves on.
func (c *Column[T]) Take() (v T, there bool, err error) {
	if err = c.More(); err != nil {
		return v, false, c.Errorf(err)
	}
	if there = len(c.Def) == 0 || c.Def[c.K] == c.MaxDef; there {
		v = c.Vals[c.V]
		c.V++
	}
	c.K++
	return v, there, nil
}

// Errorf says where err happened, of [Column.More] or [ErrPage].
func (c *Column[T]) Errorf(err error) error { return c.t.errorf(c, err) }

// More makes sure that there is a value at hand, or returns [io.EOF] at the end
// of the row group.
func (c *Column[T]) More() error {
	for c.K == max(len(c.Def), len(c.Vals)) {
		head, err := c.heads.Next()
		if err != nil {
			return err
		}
		if err := guard(func() error { return c.load(head) }); err != nil {
			return ErrPage
		}
	}
	return nil
}

// load decodes the next page.
func (c *Column[T]) load(head Page) error {
	page, err := c.pages.ReadPage()
	if err != nil {
		return err
	}
	parquet.Release(c.page)
	c.page, c.K, c.V = page, 0, 0
	c.Rep, c.Def = page.RepetitionLevels(), page.DefinitionLevels()
	table, index := page.Data(), []int32(nil)
	if dict := page.Dictionary(); dict != nil {
		table, index = dict.Page().Data(), table.Int32()
		if index == nil {
			index = []int32{}
		}
	}
	c.Vals = c.gather(c.Vals[:0], table, index)
	switch {
	// The library takes a header at its word that there are so many values,
	// and would return what an earlier page left in the buffer.
	case index == nil && head.Encoding == format.Plain && max(8*int64(c.size), 1)*int64(len(c.Vals)) > 8*head.Bytes:
		return ErrPage
	// Levels and values must agree.
	case c.leaf.MaxRepetitionLevel() > 0 && len(c.Rep) != len(c.Def):
		return ErrPage
	case c.MaxDef > 0 && bytes.Count(c.Def, []byte{c.MaxDef}) != len(c.Vals):
		return ErrPage
	}
	return nil
}
