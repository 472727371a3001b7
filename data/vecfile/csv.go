package vecfile

import (
	"bytes"
	"errors"
	"io"
	"strconv"
)

// csv reads comma separated numbers. A record is a line: no number holds a
// line break, so a quote left open spoils its own line and not the next.
type csv struct {
	lines
	row  []float64
	held bool // the first line is a row, which next shall parse
	line []byte
}

// openCSV takes the first line for a header if none of its fields could be a
// number. If only some could not, it is more likely a bad row, or the row
// names of a data frame, whose numbers are no coordinates.
func (r *Reader) openCSV() error {
	c := &csv{lines: newLines(r)}
	if r.opt.Declared && !r.opt.Header {
		return r.openRows(c)
	}
	line, err := c.lines.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if err == nil {
		n := headerWidth(line)
		if r.opt.Declared {
			if n = fields(line); n == 0 {
				return r.errorf("a quote in its line of names is not closed")
			}
		}
		if n > 0 {
			r.header = true
			if err := r.setWidth(n); err != nil {
				return err
			}
		} else {
			c.held, c.line = true, line
		}
	}
	return r.openRows(c)
}

// ready implements [rowReader].
func (c *csv) ready() bool { return c.held || c.lines.ready() }

// next implements [rowReader].
func (c *csv) next() ([]float64, int64, error) {
	if !c.held {
		var err error
		if c.line, err = c.lines.next(); err != nil {
			return nil, c.N, err
		}
	}
	c.held = false
	c.row = c.row[:0]
	for at := 0; at <= len(c.line); {
		field, start, next, reason := cut(c.line, at)
		var v float64
		if reason == "" {
			v, reason = decimal(field)
		}
		if reason == "" && len(c.row) == maxWidth {
			reason = tooWide()
		}
		if reason == notNumber && c.N == 1 && c.r.opt.Declared {
			reason += " (--header if this is a line of names)"
		}
		if reason != "" {
			return nil, c.N, c.bad(start, reason)
		}
		c.row = append(c.row, v)
		at = next
	}
	return c.row, c.N, nil
}

// cut returns the field of line that begins at byte at, without quotes and
// space around it, where its text begins, and where the next field does: past
// the end of the line if there is none.
func cut(line []byte, at int) (field []byte, start, next int, reason string) {
	for at < len(line) && (line[at] == ' ' || line[at] == '\t') {
		at++
	}
	rest := line[at:]
	if len(rest) == 0 || rest[0] != '"' {
		n := bytes.IndexByte(rest, ',')
		if n < 0 {
			n = len(rest)
		}
		return bytes.TrimRight(rest[:n], " \t"), at, at + n + 1, ""
	}
	for n := 1; n < len(rest); n++ {
		switch {
		case rest[n] != '"':
		case n+1 < len(rest) && rest[n+1] == '"': // stands for one quote
			n++
		default:
			after := len(rest) - len(bytes.TrimLeft(rest[n+1:], " \t"))
			if after < len(rest) && rest[after] != ',' {
				return nil, at + after, 0, "text after a quoted field"
			}
			return rest[1:n], at, at + after + 1, ""
		}
	}
	return nil, at, 0, "quote left open"
}

// headerWidth returns the number of names in line, or 0 if it is no header.
func headerWidth(line []byte) int {
	n := 0
	for at := 0; at <= len(line); n++ {
		field, _, next, reason := cut(line, at)
		if reason != "" || len(field) == 0 {
			return 0
		}
		// ParseFloat also knows NaN, Inf and hexadecimals, and a number out
		// of range is still one.
		if _, err := strconv.ParseFloat(string(field), 64); err == nil || errors.Is(err, strconv.ErrRange) {
			return 0
		}
		at = next
	}
	return n
}

// fields returns how many fields a line has, 0 if its quotes do not fit.
func fields(line []byte) (n int) {
	for at := 0; at <= len(line); n++ {
		_, _, next, reason := cut(line, at)
		if reason != "" {
			return 0
		}
		at = next
	}
	return n
}

// decimal parses a finite decimal number.
func decimal(field []byte) (v float64, reason string) {
	if len(field) == 0 {
		return 0, missing
	}
	plain := true // no hexadecimals, no NaN, no Inf
	for _, c := range field {
		plain = plain && (c-'0' <= 9 || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E')
	}
	v, err := strconv.ParseFloat(string(field), 64)
	switch {
	case errors.Is(err, strconv.ErrRange) && plain:
		return 0, outOfRange
	case err == nil && !plain && v-v != 0:
		return 0, notFinite
	case err != nil || !plain:
		return 0, notNumber
	}
	return v, ""
}
