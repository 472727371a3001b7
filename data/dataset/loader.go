package dataset

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// loader is one run of a parser: where the files are, what was asked for, and
// what was found on the way.
type loader struct {
	fsys    fs.FS
	options Options
	info    Info
	rows    map[string]int // records found in each file
	broken  int            // texts that were no UTF-8
	notes   []string
}

// errNoRecord says of a line that it is right and holds no record.
var errNoRecord = errors.New("no record")

// each calls do for the lines of a file: without a byte order mark, without line
// ends of either kind, and without blank lines. Invalid UTF-8 is repaired and
// counted, not refused. It stops at the first error and says where that is.
func (l *loader) each(path string, do func(line string) error) error {
	data, err := content(l.fsys, path)
	if err != nil {
		return err
	}
	return l.lines(path, data, do)
}

// lines calls do for the lines of a file whose content is known.
func (l *loader) lines(path string, data []byte, do func(line string) error) error {
	n := 0
	for line := range strings.SplitSeq(strings.TrimPrefix(string(data), "\ufeff"), "\n") {
		n++
		if line = strings.TrimSuffix(line, "\r"); line == "" {
			continue
		}
		if err := l.count(path, n, do(l.repair(line))); err != nil {
			return err
		}
	}
	return nil
}

// count notes that a file held one more record, or says where the error is that
// kept it from being one.
func (l *loader) count(path string, line int, err error) error {
	switch {
	case err == nil:
		l.rows[path]++
	case !errors.Is(err, errNoRecord):
		return fmt.Errorf("dataset: %s: line %d: %w", path, line, err)
	}
	return nil
}

// repair makes a text valid UTF-8.
func (l *loader) repair(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	l.broken++
	return strings.ToValidUTF8(s, "\ufffd")
}

// table calls do for the records of a file of tab-separated values whose header
// is as given.
func (l *loader) table(path string, names []string, do func(f []string) error) error {
	headed := false
	return l.each(path, func(line string) error {
		f := strings.Split(line, "\t")
		switch {
		case len(f) != len(names):
			return fmt.Errorf("it has %d fields, must have %d", len(f), len(names))
		case headed:
			return do(f)
		case !slices.Equal(f, names):
			return fmt.Errorf("its columns are others than %q", names)
		}
		headed = true
		return errNoRecord
	})
}

// records calls do for the records of a CSV file: with the named columns alone,
// in that order, or with all columns where no names are given and there is no
// header.
func (l *loader) records(path string, names []string, do func(f []string) error) error {
	data, err := content(l.fsys, path)
	if err != nil {
		return err
	}
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(data), "\ufeff")))
	var at []int
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("dataset: %s: %w", path, err)
		}
		if names != nil && at == nil {
			for _, name := range names {
				at = append(at, slices.Index(record, name))
			}
			if k := slices.Index(at, -1); k >= 0 {
				return l.count(path, 1, fmt.Errorf("column %q is missing", names[k]))
			}
			continue
		}
		if names != nil {
			record = Select(record, at)
		}
		for k := range record {
			record[k] = l.repair(record[k])
		}
		line, _ := r.FieldPos(0)
		if err := l.count(path, line, do(record)); err != nil {
			return err
		}
	}
}

// add appends the class of one row by name. A name that is not a class is
// refused without being quoted.
func (c *Column) add(name string) error {
	id := slices.Index(c.Classes, name)
	if id < 0 {
		return fmt.Errorf("%s is no known class, must be one of %q", c.Name, c.Classes)
	}
	c.IDs = append(c.IDs, id)
	return nil
}

// addDigit appends the class of one row by its number from base.
func (c *Column) addDigit(digits string, base int) error {
	id, err := strconv.Atoi(digits)
	if err != nil || id < base || id >= base+len(c.Classes) {
		return fmt.Errorf("%s is no class, must be a number from %d to %d", c.Name, base, base+len(c.Classes)-1)
	}
	c.IDs = append(c.IDs, id-base)
	return nil
}

// columnOf makes a column whose classes are the values that occur, in the order
// of their names, so that they do not depend on the order of rows.
func columnOf(name string, values []string) Column {
	c := Column{Name: name, Classes: slices.Compact(slices.Sorted(slices.Values(values))), IDs: make([]int, len(values))}
	for i, v := range values {
		c.IDs[i], _ = slices.BinarySearch(c.Classes, v)
	}
	return c
}

// fileParts are the names of parts in the files.
var fileParts = map[string]Part{"train": Train, "dev": Validation, "val": Validation, "test": Test}

// addPart appends the part of one row.
func (s *Set) addPart(name string) error {
	p, ok := fileParts[name]
	if !ok {
		return errors.New("its part is unknown, must be train, dev, val or test")
	}
	s.Split = append(s.Split, p)
	return nil
}

// finish completes a set, unless reading it failed: name, number of rows, notes.
func (l *loader) finish(s *Set, err error) (*Set, error) {
	if err != nil {
		return nil, err
	}
	s.Name, s.Variant, s.Rows = l.info.Name, l.options.Variant, len(s.Split)
	empty := 0
	for _, t := range s.Text {
		if strings.TrimSpace(t) == "" {
			empty++
		}
	}
	if empty > 0 {
		l.notes = append(l.notes, fmt.Sprintf("%d rows have no text", empty))
	}
	if l.broken > 0 {
		l.notes = append(l.notes, fmt.Sprintf("%d lines were not valid UTF-8; what was invalid is now U+FFFD", l.broken))
	}
	s.Notes = append(s.Notes, l.notes...)
	return s, nil
}
