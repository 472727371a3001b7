package vecfile

import (
	"errors"
	"io"
	"slices"
	"unicode/utf8"
)

// rowReader is a format that is read one row at a time.
type rowReader interface {
	// next returns a row, valid until the next call, and its place. After a
	// *RowError it can be called again.
	next() (row []float64, line int64, err error)
	// ready reports whether next is likely to return without waiting.
	ready() bool
}

// rowSource makes a [source] of a rowReader and holds rows to one width.
type rowSource struct {
	r    *Reader
	rows rowReader
	held []float64 // the first row, read to learn the width
	line int64     // of held
}

// openRows reads the first good row, which fixes the width unless it is
// already known.
func (r *Reader) openRows(rows rowReader) error {
	if r.opt.Declared && r.opt.SkipBad && r.width == 0 {
		return r.errorf("how many numbers a row has is not told, must be where bad rows are left out (--dim): the first row would decide which others are bad")
	}
	s := &rowSource{r: r, rows: rows}
	r.src = s
	for {
		row, line, err := s.take()
		if err == nil {
			r.width, s.held, s.line = len(row), row, line
			return nil
		}
		if errors.Is(err, io.EOF) {
			r.err = err
			return nil
		}
		if err = r.pass(err); err != nil {
			return err
		}
	}
}

// take returns the next row of the right width.
func (s *rowSource) take() ([]float64, int64, error) {
	if row := s.held; row != nil {
		s.held = nil
		return row, s.line, nil
	}
	row, line, err := s.rows.next()
	if err != nil {
		return nil, line, err
	}
	switch want := s.r.width; {
	case len(row) == 0:
		return nil, line, s.r.rowError(line, 0, emptyVector)
	case want != 0 && len(row) != want:
		return nil, line, s.r.rowError(line, 0, wrongWidth(len(row), want))
	}
	return row, line, nil
}

// read implements [source]. It does not wait for more rows once it has one,
// so that rows pass through as they arrive.
func (s *rowSource) read(dst []float64, lines []int64) (int, error) {
	n := 0
	for n < len(lines) && (n == 0 || s.rows.ready()) {
		row, line, err := s.take()
		if err != nil {
			return n, err
		}
		copy(dst[n*s.r.width:], row)
		lines[n] = line
		n++
	}
	return n, nil
}

// dropped collects names of what is left behind. It holds a bounded amount of
// memory whatever the input.
type dropped []string

const (
	maxDropped     = 32
	maxDroppedName = 64
)

func (d *dropped) add(name []byte) {
	if len(name) > maxDroppedName {
		cut := maxDroppedName
		for cut > 0 && !utf8.RuneStart(name[cut]) {
			cut--
		}
		name = append(name[:cut:cut], "…"...)
	}
	if len(*d) < maxDropped && !slices.ContainsFunc(*d, func(s string) bool { return s == string(name) }) {
		*d = append(*d, string(name))
	}
}
