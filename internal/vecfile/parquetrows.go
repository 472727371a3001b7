package vecfile

import (
	"errors"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"

	"sotto/internal/parquetcheck"
)

// parquetRows is what reading lists and reading flat columns have in common.
type parquetRows struct {
	r       *Reader
	at      *faults
	file    *parquet.File
	columns []*column
	group   int   // row group being read; -1 before the first
	left    int64 // rows of it still to come
	row     int64 // rows read so far
	vec     []float64
}

// ready implements [rowReader]: a file never keeps anybody waiting.
func (p *parquetRows) ready() bool { return true }

// close releases the pages of all columns.
func (p *parquetRows) close() error {
	for _, c := range p.columns {
		c.close()
	}
	return nil
}

// begin makes sure that the row group at hand has another row, and moves to
// the next one that has, or returns [io.EOF]. A row group must hold exactly
// as many rows as it promises.
func (p *parquetRows) begin() error {
	for p.left == 0 {
		if p.group >= 0 {
			for _, c := range p.columns {
				switch err := c.more(); {
				case err == nil:
					return p.errorf(c, errors.New("holds more rows than it promises"))
				case !errors.Is(err, io.EOF):
					return p.errorf(c, err)
				}
			}
		}
		p.group++
		if p.group == len(p.file.RowGroups()) {
			p.group--
			return io.EOF
		}
		p.left = p.file.RowGroups()[p.group].NumRows()
		for _, c := range p.columns {
			if err := c.open(p.group); err != nil {
				return p.errorf(c, err)
			}
		}
	}
	p.left--
	p.row++
	return nil
}

// errorf says in which part of the file err happened.
func (p *parquetRows) errorf(c *column, err error) error {
	if errors.Is(err, io.EOF) {
		err = errors.New("holds fewer rows than it promises")
	}
	if p.at.err != nil {
		err = p.at.err
	}
	return p.r.errorf("row group %d, column %q: %w", p.group+1, c.leaf.Path()[0], err)
}

// unfit returns why v cannot be a coordinate, or "".
func unfit(v float64) (reason string) {
	switch {
	case v-v == 0:
		return ""
	case math.IsNaN(v):
		return "NaN"
	}
	return "infinite"
}

// flatRows reads a vector from one row of several columns.
type flatRows struct{ *parquetRows }

// next implements [rowReader].
func (f *flatRows) next() ([]float64, int64, error) {
	if err := f.begin(); err != nil {
		return nil, f.row, err
	}
	f.vec = f.vec[:0]
	var bad *RowError
	for i, c := range f.columns {
		if err := c.more(); err != nil {
			return nil, f.row, f.errorf(c, err)
		}
		v, reason := 0.0, missing
		if len(c.def) == 0 || c.def[c.k] == c.maxDef {
			v = c.vals[c.v]
			c.v++
			reason = unfit(v)
		}
		c.k++
		if reason != "" && bad == nil {
			bad = f.r.rowError(f.row, i+1, reason)
		}
		f.vec = append(f.vec, v)
	}
	if bad != nil {
		return nil, f.row, bad
	}
	return f.vec, f.row, nil
}

// listRows reads a vector from the list in one column.
type listRows struct{ *parquetRows }

// next implements [rowReader]. A row goes on until a value does not repeat it,
// possibly on the next page.
func (l *listRows) next() ([]float64, int64, error) {
	if err := l.begin(); err != nil {
		return nil, l.row, err
	}
	c := l.columns[0]
	l.vec = l.vec[:0]
	var bad *RowError
	for first := true; ; first = false {
		if !first {
			l.run(c)
		}
		err := c.more()
		if errors.Is(err, io.EOF) && !first {
			break
		}
		if err != nil {
			return nil, l.row, l.errorf(c, err)
		}
		if starts := c.rep[c.k] == 0; starts && !first {
			break
		} else if starts != first {
			return nil, l.row, l.errorf(c, parquetcheck.ErrPage)
		}
		if reason := l.append(c); reason != "" && bad == nil {
			bad = l.r.rowError(l.row, len(l.vec)+1, reason)
			if reason == emptyVector || len(l.vec) == maxWidth {
				bad.Column = 0
			}
		}
	}
	if bad != nil {
		return nil, l.row, bad
	}
	return l.vec, l.row, nil
}

// run adds the next values of the page for as long as they repeat the row and
// are fit. It is the fast way through a page, and leaves everything else to
// append.
func (l *listRows) run(c *column) {
	vec, rep, def, vals := l.vec, c.rep[c.k:], c.def[c.k:], c.vals[c.v:]
	n := 0
	for n < len(rep) && n < len(def) && n < len(vals) && rep[n] != 0 && def[n] == c.maxDef && len(vec) < maxWidth {
		v := vals[n]
		if v-v != 0 {
			break
		}
		vec = append(vec, v)
		n++
	}
	l.vec = vec
	c.k, c.v = c.k+n, c.v+n
}

// append adds the value at hand to the vector, unless it is unfit, and moves
// on.
func (l *listRows) append(c *column) (reason string) {
	def := c.def[c.k]
	c.k++
	if def != c.maxDef {
		// The level below the highest is a missing value if values may be
		// missing, and those below are an empty list, or none at all.
		if c.leaf.Optional() && def == c.maxDef-1 {
			return missing
		}
		return emptyVector
	}
	v := c.vals[c.v]
	c.v++
	if reason = unfit(v); reason != "" {
		return reason
	}
	if len(l.vec) == maxWidth {
		return tooWide()
	}
	l.vec = append(l.vec, v)
	return ""
}
