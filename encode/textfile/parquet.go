package textfile

import (
	"errors"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"

	"sotto/internal/nearest"
	"sotto/internal/rowfile"
)

// parquetRows reads a column of strings.
type parquetRows struct {
	r     *Reader
	table *rowfile.Table
	texts *rowfile.Column[string]
}

// newParquet reads the index and finds the column.
func newParquet(r *Reader) (*parquetRows, error) {
	if r.in.At == nil {
		return nil, r.errorf("it is a stream, must be a file: the index of Parquet is at its end")
	}
	var names []string // of the columns with a string in each row
	var leaf *parquet.Column
	t, err := rowfile.OpenTable(r.in.At, func(root *parquet.Column) {
		for _, c := range root.Columns() {
			if c.Leaf() && c.Type().Kind() == parquet.ByteArray && c.MaxRepetitionLevel() == 0 {
				names = append(names, c.Name())
				if c.Name() == r.opt.Column || r.opt.Column == "" {
					leaf = c
				}
			}
		}
	})
	switch {
	case err != nil:
		return nil, r.errorf("%w", err)
	case len(names) == 0:
		return nil, r.errorf("it has no column of strings, must have one")
	case leaf == nil:
		return nil, r.errorf("column is %.40q, must be one of %s, the columns of strings%s", r.opt.Column, strings.Join(names, ", "), nearest.Hint(r.opt.Column, names))
	case r.opt.Column == "" && len(names) > 1:
		return nil, r.errorf("it has %d columns of strings, must be told which holds the texts: one of %s", len(names), strings.Join(names, ", "))
	}
	p := &parquetRows{r: r, table: t, texts: rowfile.Texts(t, leaf)}
	r.in.OnClose(p.texts.Close)
	return p, nil
}

// next implements [source].
func (p *parquetRows) next() (string, int64, error) {
	var text string
	there := false
	err := p.table.Next()
	if err == nil {
		text, there, err = p.texts.Take()
	}
	row := p.table.Row
	switch {
	case errors.Is(err, io.EOF):
		return "", row, io.EOF
	case err != nil:
		return "", row, p.r.errorf("%w", err)
	case !there:
		return "", row, p.r.rowError(row, "the text is missing")
	case len(text) > maxText:
		return "", row, p.r.rowError(row, "the text is too long")
	}
	return text, row, nil
}
