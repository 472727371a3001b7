package lexicon

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxLine is the size in bytes of the longest line of a lexicon.
const maxLine = 1 << 16

// maxCategories bounds what a file may name.
const maxCategories = 4096

// Read reads a lexicon that somebody brings, with one entry a line and columns
// between tabs, or between commas in a file with a header. It has one of three
// forms:
//
//	abandon	fear	1                  as NRC's EmoLex: word, category, number; 0 is not of it
//
//	word,valence                       a header that begins with word: a number for
//	abandon,-2                         each category, and nothing or 0 where it is none
//
//	word	category	anything       a header with a column category: a category a line
//	abase	shame	…
//
// An error names the line and does not quote it.
func Read(r io.Reader, name string) (*Lexicon, error) {
	l := &Lexicon{Info: Info{Name: name, What: "a file of the user's", Licence: "the user's"}, words: map[string][]Entry{}}
	if err := l.read(r); err != nil {
		return nil, fmt.Errorf("lexicon: %w", err)
	}
	if len(l.words) == 0 {
		return nil, errors.New("lexicon: there is no word in the file, must be lines of word, category and number")
	}
	return l, nil
}

func (l *Lexicon) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	f := form{}
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSuffix(lines.Text(), "\r")
		if n == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		if !utf8.ValidString(line) {
			return fmt.Errorf("line %d is not UTF-8", n)
		}
		if strings.TrimSpace(line) == "" || line[0] == '#' && f.header == nil && !strings.Contains(line, "\t") {
			continue
		}
		if f.separator == "" && f.begin(line) {
			continue
		}
		if err := f.line(l, strings.Split(line, f.separator)); err != nil {
			return fmt.Errorf("line %d %w", n, err)
		}
		if len(l.categories) > maxCategories {
			return fmt.Errorf("line %d names category %d, must be at most %d", n, len(l.categories), maxCategories)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", n+1, err)
	}
	return nil
}

// form is how the lines of a file are read.
type form struct {
	separator string
	header    []string // nil for lines of word, category and number
	category  int      // its column where a line has one; -1 where columns are categories
}

// begin decides by the first line, and reports whether it is a header.
func (f *form) begin(line string) bool {
	f.separator, f.category = "\t", -1
	if !strings.Contains(line, "\t") {
		f.separator = ","
	}
	header := strings.Split(strings.ToLower(line), f.separator)
	if len(header) < 2 || strings.TrimSpace(header[0]) != "word" {
		f.separator = "\t"
		return false
	}
	f.header, f.category = header, slices.Index(header, "category")
	return true
}

// line adds what a line says.
func (f *form) line(l *Lexicon, fields []string) error {
	switch {
	case f.header == nil:
		if len(fields) != 3 {
			return fmt.Errorf("has %d columns, must have a word, a category and a number between tabs, or a header before it", len(fields))
		}
		weight, err := number(fields[2])
		if err != nil || weight == 0 {
			return err
		}
		return l.add(strings.TrimSpace(fields[0]), strings.TrimSpace(fields[1]), weight)
	case len(fields) != len(f.header):
		return fmt.Errorf("has %d columns, must have %d as the header", len(fields), len(f.header))
	case f.category >= 0:
		return l.add(strings.TrimSpace(fields[0]), strings.TrimSpace(fields[f.category]), 1)
	}
	for i, field := range fields[1:] {
		if strings.TrimSpace(field) == "" {
			continue
		}
		weight, err := number(field)
		if err != nil {
			return err
		}
		if weight == 0 {
			continue
		}
		if err := l.add(strings.TrimSpace(fields[0]), strings.TrimSpace(f.header[i+1]), weight); err != nil {
			return err
		}
	}
	return nil
}

func number(field string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
	if err != nil || x != x {
		return 0, errors.New("has something else where a number must stand")
	}
	return x, nil
}
