// Package conllu reads and writes treebanks in CoNLL-U, the format of Universal
// Dependencies: ten columns a word, a blank line behind each sentence. All
// columns, comments, fused words and empty nodes of what is read are kept.
//
// Sentences come one at a time, in constant memory, from plain files or files
// compressed with gzip:
//
//	r := conllu.NewReader(in)
//	for {
//		s, err := r.Next()
//		if errors.Is(err, io.EOF) {
//			break
//		}
//		…
//	}
//
// Tests of taggers and models read treebanks by it, too.
package conllu

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// The columns of a row.
const (
	ID = iota
	Form
	Lemma
	UPOS
	XPOS
	Feats
	Head
	DepRel
	Deps
	Misc
	columns
)

// Row is a line of a sentence: a word, a fused word, whose ID is a range such
// as 3-4, or an empty node, whose ID is a decimal such as 8.1.
type Row [columns]string

// Word tells whether a row is a word, and neither fused nor empty.
func (r *Row) Word() bool { return !strings.ContainsAny(r[ID], "-.") }

// Sentence is what stands between two blank lines.
type Sentence struct {
	Comments []string // each with its #
	Rows     []Row
}

// Comment returns the value of a comment "# key = value", and whether there is
// a comment with that key, also one without a value.
func (s *Sentence) Comment(key string) (string, bool) {
	for _, c := range s.Comments {
		name, value, _ := strings.Cut(strings.TrimPrefix(c, "#"), "=")
		if name = strings.TrimSpace(name); name == key || strings.HasPrefix(name, key+" ") {
			return strings.TrimSpace(value), true
		}
	}
	return "", false
}

// Reader reads sentences.
type Reader struct {
	lines *bufio.Scanner
	line  int
}

// maxLine is the most bytes of a line.
const maxLine = 1 << 20

// maxRows is the most rows of a sentence.
const maxRows = 1 << 17

// NewReader returns a reader of r, plain or compressed with gzip.
func NewReader(r io.Reader) *Reader {
	lines := bufio.NewScanner(&plain{in: bufio.NewReader(r)})
	lines.Buffer(make([]byte, 0, 64<<10), maxLine)
	return &Reader{lines: lines}
}

// plain unpacks what is compressed, which it looks for when it is first read.
type plain struct {
	in  *bufio.Reader
	out io.Reader
}

// Read implements [io.Reader].
func (p *plain) Read(b []byte) (int, error) {
	if p.out == nil {
		p.out = p.in
		if begin, err := p.in.Peek(2); err == nil && begin[0] == 0x1f && begin[1] == 0x8b {
			z, err := gzip.NewReader(p.in)
			if err != nil {
				return 0, errors.New("it begins as gzip and cannot be unpacked")
			}
			p.out = z
		}
	}
	return p.out.Read(b)
}

// Next returns the next sentence, or [io.EOF] behind the last. What is wrong
// with a line is an error with its number that does not quote it.
func (r *Reader) Next() (*Sentence, error) {
	s := &Sentence{}
	for r.lines.Scan() {
		r.line++
		line := strings.TrimSuffix(r.lines.Text(), "\r")
		switch {
		case line == "" && len(s.Rows) > 0:
			return s, r.check(s)
		case line == "":
		case line[0] == '#':
			s.Comments = append(s.Comments, line)
		default:
			fields := strings.Split(line, "\t")
			if len(fields) != columns {
				return nil, fmt.Errorf("conllu: line %d has %d columns, must have %d, separated by tabs", r.line, len(fields), columns)
			}
			if len(s.Rows) == maxRows {
				return nil, fmt.Errorf("conllu: the sentence of line %d has more than %d rows", r.line, maxRows)
			}
			s.Rows = append(s.Rows, Row(fields))
		}
	}
	switch err := r.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("conllu: line %d is longer than %d bytes", r.line+1, maxLine)
	case err != nil:
		return nil, fmt.Errorf("conllu: line %d: %w", r.line+1, err)
	case len(s.Rows) > 0:
		return s, r.check(s)
	}
	return nil, io.EOF
}

// check refuses words whose numbers or heads are wrong.
func (r *Reader) check(s *Sentence) error {
	words := 0
	for i := range s.Rows {
		row, where := &s.Rows[i], r.line-len(s.Rows)+i
		if row[Form] == "" {
			return fmt.Errorf("conllu: line %d has no form", where)
		}
		if !row.Word() {
			if from, to, is := row.span(); is && (from != words+1 || to <= from) {
				return fmt.Errorf("conllu: line %d is a fused word of words %d to %d, must begin with word %d", where, from, to, words+1)
			} else if !is && !strings.Contains(row[ID], ".") {
				return fmt.Errorf("conllu: line %d has an id that is neither a number, a range nor a decimal", where)
			}
			continue
		}
		words++
		if n, err := strconv.Atoi(row[ID]); err != nil || n != words {
			return fmt.Errorf("conllu: line %d has an id that is not %d, the number of its word", where, words)
		}
	}
	if words == 0 {
		return fmt.Errorf("conllu: the sentence before line %d has no words", r.line)
	}
	return s.heads(words)
}

// heads refuses a head that is no word of the sentence.
func (s *Sentence) heads(words int) error {
	for i := range s.Rows {
		row := &s.Rows[i]
		if from, to, is := row.span(); is && to > words {
			return fmt.Errorf("conllu: a fused word of words %d to %d is in a sentence of %d words", from, to, words)
		}
		if !row.Word() || row[Head] == "_" {
			continue
		}
		if head, err := strconv.Atoi(row[Head]); err != nil || head < 0 || head > words || row[ID] == row[Head] {
			return fmt.Errorf("conllu: word %s has a head that is no other word of its sentence of %d words", row[ID], words)
		}
	}
	return nil
}

// span returns the words that a fused word stands for, and whether it is one.
func (r *Row) span() (from, to int, is bool) {
	a, b, cut := strings.Cut(r[ID], "-")
	from, err := strconv.Atoi(a)
	to, second := strconv.Atoi(b)
	return from, to, cut && err == nil && second == nil
}

// Write writes a sentence and the blank line behind it.
func (s *Sentence) Write(w io.Writer) error {
	var b strings.Builder
	for _, c := range s.Comments {
		b.WriteString(c)
		b.WriteByte('\n')
	}
	for i := range s.Rows {
		b.WriteString(strings.Join(s.Rows[i][:], "\t"))
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// ReadAll reads all sentences.
func ReadAll(r io.Reader) ([]*Sentence, error) {
	var all []*Sentence
	for reader := NewReader(r); ; {
		s, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
}
