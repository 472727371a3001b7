package vecfile

import (
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"sotto/internal/parquetcheck"
)

// column reads one leaf column, page by page.
type column struct {
	p      *parquetRows
	leaf   *parquet.Column
	maxDef byte                // the definition level of a value that is there
	heads  *parquetcheck.Pages // ahead of pages
	pages  parquet.Pages
	page   parquet.Page
	vals   []float64 // values of the page that are there
	rep    []byte    // repetition levels; empty without lists
	def    []byte    // definition levels; empty if no value can be missing
	k, v   int       // next level, next value
}

// open moves to row group g.
func (c *column) open(g int) error {
	c.close()
	c.heads = parquetcheck.NewPages(c.p.at, &c.p.file.Metadata().RowGroups[g].Columns[c.leaf.Index()].MetaData)
	return guard(func() error {
		c.pages = c.p.file.RowGroups()[g].ColumnChunks()[c.leaf.Index()].Pages()
		return nil
	})
}

// close releases the pages.
func (c *column) close() {
	// What closing says does not matter: nothing more is read from them.
	_ = guard(func() error {
		parquet.Release(c.page)
		if c.pages != nil {
			return c.pages.Close()
		}
		return nil
	})
	c.page, c.pages, c.vals, c.rep, c.def, c.k, c.v = nil, nil, c.vals[:0], nil, nil, 0, 0
}

// more makes sure that there is a value at hand, or returns [io.EOF] at the
// end of the row group.
func (c *column) more() error {
	for c.k == max(len(c.def), len(c.vals)) {
		head, err := c.heads.Next()
		if err != nil {
			return err
		}
		if err := guard(func() error { return c.load(head) }); err != nil {
			return parquetcheck.ErrPage
		}
	}
	return nil
}

// load decodes the next page.
func (c *column) load(head parquetcheck.Page) error {
	page, err := c.pages.ReadPage()
	if err != nil {
		return err
	}
	parquet.Release(c.page)
	c.page, c.k, c.v = page, 0, 0
	c.rep, c.def = page.RepetitionLevels(), page.DefinitionLevels()
	data := page.Data()
	table, index := data, []int32(nil)
	if dict := page.Dictionary(); dict != nil {
		table, index = dict.Page().Data(), data.Int32()
		if len(index) == 0 {
			index = []int32{}
		}
	}
	size := int64(8)
	if c.leaf.Type().Kind() == parquet.Float {
		size = 4
		c.vals, err = gather(c.vals[:0], table.Float(), index)
	} else {
		c.vals, err = gather(c.vals[:0], table.Double(), index)
	}
	if err != nil {
		return err
	}
	// The library takes a header at its word that there are so many values,
	// and would return what an earlier page left in the buffer.
	if index == nil && head.Encoding == format.Plain && size*int64(len(c.vals)) > head.Bytes {
		return parquetcheck.ErrPage
	}
	return c.checkLevels()
}

// checkLevels makes sure that levels and values agree.
func (c *column) checkLevels() error {
	if c.leaf.MaxRepetitionLevel() > 0 && len(c.rep) != len(c.def) {
		return parquetcheck.ErrPage
	}
	if c.maxDef == 0 {
		return nil
	}
	n := 0
	for _, d := range c.def {
		if d == c.maxDef {
			n++
		}
	}
	if n != len(c.vals) {
		return parquetcheck.ErrPage
	}
	return nil
}

// gather appends the values of table to dst: all of them in order, or, unless
// it is nil, those that index selects.
func gather[T float32 | float64](dst []float64, table []T, index []int32) ([]float64, error) {
	if index == nil {
		for _, v := range table {
			dst = append(dst, float64(v))
		}
		return dst, nil
	}
	for _, i := range index {
		if uint(i) >= uint(len(table)) {
			return dst, parquetcheck.ErrPage
		}
		dst = append(dst, float64(table[i]))
	}
	return dst, nil
}
