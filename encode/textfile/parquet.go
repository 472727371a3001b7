package textfile

import (
	"errors"
	"io"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"sotto/internal/parquetcheck"
)

var errDamaged = errors.New("it is no Parquet file, or damaged")

// parquetRows reads a column of strings, page by page.
type parquetRows struct {
	r      *Reader
	in     io.ReaderAt
	file   *parquet.File
	leaf   *parquet.Column
	heads  *parquetcheck.Pages // ahead of pages
	group  int                 // the next row group
	left   int64               // rows of the one at hand still to come
	row    int64               // rows read so far
	pages  parquet.Pages
	page   parquet.Page
	values parquet.ValueReader // of page
	buf    [128]parquet.Value
	at, n  int // next of buf, and how many it holds
}

// sized is an input that can be read anywhere.
type sized interface {
	io.ReaderAt
	Size() int64
}

// newParquet reads the index and finds the column.
func newParquet(r *Reader, in io.Reader) (*parquetRows, error) {
	p := &parquetRows{r: r}
	var at io.ReaderAt
	size := int64(0)
	switch in := in.(type) {
	case *os.File:
		info, err := in.Stat()
		if err != nil {
			return nil, r.errorf("%w", err)
		}
		if !info.Mode().IsRegular() {
			return nil, r.errorf("it is a stream, must be a file: the index of Parquet is at its end")
		}
		at, size = in, info.Size()
	case sized:
		at, size = in, in.Size()
	default:
		return nil, r.errorf("it is a stream, must be a file: the index of Parquet is at its end")
	}
	if err := parquetcheck.Footer(at, size); err != nil {
		return nil, r.errorf("%w", err)
	}
	p.in = at
	err := guard(func() (err error) {
		p.file, err = parquet.OpenFile(at, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		return err
	})
	if err == nil {
		err = guard(p.choose)
	}
	if errors.Is(err, io.EOF) { // in the middle of it
		err = errDamaged
	}
	if err != nil {
		return nil, r.errorf("%w", err)
	}
	if p.leaf != nil {
		return p, nil
	}
	if len(p.names()) == 0 {
		return nil, r.errorf("it has no column of strings, must have one")
	}
	if r.opt.Column != "" {
		return nil, r.errorf("column is %.40q, must be one of %s, the columns of strings", r.opt.Column, strings.Join(p.names(), ", "))
	}
	return nil, r.errorf("it has %d columns of strings, must be told which holds the texts: one of %s", len(p.names()), strings.Join(p.names(), ", "))
}

// stringColumns returns the columns that hold a string in each row.
func (p *parquetRows) stringColumns() []*parquet.Column {
	var all []*parquet.Column
	for _, c := range p.file.Root().Columns() {
		if c.Leaf() && c.Type().Kind() == parquet.ByteArray && c.MaxRepetitionLevel() == 0 {
			all = append(all, c)
		}
	}
	return all
}

// choose finds the column, if it can.
func (p *parquetRows) choose() error {
	all := p.stringColumns()
	for _, c := range all {
		if c.Name() == p.r.opt.Column || p.r.opt.Column == "" && len(all) == 1 {
			p.leaf = c
		}
	}
	return nil
}

// names lists the columns of strings.
func (p *parquetRows) names() []string {
	var names []string
	for _, c := range p.stringColumns() {
		names = append(names, c.Name())
	}
	return names
}

// next implements [source].
func (p *parquetRows) next() (string, int64, error) {
	for p.at == p.n {
		err := guard(p.more)
		if errors.Is(err, io.EOF) {
			return "", p.row, io.EOF
		}
		if err != nil {
			return "", p.row, p.r.errorf("after row %d: %w", p.row, err)
		}
	}
	v := p.buf[p.at]
	p.at++
	p.row++
	if v.IsNull() {
		return "", p.row, p.r.rowError(p.row, "the text is missing")
	}
	if len(v.ByteArray()) > maxText {
		return "", p.row, p.r.rowError(p.row, "the text is too long")
	}
	return string(v.ByteArray()), p.row, nil
}

// more fills buf, maybe with nothing, or returns [io.EOF] at the end.
func (p *parquetRows) more() error {
	switch {
	case p.values != nil:
		return p.fill()
	case p.pages == nil && p.group == len(p.file.RowGroups()):
		return io.EOF
	case p.pages == nil:
		g := p.file.RowGroups()[p.group]
		p.heads = parquetcheck.NewPages(p.in, &p.file.Metadata().RowGroups[p.group].Columns[p.leaf.Index()].MetaData)
		p.group++
		p.left = g.NumRows()
		p.pages = g.ColumnChunks()[p.leaf.Index()].Pages()
		return nil
	}
	parquet.Release(p.page) // its texts have been copied
	p.page = nil
	head, err := p.heads.Next()
	if errors.Is(err, io.EOF) {
		return p.endGroup()
	}
	if err != nil {
		return err
	}
	if p.leaf.MaxDefinitionLevel() == 0 && head.Encoding == format.Plain && 4*head.Values > head.Bytes {
		return errDamaged // a string has at least its length
	}
	if p.page, err = p.pages.ReadPage(); err != nil {
		return errDamaged
	}
	p.values = p.page.Values()
	return nil
}

// endGroup leaves a row group, which must have held as many rows as it promised.
func (p *parquetRows) endGroup() error {
	if p.left != 0 {
		return errDamaged
	}
	err := p.pages.Close()
	p.pages = nil
	return err
}

// fill takes the next values of the page at hand.
func (p *parquetRows) fill() error {
	n, err := p.values.ReadValues(p.buf[:])
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if errors.Is(err, io.EOF) || n == 0 {
		p.values = nil // the page stays until buf, which refers to it, is used up
	}
	p.at, p.n = 0, n
	if p.left -= int64(n); p.left < 0 {
		return errDamaged
	}
	return nil
}

func (p *parquetRows) close() error {
	if p.pages == nil {
		return nil
	}
	pages := p.pages
	p.pages = nil
	return guard(pages.Close)
}

// guard runs f, which calls the library, and turns a panic or an error of it
// into one that quotes nothing: the library panics on some damaged files.
func guard(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errDamaged
		}
	}()
	err = f()
	var device *os.PathError
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, parquetcheck.ErrLarge) || errors.As(err, &device) {
		return err
	}
	return errDamaged
}
