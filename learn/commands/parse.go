package files

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sotto/data/vecfile"
)

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// unpacked returns what a file of gzip holds, and any other as it is.
func unpacked(content []byte) []byte {
	if !bytes.HasPrefix(content, []byte{0x1f, 0x8b}) {
		return content
	}
	z, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return content
	}
	plain, err := io.ReadAll(io.LimitReader(z, maxBytes+1))
	if err != nil || len(plain) > maxBytes {
		return content
	}
	return plain
}

// readable reports whether content is text.
func readable(content []byte) bool {
	return utf8.Valid(content) && !bytes.ContainsRune(content, 0)
}

// rows is a file of rows, for what is made of several of them.
type rows struct {
	file  string
	cells [][]leaf // of each row
}

// row adds the fields of a row, and one of all its numbers, which tells more where a
// release is one of a few vectors.
func (t *rows) row(l *leaves, from int) {
	cells := l.all[from:len(l.all):len(l.all)]
	t.cells = append(t.cells, cells)
	if h, ok := numbersOf(cells); ok && len(cells) > 2 { // a list of one has a length, too
		l.add(name{file: t.file, row: len(t.cells), path: pathNumbers}, float64(h>>12), true)
	}
}

// json takes one JSON value apart, or JSON lines, which are rows.
func (l *leaves) json(file string, content []byte) (*rows, bool) {
	before := len(l.all)
	counts := slices.Clone(l.counts)
	var one any
	if json.Unmarshal(content, &one) == nil {
		if !bytes.Contains(bytes.TrimSpace(content), []byte("\n")) && bytes.HasPrefix(content, []byte("{")) && strings.HasSuffix(file, "l") {
			t := &rows{file: file}
			l.value(name{file: file, row: 1}, one)
			t.row(l, before)
			return t, true
		}
		l.value(name{file: file}, one)
		l.steps(l.all[before:len(l.all):len(l.all)])
		return nil, true
	}
	t := &rows{file: file}
	for line := range bytes.Lines(content) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var v any
		if json.Unmarshal(line, &v) != nil {
			l.all, l.counts = l.all[:before], counts
			return nil, false
		}
		from := len(l.all)
		l.value(name{file: file, row: len(t.cells) + 1}, v)
		t.row(l, from)
	}
	l.number(name{file: file, path: pathRows}, float64(len(t.cells)))
	return t, true
}

// value takes a JSON value apart.
func (l *leaves) value(n name, v any) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range sorted(v) {
			below := n
			if below.path = key; n.path != "" {
				below.path = n.path + "." + key
			}
			l.value(below, v[key])
		}
	case []any:
		length := n
		if length.path = lengthOf + n.path; l.add(length, float64(len(v)), false) {
			for i, each := range v {
				below := n
				below.path = n.path + "[" + strconv.Itoa(i) + "]"
				l.value(below, each)
			}
		}
	case float64:
		l.number(n, v)
	case string:
		if l.text(n, v); strings.ContainsAny(v, " \t\n") {
			l.numbers(n, v)
			n.path = lengthOf + n.path
			l.number(n, float64(len(v)))
		}
	default:
		l.text(n, fmt.Sprint(v)) // true, false and null
	}
}

var digits = regexp.MustCompile(`[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?`)

// numbers takes the numbers out of a sentence, and what it is without them.
func (l *leaves) numbers(n name, text string) {
	found := digits.FindAllString(text, 100)
	if len(found) == 0 {
		return
	}
	base := n.path
	if base != "" {
		base += ", "
	}
	n.path = base + wordsOf
	l.text(n, digits.ReplaceAllString(text, "#"))
	for i, each := range found {
		if v, err := strconv.ParseFloat(each, 64); err == nil {
			n.path = base + numberOf + strconv.Itoa(i+1)
			l.number(n, v)
		}
	}
}

// table takes CSV apart.
func (l *leaves) table(file, ext string, content []byte) *rows {
	r := csv.NewReader(bytes.NewReader(content))
	if r.FieldsPerRecord = -1; ext == ".tsv" {
		r.Comma = '\t'
	}
	all, err := r.ReadAll()
	if err != nil {
		return nil
	}
	t := &rows{file: file}
	header := 0
	if len(all) > 0 && !slices.ContainsFunc(all[0], isNumber) {
		header = 1
	}
	for i, record := range all {
		from := len(l.all)
		for j, cell := range record {
			n := name{file: file, row: i + 1 - header, path: "column " + strconv.Itoa(j+1)}
			if i < header {
				n.path += " of the header"
			}
			if v, err := strconv.ParseFloat(cell, 64); err == nil {
				l.number(n, v)
			} else {
				l.text(n, cell)
			}
		}
		if i >= header {
			t.row(l, from)
		}
	}
	l.number(name{file: file, path: pathRows}, float64(len(t.cells)))
	return t
}

// vectors takes rows of numbers apart, of NPY.
func (l *leaves) vectors(file string, content []byte) *rows {
	r, err := vecfile.NewReader(bytes.NewReader(content), vecfile.Options{Format: vecfile.NPY})
	if err != nil {
		return nil
	}
	defer r.Close() //nolint:errcheck // it was read only
	if r.Width() == 0 {
		return nil
	}
	t, before := &rows{file: file}, len(l.all)
	row := make([]float64, r.Width())
	for {
		got, err := r.ReadRows(row)
		if errors.Is(err, io.EOF) || err == nil && got == 0 {
			l.number(name{file: file, path: pathRows}, float64(len(t.cells)))
			return t
		}
		if err != nil {
			l.all = l.all[:before]
			return nil
		}
		from := len(l.all)
		for i, v := range row {
			l.number(name{file: file, row: len(t.cells) + 1, path: "[" + strconv.Itoa(i) + "]"}, v)
		}
		t.row(l, from)
	}
}

// prose takes text apart, line by line; of a page also tag by tag.
func (l *leaves) prose(file string, content []byte) *rows {
	l.number(name{file: file, path: pathLines}, float64(bytes.Count(content, []byte("\n"))))
	if bytes.HasPrefix(bytes.TrimSpace(content), []byte("<")) {
		for i, piece := range bytes.SplitAfter(content, []byte(">")) {
			n := name{file: file, path: "piece " + strconv.Itoa(i+1)}
			if l.text(n, string(piece)) {
				l.numbers(n, string(piece))
			}
		}
		return nil
	}
	// Lines are rows if there are as many as the input has.
	count := len(lines(content))
	asRows := count == l.differ.size[0] || count == l.differ.size[1]
	t := &rows{file: file}
	for line := range strings.Lines(string(content)) {
		from := len(l.all)
		n := name{file: file, row: len(t.cells) + 1}
		if !asRows {
			n = name{file: file, path: "line " + strconv.Itoa(len(t.cells)+1)}
		}
		line = strings.TrimRight(line, "\r\n")
		if v, err := strconv.ParseFloat(line, 64); err == nil {
			l.number(n, v)
		} else if l.text(n, line) {
			l.numbers(n, line)
		}
		t.row(l, from)
	}
	if !asRows {
		return nil
	}
	return t
}

// bytes takes apart what nobody can read: single bytes at first, then ranges.
func (l *leaves) bytes(file string, content []byte) {
	for at := 0; at < len(content); {
		size := 1
		switch {
		case at >= 1<<16:
			size = 1 << 12
		case at >= 1<<10:
			size = 1 << 6
		}
		end := min(at+size, len(content))
		path := "bytes " + strconv.Itoa(at)
		if size > 1 {
			path += " to " + strconv.Itoa(at+size-1)
		}
		l.text(name{file: file, path: path}, string(content[at:end]))
		at = end
	}
}
