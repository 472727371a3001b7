package bias

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// readCSV reads a table with a line of names.
func (b *builder) readCSV(in io.Reader) error {
	r := csv.NewReader(in)
	r.ReuseRecord = true
	names, err := r.Read()
	if err != nil {
		return fmt.Errorf("line 1: it must name the columns: %w", place(err))
	}
	names[0] = strings.TrimPrefix(names[0], "\ufeff")
	word, first, err := csvColumns(names)
	if err != nil {
		return fmt.Errorf("line 1: %w", err)
	}
	row := make([]float64, len(names)-first)
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return place(err)
		}
		line, _ := r.FieldPos(0)
		b.counts.Rows++
		present, err := csvRow(row, record[first:])
		if err == nil && present {
			err = b.addRow(record[word], row)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		if !present {
			b.counts.Absent++
		}
	}
}

// csvColumns returns the column of words and the first column of numbers, which
// reach to the end: their names are numbers that follow one another, behind a
// prefix that is the same in all.
func csvColumns(names []string) (word, first int, err error) {
	first = len(names)
	prefix, next := "", 0
	for first > 0 {
		p, n := numbered(names[first-1])
		if n < 0 || first < len(names) && (p != prefix || n != next-1) {
			break
		}
		prefix, next = p, n
		first--
	}
	if first == len(names) {
		return 0, 0, errors.New("the last column is not numbered, must be one of numbers such as V2, V3, V4")
	}
	for _, name := range []string{"translation", "word"} {
		if i := slices.Index(names[:first], name); i >= 0 {
			return i, first, nil
		}
	}
	return 0, 0, errors.New("no column is named translation or word, one must be")
}

// numbered divides the name of a column into a prefix and a number, −1 if it
// does not end in one.
func numbered(name string) (prefix string, n int) {
	prefix = strings.TrimRight(name, "0123456789")
	n, err := strconv.Atoi(name[len(prefix):])
	if err != nil {
		return prefix, -1
	}
	return prefix, n
}

// csvRow parses numbers into row and reports whether all are there.
func csvRow(row []float64, fields []string) (present bool, err error) {
	present = true
	for i, f := range fields {
		if f == "NA" {
			present = false
			continue
		}
		// ParseFloat also knows hexadecimals, underscores, NaN and Inf.
		if row[i], err = strconv.ParseFloat(f, 64); err != nil || strings.Trim(f, "0123456789.+-eE") != "" {
			return false, fmt.Errorf("number %d is not a decimal number", i+1)
		}
	}
	return present, nil
}

// place returns what is wrong with a table, and where, without quoting it.
func place(err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("line %d: %w", p.Line, p.Err)
	}
	return err
}
