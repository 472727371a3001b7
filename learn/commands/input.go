package files

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"sotto/internal/regular"
)

// maxBytes bounds an input, and all that one run writes.
const maxBytes = 64 << 20

// inputs are the two files that runs are given, under one and the same name.
type inputs struct {
	name    string // of the file that a run sees
	content [2][]byte
	differ  differ
}

// differ says in what two inputs differ.
type differ struct {
	text string // for a reader, without a word of the inputs
	rows int    // that differ
	row  int    // the first that does, from 1, without a header; 0 if it is not known
	size [2]int // rows of either input
}

// open reads the two inputs and refuses those that differ in nothing, or in more
// than the unit of the claim is about.
func open(c *Config) (*inputs, error) {
	in := &inputs{name: "input" + strings.ToLower(filepath.Ext(c.A))}
	if other := strings.ToLower(filepath.Ext(c.B)); other != filepath.Ext(in.name) {
		return nil, fmt.Errorf("files: the inputs end in %q and %q, must end alike: a run may not see which it has by the name", filepath.Ext(in.name), other)
	}
	for i, path := range []string{c.A, c.B} {
		content, err := read(path)
		if err != nil {
			return nil, fmt.Errorf("files: input %s: %w", side(i), err)
		}
		in.content[i] = content
	}
	if bytes.Equal(in.content[0], in.content[1]) {
		return nil, errors.New("files: A and B hold the same bytes, must differ in one row")
	}
	in.differ = compare(filepath.Ext(in.name), in.content[0], in.content[1])
	if c.Unit != Person && in.differ.rows > 1 {
		return nil, fmt.Errorf("files: A and B differ in %d rows, the first of them %d, must differ in one for the unit %s; for many rows of one person say --unit %s", in.differ.rows, in.differ.row, c.Unit, Person)
	}
	return in, nil
}

func read(path string) ([]byte, error) {
	f, _, err := regular.Open(path, regular.Most)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was read only
	content, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err == nil && len(content) > maxBytes {
		err = fmt.Errorf("is larger than %d MiB, take a smaller one: it is read in every run", maxBytes>>20)
	}
	return content, err
}

// side names an input.
func side(i int) string { return string(rune('A' + i)) }

// compare tells in which rows two files differ: records of CSV, else lines. A row
// more or less is a difference of one row.
func compare(ext string, a, b []byte) (d differ) {
	x, y, header := lines(a), lines(b), 0
	if ext == ".csv" || ext == ".tsv" {
		u, okA := records(ext, a)
		v, okB := records(ext, b)
		if okA && okB {
			// Numbers are no names of columns, so that they are a row.
			if x, y = u, v; len(x) > 0 && len(y) > 0 && x[0] == y[0] && !slices.ContainsFunc(strings.Split(x[0], "\x00"), isNumber) {
				header = 1
			}
		}
	}
	size := [2]int{len(x) - header, len(y) - header}
	defer func() { d.size = size }()
	first := 0
	for first < min(len(x), len(y)) && x[first] == y[first] {
		first++
	}
	row := first + 1 - header
	if more := len(y) - len(x); more == 1 || more == -1 {
		if more == 1 {
			x, y = y, x
		}
		if equal(x[first+1:], y[first:]) {
			return differ{text: fmt.Sprintf("row %d, which one of them has more", row), rows: 1, row: row}
		}
	}
	rows := max(len(x), len(y)) - min(len(x), len(y))
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			rows++
		}
	}
	switch rows {
	case 0: // CSV that is quoted in another way
		return differ{text: "how a row is written, not what it holds", rows: 1}
	case 1:
		return differ{text: fmt.Sprintf("row %d", row), rows: 1, row: row}
	}
	return differ{text: fmt.Sprintf("%d rows, the first of them %d", rows, row), rows: rows, row: row}
}

// isNumber reports whether a cell of CSV is one.
func isNumber(cell string) bool {
	_, err := strconv.ParseFloat(cell, 64)
	return err == nil
}

func equal(a, b []string) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return len(a) == len(b)
}

// lines cuts text at line breaks.
func lines(content []byte) []string {
	all := strings.SplitAfter(string(content), "\n")
	if last := len(all) - 1; all[last] == "" {
		all = all[:last]
	}
	return all
}

// records cuts CSV into records. A file that is no CSV has none.
func records(ext string, content []byte) ([]string, bool) {
	r := csv.NewReader(bytes.NewReader(content))
	r.FieldsPerRecord, r.ReuseRecord = -1, true
	if ext == ".tsv" {
		r.Comma = '\t'
	}
	var all []string
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all, true
		}
		if err != nil {
			return nil, false
		}
		all = append(all, strings.Join(record, "\x00"))
	}
}
