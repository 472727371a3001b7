// Package textfile reads texts from files, one text a row, in constant memory:
// plain text, a column of CSV, a field of JSON lines, or a column of Parquet.
//
// Bytes that are not UTF-8 come out as U+FFFD, and the texts with such bytes are
// counted. No error quotes what a file holds, because that is private; it says
// the file and the line. The package splits no text and knows no encoder. The
// smallest use is
//
//	r, err := textfile.Open("reviews.csv", textfile.Options{Column: "review"})
//	if err != nil {
//		return err
//	}
//	defer r.Close()
//	for {
//		text, err := r.Next()
//		if errors.Is(err, io.EOF) {
//			return nil
//		}
//		if err != nil {
//			return err
//		}
//		use(text)
//	}
package textfile

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"sotto/internal/rowfile"
)

// Format is a file format. Its value is its name.
type Format string

// The formats in use.
const (
	// Text is a text a line; an empty line is an empty text.
	Text Format = "text"
	// CSV is comma separated fields as RFC 4180 has them, with a line of names
	// first. A text may hold line breaks, between quotes. Blank lines are
	// skipped; an empty text in a file of one column is written as "".
	CSV Format = "csv"
	// JSONL is a JSON object a line, or a JSON string if no column is named.
	// Blank lines are skipped. Of a key that occurs twice the last counts.
	JSONL Format = "jsonl"
	// Parquet is a column of strings of Apache Parquet, in a file that can be
	// read anywhere. One page is in memory at a time.
	Parquet Format = "parquet"
)

// maxText bounds the memory that one row can claim.
const maxText = 16 << 20

// ByName returns the format that the extension of path stands for.
func ByName(path string) (Format, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".txt", ".text":
		return Text, nil
	case ".jsonl", ".ndjson":
		return JSONL, nil
	case ".csv", ".parquet":
		return Format(ext[1:]), nil
	}
	return "", fmt.Errorf("textfile: extension of %s is %q, must be .txt, .text, .csv, .jsonl, .ndjson or .parquet", path, filepath.Ext(path))
}

// ParseFormat returns the format with the given name.
func ParseFormat(name string) (Format, error) {
	switch f := Format(strings.ToLower(name)); f {
	case Text, CSV, JSONL, Parquet:
		return f, nil
	}
	return "", fmt.Errorf("textfile: format is %.40q, must be text, csv, jsonl or parquet", name)
}

// Options say how to read. The zero value stops at the first bad row.
type Options struct {
	Name   string // of the input, for errors; Open fills in its path, and a stream is "stdin"
	Format Format // Open takes it from the extension if empty; a stream must give it
	// Column is what holds the texts. Empty means the only column of CSV, the
	// only one of strings of Parquet, and "text" for objects of JSON lines. Plain
	// text has none.
	Column   string
	NoHeader bool // the first line of CSV is a row, and Column is a number from 1
	SkipBad  bool // leave out bad rows and count them, instead of stopping
}

// Validate reports options that cannot be met.
func (o Options) Validate() error {
	if _, err := ParseFormat(string(o.Format)); err != nil {
		return err
	}
	if o.Column != "" && o.Format == Text {
		return fmt.Errorf("textfile: column is %.40q and format text, must be csv, jsonl or parquet", o.Column)
	}
	if o.NoHeader && o.Format != CSV {
		return fmt.Errorf("textfile: format is %s, must be csv where there may be a header", o.Format)
	}
	return nil
}

// RowError says that one row is unfit and where it stands. [Reader.Next] returns
// it, wherever the rows around it are unharmed and [Options.SkipBad] would go on.
// It never quotes the row.
type RowError = rowfile.Error

// source yields the texts of one format.
type source interface {
	// next returns a text and its place. After a *RowError it can be called
	// again.
	next() (text string, line int64, err error)
}

// Reader reads texts. It is not safe for concurrent use.
type Reader struct {
	opt     Options
	src     source
	in      *rowfile.Input
	line    int64
	invalid int64
	skipped int64
	err     error // what every further read returns
}

// Open opens the file at path.
func Open(path string, o Options) (*Reader, error) {
	o.Name = cmp.Or(o.Name, path)
	if o.Format == "" {
		var err error
		if o.Format, err = ByName(path); err != nil {
			return nil, err
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("textfile: %w", err)
	}
	r, err := NewReader(f, o)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.in.OnClose(f.Close)
	return r, nil
}

// NewReader reads from in, which the caller closes. Parquet needs a regular file
// or a [bytes.Reader], because its index is at its end.
func NewReader(in io.Reader, o Options) (*Reader, error) {
	o.Name = cmp.Or(o.Name, "stdin")
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := &Reader{opt: o, in: rowfile.NewInput(in)}
	var err error
	switch o.Format {
	case Text:
		r.src = &textLines{lines: newLines(r)}
	case CSV:
		r.src, err = newCSV(r)
	case JSONL:
		r.src = &jsonl{lines: newLines(r)}
	default: // Validate knows no other
		r.src, err = newParquet(r)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Next returns the next text, or [io.EOF] after the last, or a [*RowError] at a
// bad row. An error is final.
func (r *Reader) Next() (string, error) {
	for r.err == nil {
		s, line, err := r.src.next()
		r.line = line
		var bad *RowError
		switch {
		case errors.As(err, &bad) && r.opt.SkipBad:
			r.skipped++
			continue
		case err != nil:
			r.err = err
			return "", err
		}
		if !utf8.ValidString(s) {
			r.invalid++
			s = strings.ToValidUTF8(s, "\ufffd")
		}
		return s, nil
	}
	return "", r.err
}

// Line returns where the text stands that Next returned last: the line on which
// it begins, or in Parquet the row, counted from 1.
func (r *Reader) Line() int64 { return r.line }

// Format returns the format being read.
func (r *Reader) Format() Format { return r.opt.Format }

// Invalid returns how many texts so far held bytes that are not UTF-8.
func (r *Reader) Invalid() int64 { return r.invalid }

// Skipped returns how many bad rows were left out so far.
func (r *Reader) Skipped() int64 { return r.skipped }

// Close releases what the reader holds.
func (r *Reader) Close() error {
	if r.err == nil {
		r.err = os.ErrClosed
	}
	return r.in.Close()
}

func (r *Reader) rowError(line int64, reason string) *RowError {
	return &RowError{Name: r.opt.Name, Line: line, Reason: reason, Rows: r.opt.Format == Parquet}
}

// errorf returns an error about the file as a whole.
func (r *Reader) errorf(format string, args ...any) error {
	return fmt.Errorf("textfile: %s: %w", r.opt.Name, fmt.Errorf(format, args...))
}

// withoutMark reads in without the byte order mark that some programs write.
func withoutMark(in io.Reader) *bufio.Reader {
	b := bufio.NewReaderSize(in, 1<<16)
	// What keeps it from seeing three bytes, later reads will meet again.
	if mark, _ := b.Peek(3); string(mark) == "\xef\xbb\xbf" {
		b.Discard(3) //nolint:errcheck // they are in the buffer
	}
	return b
}
