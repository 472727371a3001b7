package term

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"sotto/data/table"
	"sotto/internal/layout"
)

// Columns are some columns of a file, by the order in which they were asked
// for, as text. An empty value is missing.
type Columns [][]string

// OpenColumns reads the named columns of a file, or of standard input for -:
// CSV with a line of names, or JSON lines, which begin with a brace. No name
// means the only column. Its errors say the line and never what stands there.
func OpenColumns(path string, stdin io.Reader, names ...string) (Columns, error) {
	in, err := Open(path, stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	if path == "-" {
		path = "stdin"
	}
	return ReadColumns(in, path, names)
}

// TableColumns reads the named columns of a file of one's own, in any format that
// package table reads.
func TableColumns(path string, o table.Options, names ...string) (Columns, error) {
	return columnsOf(names)(table.Open(path, o))
}

// columnsOf reads the named columns of what was opened.
func columnsOf(names []string) func(*table.Reader, error) (Columns, error) {
	return func(r *table.Reader, err error) (Columns, error) {
		if err != nil {
			return nil, err
		}
		defer r.Close() //nolint:errcheck // it was only read
		if err = r.Select(names...); err != nil {
			return nil, err
		}
		c := make(Columns, len(names))
		for {
			row, err := r.Next()
			if errors.Is(err, io.EOF) {
				return c, nil
			}
			if err != nil {
				return nil, err
			}
			for k, v := range row {
				c[k] = append(c[k], v.Text)
			}
		}
	}
}

// DeclaredColumns reads the named columns of a file under ε, or of standard input for -:
// in the form that its name and the flags say, so that no row changes how another is
// read.
func DeclaredColumns(path string, stdin io.Reader, flags *TableFlags, names ...string) (Columns, error) {
	o, err := flags.Options()
	if err != nil {
		return nil, err
	}
	place := path
	if path == "-" {
		place, o.Name = "", "stdin"
	}
	d, err := table.Declare(place, o)
	if err != nil {
		return nil, err
	}
	if path == "-" {
		return columnsOf(names)(d.Read(stdin))
	}
	return columnsOf(names)(d.Open())
}

// ReadColumns is [OpenColumns] for what is open; name stands in errors.
func ReadColumns(in io.Reader, name string, wanted []string) (Columns, error) {
	r := bufio.NewReaderSize(in, 1<<16)
	if mark, err := r.Peek(3); err == nil && string(mark) == "\ufeff" {
		r.Discard(3) //nolint:errcheck // they were peeked at
	}
	first, err := r.Peek(1)
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: the file is empty, must hold rows", name)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	read := readCSVColumns
	if first[0] == '{' {
		read = readJSONColumns
	}
	c, err := read(r, name, wanted)
	if err == nil && len(c[0]) == 0 {
		err = fmt.Errorf("%s: no row was found, must hold at least one", name)
	}
	return c, err
}

func readCSVColumns(in *bufio.Reader, name string, wanted []string) (Columns, error) {
	r := csv.NewReader(in)
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, withoutText(err))
	}
	at := make([]int, len(wanted))
	for k, w := range wanted {
		if w == "" {
			if len(header) != 1 {
				return nil, fmt.Errorf("%s:1: there are %d columns, must be told which: one of %s", name, len(header), table.Listed(header))
			}
			continue
		}
		if at[k] = slices.Index(header, w); at[k] < 0 {
			return nil, fmt.Errorf("%s:1: column is %q, must be one of %s%s", name, w, table.Listed(header), layout.Hint(w, header))
		}
		if slices.Contains(header[at[k]+1:], w) {
			return nil, fmt.Errorf("%s:1: the column %q stands twice, must stand once", name, w)
		}
	}
	c := make(Columns, len(wanted))
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return c, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, withoutText(err))
		}
		for k, i := range at {
			c[k] = append(c[k], string([]byte(record[i]))) // a copy: the record is one string for all fields
		}
	}
}

// withoutText keeps the place and kind of a fault. The package csv quotes
// nothing today; this does not depend on it.
func withoutText(err error) error {
	var p *csv.ParseError
	switch {
	case errors.As(err, &p) && errors.Is(err, csv.ErrFieldCount):
		return fmt.Errorf("line %d: the number of fields is not that of the first line", p.Line)
	case errors.As(err, &p):
		return fmt.Errorf("line %d, column %d: not CSV: a quote is out of place", p.Line, p.Column)
	}
	return err
}

func readJSONColumns(in *bufio.Reader, name string, wanted []string) (Columns, error) {
	c := make(Columns, len(wanted))
	for line := 1; ; line++ {
		text, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		last := err != nil
		if len(bytes.TrimSpace(text)) > 0 {
			var fields map[string]json.RawMessage
			if json.Unmarshal(text, &fields) != nil || fields == nil {
				return nil, fmt.Errorf("%s:%d: not a JSON object", name, line)
			}
			for k, w := range wanted {
				v, err := fieldOf(fields, w)
				if err != nil {
					return nil, fmt.Errorf("%s:%d: %w", name, line, err)
				}
				c[k] = append(c[k], v)
			}
		}
		if last {
			return c, nil
		}
	}
}

// fieldOf returns the value of a key, or of the only one.
func fieldOf(fields map[string]json.RawMessage, key string) (string, error) {
	if key == "" && len(fields) != 1 {
		return "", fmt.Errorf("there are %d keys, so one must be named", len(fields))
	}
	raw, ok := fields[key]
	if key == "" {
		for _, raw = range fields {
			ok = true
		}
	}
	if !ok {
		return "", fmt.Errorf("no key %q, must have one", key)
	}
	v, ok := scalar(raw)
	if !ok {
		return "", fmt.Errorf("the value of %q is an array or an object, must be a string, a number or a truth value", key)
	}
	return v, nil
}

// scalar renders a string, number, truth value or null, which is missing.
func scalar(raw json.RawMessage) (string, bool) {
	switch raw[0] {
	case '{', '[':
		return "", false
	case '"':
		var s string
		err := json.Unmarshal(raw, &s)
		return s, err == nil
	case 'n':
		return "", true
	}
	return string(raw), true
}

// NumberValues numbers the values of some columns: ids are places in names, and −1 where a
// value is missing. Names are in order, that of numbers if all are whole
// numbers.
func NumberValues(columns ...[]string) (ids [][]int, names []string) {
	place, whole := map[string]int{}, true
	for _, c := range columns {
		for _, v := range c {
			if _, ok := place[v]; !ok && v != "" {
				place[v] = 0
				names = append(names, v)
				_, err := strconv.Atoi(v)
				whole = whole && err == nil
			}
		}
	}
	slices.Sort(names)
	if whole {
		slices.SortStableFunc(names, func(a, b string) int {
			x, _ := strconv.Atoi(a)
			y, _ := strconv.Atoi(b)
			return cmp.Compare(x, y)
		})
	}
	for i, name := range names {
		place[name] = i
	}
	place[""] = -1
	for _, c := range columns {
		id := make([]int, len(c))
		for i, v := range c {
			id[i] = place[v]
		}
		ids = append(ids, id)
	}
	return ids, names
}
