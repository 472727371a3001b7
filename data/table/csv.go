package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"sotto/data/rowfile"
)

// csvRows reads fields between delimiters.
type csvRows struct {
	r       *Reader
	records records
	columns []string // nil where nobody says how many there are
	least   int      // fields that a row must have then
	first   []string // the first record of a file without a header, until it is returned
	line    int64    // of it
}

// records reads records of fields.
type records interface {
	// record returns the next record, valid until the next call, and the line on
	// which it begins.
	record() ([]string, int64, error)
}

// newCSV finds the delimiter and reads the header, if there is one.
func newCSV(r *Reader) (*csvRows, error) {
	d, plain := r.opt.Delimiter, false
	if d == 0 && r.opt.Format == TSV {
		d = '\t'
	}
	if d == 0 {
		d = findDelimiter(r.in.sample, r.in.whole)
		if d != ',' {
			r.notes = append(r.notes, fmt.Sprintf("its delimiter is %s", delimiterName(d)))
		}
	}
	plain = d == '\t' && !quoted(r.in.sample, r.in.whole)
	return openCSV(r, d, plain)
}

// openCSV reads the header, if there is one, of fields with a delimiter between them.
// Where they are plain, a quote is a character like any other.
func openCSV(r *Reader, d rune, plain bool) (*csvRows, error) {
	c := &csvRows{r: r}
	if plain {
		c.records = &plainRecords{r, newLines(r)}
	} else {
		c.records = newQuoted(r, d)
	}
	if r.declared && r.opt.NoHeader {
		return c, nil
	}
	names, line, err := c.records.record()
	switch {
	case errors.Is(err, io.EOF) && !r.opt.NoHeader:
		return nil, r.errorf("it is empty, must begin with a line of names")
	case errors.Is(err, io.EOF):
		return c, nil
	case err != nil:
		return nil, err
	}
	c.columns = slices.Clone(names)
	if r.opt.NoHeader {
		c.first, c.line = slices.Clone(names), line
		for i := range names {
			c.columns[i] = strconv.Itoa(i + 1)
		}
		if r.labelled >= 0 && len(names) == 2 {
			c.columns[r.labelled], c.columns[1-r.labelled] = "label", "text"
		}
	}
	for i := range c.columns {
		c.columns[i] = strings.ToValidUTF8(strings.TrimSpace(c.columns[i]), "\ufffd")
	}
	return c, nil
}

// names implements [source].
func (c *csvRows) names() []string { return c.columns }

// next implements [source].
func (c *csvRows) next(row []Value) (int64, error) {
	fields, line := c.first, c.line
	if fields == nil {
		var err error
		if fields, line, err = c.records.record(); err != nil {
			return line, err
		}
	}
	c.first = nil
	if c.columns == nil && len(fields) < c.least {
		return line, c.r.rowError(line, fmt.Sprintf("it has %d fields, must have %d", len(fields), c.least))
	}
	if c.columns != nil && len(fields) != len(c.columns) {
		return line, c.r.rowError(line, fmt.Sprintf("it has %d fields, must have %d", len(fields), len(c.columns)))
	}
	for i, at := range c.r.pick {
		row[i] = Value{Text: fields[at], Kind: String}
	}
	return line, nil
}

// ask implements [asked].
func (c *csvRows) ask(name string) (int, bool) {
	n, err := strconv.Atoi(name)
	if err != nil || n < 1 || n > maxFields || strconv.Itoa(n) != name {
		return 0, false
	}
	c.least = max(c.least, n)
	return n - 1, true
}

// maxFields bounds the number of a column that has no name.
const maxFields = 1 << 16

// quotedRecords reads records whose fields may stand between quotes.
type quotedRecords struct {
	r     *Reader
	in    *csv.Reader
	limit *limiter
}

func newQuoted(r *Reader, delimiter rune) *quotedRecords {
	limit := &limiter{in: r.in.text}
	q := &quotedRecords{r: r, in: csv.NewReader(limit), limit: limit}
	q.in.Comma, q.in.FieldsPerRecord, q.in.ReuseRecord = delimiter, -1, true
	return q
}

// record implements [records].
func (q *quotedRecords) record() ([]string, int64, error) {
	q.limit.used = 0
	fields, err := q.in.Read()
	var bad *csv.ParseError
	switch {
	case errors.As(err, &bad):
		reason := "it is no CSV"
		if errors.Is(err, csv.ErrQuote) {
			reason = "a quote is left open, or text follows one"
		} else if errors.Is(err, csv.ErrBareQuote) {
			reason = "a quote stands inside a field that has none around it"
		}
		if q.r.declared { // nobody knows where the next row begins
			return nil, int64(bad.StartLine), q.r.errorf("line %d: %s; where a row ends is not sure then, so that nothing of the file is read", bad.StartLine, reason)
		}
		return nil, int64(bad.StartLine), q.r.rowError(int64(bad.StartLine), reason)
	case errors.Is(err, io.EOF):
		return nil, 0, io.EOF
	case err != nil:
		return nil, 0, q.r.errorf("%w", err)
	}
	line, _ := q.in.FieldPos(0)
	return fields, int64(line), nil
}

// limiter refuses to read more than a row may have, until it is reset: a quote
// left open would otherwise bring the whole file into memory.
type limiter struct {
	in   io.Reader
	used int
}

// Read implements [io.Reader].
func (l *limiter) Read(b []byte) (int, error) {
	if l.used > maxRow {
		return 0, fmt.Errorf("a row has more than %d MiB, must have fewer: maybe a quote is left open", maxRow>>20)
	}
	n, err := l.in.Read(b)
	l.used += n
	return n, err
}

// plainRecords reads lines of fields with a tab between them, where a quote is a
// character like any other.
type plainRecords struct {
	r *Reader
	lines
}

// record implements [records].
func (p *plainRecords) record() ([]string, int64, error) {
	for {
		b, err := p.read()
		if err != nil {
			return nil, p.N, err
		}
		if len(b) > 0 {
			return strings.Split(string(b), "\t"), p.N, nil
		}
	}
}

// lines reads lines, with errors that say where.
type lines struct {
	*rowfile.Lines
	r *Reader
}

func newLines(r *Reader) lines {
	l := rowfile.NewLines(r.in.text, maxRow)
	l.Inside = r.opt.Inside
	return lines{l, r}
}

// read returns the next line without its end, valid until the next call.
func (l *lines) read() ([]byte, error) {
	b, err := l.Read()
	switch {
	case errors.Is(err, rowfile.ErrLong) && l.r.declared:
		err = l.r.rowError(l.N, fmt.Sprintf("it has more than %d MiB, must have fewer", maxRow>>20))
	case errors.Is(err, rowfile.ErrLong):
		err = l.r.errorf("line %d has more than %d MiB, must have fewer", l.N, maxRow>>20)
	case err != nil && !errors.Is(err, io.EOF):
		err = l.r.errorf("line %d: %w", l.N+1, err)
	}
	return b, err
}
