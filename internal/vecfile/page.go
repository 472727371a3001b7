package vecfile

import (
	"errors"
	"io"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

const (
	maxPage       = 256 << 20 // bytes
	maxPageValues = 1 << 24
	maxPageHeader = 64 << 10
)

var (
	errPage      = errors.New("page cannot be decoded")
	errPageLarge = errors.New("page is too large")
)

// pageScan walks over the page headers of a column chunk ahead of the
// library, which would allocate whatever a header claims.
type pageScan struct {
	at     io.ReaderAt
	plain  bool // the chunk is not compressed
	offset int64
	end    int64
	buf    []byte
}

// pageInfo is what a page header says.
type pageInfo struct {
	kind         format.PageType
	compressed   int64
	uncompressed int64
	values       int64
	encoding     format.Encoding
}

// next returns the next data page, or [io.EOF].
func (s *pageScan) next() (pageInfo, error) {
	for s.offset < s.end {
		info, err := s.header()
		if err != nil {
			return info, err
		}
		if info.compressed < 0 || info.compressed > s.end-s.offset || info.uncompressed < 0 || info.values < 0 {
			return info, errPage
		}
		if info.compressed > maxPage || info.uncompressed > maxPage || info.values > maxPageValues {
			return info, errPageLarge
		}
		s.offset += info.compressed
		if info.kind != format.DictionaryPage {
			return info, nil
		}
	}
	return pageInfo{}, io.EOF
}

// header reads a page header and moves behind it.
func (s *pageScan) header() (pageInfo, error) {
	// Almost all headers fit the first size.
	for _, size := range []int64{512, maxPageHeader} {
		size = min(size, s.end-s.offset)
		if int64(len(s.buf)) < size {
			s.buf = make([]byte, size)
		}
		if _, err := s.at.ReadAt(s.buf[:size], s.offset); err != nil {
			return pageInfo{}, err
		}
		var info pageInfo
		w := walker{b: s.buf[:size], visit: info.visit}
		if w.structure() == nil {
			s.offset += int64(w.i)
			return info, nil
		}
	}
	return pageInfo{}, errPage
}

// visit takes the fields wanted, by their numbers in parquet.thrift: 5, 7 and
// 8 hold what is particular to data pages, dictionaries and data pages v2.
func (p *pageInfo) visit(path []int16, v int64) {
	switch {
	case len(path) == 1:
		switch path[0] {
		case 1:
			p.kind = format.PageType(v)
		case 2:
			p.uncompressed = v
		case 3:
			p.compressed = v
		}
	case len(path) != 2 || path[0] != 5 && path[0] != 7 && path[0] != 8:
	case path[1] == 1:
		p.values = v
	case path[1] == 2 && path[0] == 5, path[1] == 4 && path[0] == 8:
		p.encoding = format.Encoding(v)
	}
}

// column reads one leaf column, page by page.
type column struct {
	p      *parquetRows
	leaf   *parquet.Column
	maxDef byte // the definition level of a value that is there
	scan   pageScan
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
	m := &c.p.file.Metadata().RowGroups[g].Columns[c.leaf.Index()].MetaData
	first, n := chunkRange(m)
	c.scan.at, c.scan.plain, c.scan.offset, c.scan.end = c.p.at, m.Codec == format.Uncompressed, first, first+n
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
		info, err := c.scan.next()
		if err != nil {
			return err
		}
		if err := guard(func() error { return c.load(info) }); err != nil {
			return errPage
		}
	}
	return nil
}

// load decodes the next page.
func (c *column) load(info pageInfo) error {
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
	bytes := info.uncompressed
	if c.scan.plain {
		bytes = info.compressed
	}
	if index == nil && info.encoding == format.Plain && size*int64(len(c.vals)) > bytes {
		return errPage
	}
	return c.checkLevels()
}

// checkLevels makes sure that levels and values agree.
func (c *column) checkLevels() error {
	if c.leaf.MaxRepetitionLevel() > 0 && len(c.rep) != len(c.def) {
		return errPage
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
		return errPage
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
			return dst, errPage
		}
		dst = append(dst, float64(table[i]))
	}
	return dst, nil
}
