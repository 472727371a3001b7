package table

import (
	"errors"
	"io"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"sotto/data/rowfile"
)

// parquetRows reads columns of Parquet.
type parquetRows struct {
	r       *Reader
	table   *rowfile.Table
	leaves  []*parquet.Column // nil for a column that is nested, or of a type that is not read
	columns []string
	take    []func() (Value, error) // of the columns picked; nil until the first row
}

// newParquet reads the index.
func newParquet(r *Reader) (*parquetRows, error) {
	if r.in.At == nil {
		return nil, r.errorf("it is a stream, must be a file: the index of Parquet is at its end")
	}
	p := &parquetRows{r: r}
	var err error
	p.table, err = rowfile.OpenTable(r.in.At, func(root *parquet.Column) {
		for _, c := range root.Columns() {
			p.columns = append(p.columns, c.Name())
			if !c.Leaf() || c.MaxRepetitionLevel() > 0 || !readable(c.Type()) {
				c = nil
			}
			p.leaves = append(p.leaves, c)
		}
	})
	if err == nil && r.opt.Group > 0 {
		err = p.table.Only(r.opt.Group)
	}
	if err != nil {
		return nil, r.errorf("%w", err)
	}
	return p, nil
}

// Groups returns how many row groups a file of Parquet has: see Options.Group.
func Groups(path string) (int, error) {
	r, err := Open(path, Options{Format: Parquet})
	if err != nil {
		return 0, err
	}
	defer r.Close() //nolint:errcheck // it was only read
	p, ok := r.src.(*parquetRows)
	if !ok {
		return 0, r.errorf("it is not Parquet")
	}
	return p.table.Groups(), nil
}

// readable reports whether values of a type have a plain meaning. Decimals and
// times of day are integers that do not say it.
func readable(t parquet.Type) bool {
	if logical := t.LogicalType(); logical != nil {
		switch logical.Value.(type) {
		case *format.DecimalType, *format.TimeType:
			return false
		}
	}
	switch t.Kind() {
	case parquet.ByteArray, parquet.Int32, parquet.Int64, parquet.Float, parquet.Double, parquet.Boolean:
		return true
	default:
		return false
	}
}

// names implements [source].
func (p *parquetRows) names() []string { return p.columns }

// kind returns what column i holds.
func (p *parquetRows) kind(i int) Kind {
	leaf := p.leaves[i]
	if leaf == nil {
		return Nested
	}
	switch leaf.Type().Kind() {
	case parquet.ByteArray:
		return String
	case parquet.Boolean:
		return Bool
	case parquet.Float, parquet.Double:
		return Number
	default:
		kind, _ := integers(leaf)
		return kind
	}
}

// open opens the columns that are read.
func (p *parquetRows) open() {
	for _, at := range p.r.pick {
		p.take = append(p.take, p.column(p.leaves[at]))
	}
}

// column returns what reads a column.
func (p *parquetRows) column(leaf *parquet.Column) func() (Value, error) {
	if leaf == nil {
		return func() (Value, error) { return Value{Kind: Nested}, nil }
	}
	switch leaf.Type().Kind() {
	case parquet.ByteArray:
		return taker(p.r, rowfile.Texts(p.table, leaf), String, func(s string) string { return s })
	case parquet.Boolean:
		return taker(p.r, rowfile.Bools(p.table, leaf), Bool, strconv.FormatBool)
	case parquet.Float:
		return taker(p.r, rowfile.Floats(p.table, leaf), Number, func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 32) })
	case parquet.Double:
		return taker(p.r, rowfile.Floats(p.table, leaf), Number, func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) })
	default: // readable leaves integers
		kind, render := integers(leaf)
		return taker(p.r, rowfile.Ints(p.table, leaf), kind, render)
	}
}

// taker returns what reads a column of values that render makes text.
func taker[T any](r *Reader, c *rowfile.Column[T], kind Kind, render func(T) string) func() (Value, error) {
	r.in.OnClose(c.Close)
	return func() (Value, error) {
		v, there, err := c.Take()
		if err != nil || !there {
			return Value{}, err
		}
		return Value{Text: render(v), Kind: kind}, nil
	}
}

// next implements [source].
func (p *parquetRows) next(row []Value) (int64, error) {
	if p.take == nil {
		p.open()
	}
	err := p.table.Next()
	for i := 0; i < len(row) && err == nil; i++ {
		row[i], err = p.take[i]()
	}
	at := p.table.Row
	switch {
	case errors.Is(err, io.EOF):
		return at, io.EOF
	case err != nil:
		return at, p.r.errorf("%w", err)
	}
	for _, v := range row {
		if len(v.Text) > maxRow {
			return at, p.r.rowError(at, "the text is too long")
		}
	}
	return at, nil
}
