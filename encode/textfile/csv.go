package textfile

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"sotto/internal/nearest"
)

// csvRows reads a column of comma separated fields.
type csvRows struct {
	r      *Reader
	in     *csv.Reader
	limit  *limiter
	column int // from 0
	fields int // of each row; 0 until the first
}

// newCSV reads the header, if there is one, and finds the column.
func newCSV(r *Reader) (*csvRows, error) {
	limit := &limiter{in: withoutMark(r.in)}
	c := &csvRows{r: r, in: csv.NewReader(limit), limit: limit}
	c.in.FieldsPerRecord, c.in.ReuseRecord = -1, true
	if r.opt.NoHeader {
		return c, c.number()
	}
	names, line, err := c.record()
	if errors.Is(err, io.EOF) {
		return nil, r.errorf("it is empty, must begin with a line of names")
	}
	if err != nil {
		return nil, err
	}
	c.fields, c.column = len(names), -1
	for i, name := range names {
		if name != r.opt.Column && (r.opt.Column != "" || len(names) > 1) {
			continue
		}
		if c.column >= 0 {
			return nil, r.rowError(line, fmt.Sprintf("the column %.40q stands twice in the header, must stand once", r.opt.Column))
		}
		c.column = i
	}
	switch {
	case c.column < 0 && r.opt.Column == "":
		return nil, r.errorf("it has %d columns, must be told which holds the texts: one of %s", len(names), Listed(names))
	case c.column < 0:
		return nil, r.errorf("column is %.40q, must be one of %s%s", r.opt.Column, Listed(names), nearest.Hint(r.opt.Column, names))
	}
	return c, nil
}

// Listed renders the names in a header for an error. A file without names may
// begin with a private text, so what does not look like a name is not shown.
func Listed(names []string) string {
	const most = 20
	for _, name := range names {
		if !columnName.MatchString(name) {
			return fmt.Sprintf("the %d in the header", len(names))
		}
	}
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// columnName matches one word of ordinary length.
var columnName = regexp.MustCompile(`^[\pL_][\pL\pN_.-]{0,39}$`)

// number takes the column of a file without names.
func (c *csvRows) number() error {
	if c.r.opt.Column == "" {
		return nil // the first, which next holds to be the only one
	}
	n, err := strconv.Atoi(c.r.opt.Column)
	if err != nil || n < 1 {
		return c.r.errorf("column is %.40q, must be a number from 1 where there is no header", c.r.opt.Column)
	}
	c.column = n - 1
	return nil
}

// next implements [source].
func (c *csvRows) next() (string, int64, error) {
	fields, line, err := c.record()
	if err != nil {
		return "", line, err
	}
	if c.fields == 0 {
		c.fields = len(fields)
		if c.r.opt.Column == "" && len(fields) > 1 {
			return "", line, c.r.errorf("it has %d columns, must be told which holds the texts by its number", len(fields))
		}
		if c.column >= len(fields) {
			return "", line, c.r.errorf("column is %d, must be from 1 to %d", c.column+1, len(fields))
		}
	}
	if len(fields) != c.fields {
		return "", line, c.r.rowError(line, fmt.Sprintf("it has %d fields, must have %d", len(fields), c.fields))
	}
	return fields[c.column], line, nil
}

// record reads a record and returns the line on which it begins.
func (c *csvRows) record() ([]string, int64, error) {
	c.limit.used = 0
	fields, err := c.in.Read()
	var bad *csv.ParseError
	switch {
	case errors.As(err, &bad):
		reason := "it is no CSV"
		if errors.Is(err, csv.ErrQuote) {
			reason = "a quote is left open, or text follows one"
		} else if errors.Is(err, csv.ErrBareQuote) {
			reason = "a quote stands inside a field that has none around it"
		}
		return nil, int64(bad.StartLine), c.r.rowError(int64(bad.StartLine), reason)
	case errors.Is(err, io.EOF):
		return nil, 0, io.EOF
	case err != nil:
		return nil, 0, c.r.errorf("%w", err)
	}
	line, _ := c.in.FieldPos(0)
	return fields, int64(line), nil
}

// limiter refuses to read more than a text may have, until it is reset: a quote
// left open would otherwise bring the whole file into memory.
type limiter struct {
	in   io.Reader
	used int
}

// Read implements [io.Reader].
func (l *limiter) Read(b []byte) (int, error) {
	if l.used > maxText {
		return 0, fmt.Errorf("a row has more than %d MiB, must have fewer: maybe a quote is left open", maxText>>20)
	}
	n, err := l.in.Read(b)
	l.used += n
	return n, err
}
