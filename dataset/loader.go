package dataset

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
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

// lines yields the lines of a file with their numbers from 1: without a byte
// order mark, without line ends of either kind, and without blank lines.
// Invalid UTF-8 is repaired and counted, not refused.
func (l *loader) lines(path string) (iter.Seq2[int, string], error) {
	data, err := content(l.fsys, path)
	if err != nil {
		return nil, err
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	return func(yield func(int, string) bool) {
		n := 0
		for line := range strings.SplitSeq(text, "\n") {
			n++
			line = strings.TrimSuffix(line, "\r")
			if line == "" {
				continue
			}
			if !yield(n, l.repair(line)) {
				return
			}
		}
	}, nil
}

// repair makes a text valid UTF-8.
func (l *loader) repair(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	l.broken++
	return strings.ToValidUTF8(s, "\ufffd")
}

// table calls each for the records of a file of tab-separated values whose
// header is as given. It stops at the first error.
func (l *loader) table(path string, names []string, each func(line int, f []string) error) error {
	lines, err := l.lines(path)
	if err != nil {
		return err
	}
	headed := false
	for n, line := range lines {
		f := strings.Split(line, "\t")
		switch {
		case len(f) != len(names):
			err = fault(path, n, "it has %d fields, must have %d", len(f), len(names))
		case headed:
			err = each(n, f)
			l.count(path)
		case !slices.Equal(f, names):
			err = fault(path, n, "its columns are others than %q", names)
		default:
			headed = true
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// records calls each for the records of a CSV file: with the named columns
// alone, in that order, or with all columns where no names are given and there
// is no header. It stops at the first error.
func (l *loader) records(path string, names []string, each func(line int, f []string) error) error {
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
				return fault(path, 1, "column %q is missing", names[k])
			}
			continue
		}
		f := record
		if names != nil {
			f = Select(record, at)
		}
		for k := range f {
			f[k] = l.repair(f[k])
		}
		line, _ := r.FieldPos(0)
		if err := each(line, f); err != nil {
			return err
		}
		l.count(path)
	}
}

// count notes that a file held one more record.
func (l *loader) count(path string) { l.rows[path]++ }

// fault is an error at a line. It never quotes the line.
func fault(path string, line int, format string, args ...any) error {
	return fmt.Errorf("dataset: %s: line %d: %s", path, line, fmt.Sprintf(format, args...))
}

// add appends the class of one row by name. A name that is not a class is
// refused without being quoted.
func (c *Column) add(path string, line int, name string) error {
	id := slices.Index(c.Classes, name)
	if id < 0 {
		return fault(path, line, "%s is no known class, must be one of %q", c.Name, c.Classes)
	}
	c.IDs = append(c.IDs, id)
	return nil
}

// addDigit appends the class of one row by its number from base.
func (c *Column) addDigit(path string, line int, digits string, base int) error {
	id, err := strconv.Atoi(digits)
	if err != nil || id < base || id >= base+len(c.Classes) {
		return fault(path, line, "%s is no class, must be a number from %d to %d", c.Name, base, base+len(c.Classes)-1)
	}
	c.IDs = append(c.IDs, id-base)
	return nil
}

// open is a column whose classes are not known before the file is read.
type open struct {
	Column
	ids map[string]int
}

func newOpen(name string) *open { return &open{Column{Name: name}, map[string]int{}} }

func (o *open) add(name string) {
	id, ok := o.ids[name]
	if !ok {
		id = len(o.Classes)
		o.ids[name] = id
		o.Classes = append(o.Classes, name)
	}
	o.IDs = append(o.IDs, id)
}

// sorted renumbers the classes in the order of their names, so that they do
// not depend on the order of rows.
func (o *open) sorted() Column {
	names := slices.Sorted(slices.Values(o.Classes))
	to := make([]int, len(names))
	for id, name := range names {
		to[o.ids[name]] = id
	}
	ids := make([]int, len(o.IDs))
	for i, id := range o.IDs {
		ids[i] = to[id]
	}
	return Column{Name: o.Name, Classes: names, IDs: ids}
}

// fileParts are the names of parts in the files.
var fileParts = map[string]Part{"train": Train, "dev": Validation, "val": Validation, "test": Test}

// addPart appends the part of one row.
func (s *Set) addPart(path string, line int, name string) error {
	p, ok := fileParts[name]
	if !ok {
		return fault(path, line, "its part is unknown, must be train, dev, val or test")
	}
	s.Split = append(s.Split, p)
	return nil
}

// finish completes a set: name, number of rows, notes.
func (l *loader) finish(s *Set) *Set {
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
	return s
}

// repeat returns n copies of a part.
func repeat(p Part, n int) []Part { return slices.Repeat([]Part{p}, n) }
