// Package table reads rows with named columns from files of people's own, in
// constant memory: CSV and its kin, JSON lines, Parquet, plain text with labels or
// without, and folders with a text a file.
//
// There are two ways to open a file. [Open] finds out what the file does not say of
// itself by looking at how it begins: the compression, the encoding, the delimiter.
// [Reader.Notes] says what was found, and [Options] overrule it. So one row decides how
// others are read, which is convenient and fine as long as no ε is claimed of rows.
// Under ε there is [Declare]: its readers know the form of a file from its name and from
// options, and look at no row to find it. No error quotes what a file holds, because that is
// private: it says the file, the line, and what must be otherwise. Errors begin
// with the name of the file and not with that of this package.
//
// It knows no classes and no data sets. The smallest use is
//
//	r, err := table.Open("reviews.csv", table.Options{})
//	if err != nil {
//		return err
//	}
//	defer r.Close()
//	if err := r.Select("review", "rating"); err != nil {
//		return err
//	}
//	for {
//		row, err := r.Next()
//		if errors.Is(err, io.EOF) {
//			return nil
//		}
//		if err != nil {
//			return err
//		}
//		use(row[0].Text, row[1].Text)
//	}
package table

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"sotto/data/rowfile"
	"sotto/internal/regular"
)

// maxRow bounds the memory that one row can claim.
const maxRow = 16 << 20

// ErrEmpty is wrapped by the error of [Reader.Next] for a file without a row, such
// as one that has a header and nothing else, and by that of [Open] for a file
// without a byte.
var ErrEmpty = errors.New("no row was found, must hold at least one")

// RowError says that one row is unfit and where it stands. It never quotes the
// row.
type RowError = rowfile.Error

// Options say how to read. The zero value finds out, and stops at the first bad
// row.
type Options struct {
	Name      string // of the input, for errors; Open fills in its path, and a stream is "stdin"
	Format    Format // "" means what the name or else the content says
	Delimiter rune   // of CSV; 0 means the one of , ; tab and | that fits the first rows
	Encoding  string // one of [Encodings]; "" means what the bytes say
	NoHeader  bool   // the first row is no header, and columns are named 1, 2, …
	SkipBad   bool   // leave out bad rows and count them, instead of stopping
	Group     int    // row group of Parquet that is read alone, from 1; 0 means all
	// Inside says that what is read does not begin a file, so that no byte order mark is
	// taken away.
	Inside bool
}

// Validate reports options that cannot be met.
func (o Options) Validate() error {
	if _, err := ParseFormat(string(o.Format)); o.Format != "" && err != nil {
		return err
	}
	if d := o.Delimiter; d != 0 && (d == '"' || d == '\r' || d == '\n' || d == utf8.RuneError || !utf8.ValidRune(d)) {
		return fmt.Errorf("table: delimiter is %q, must be one character that is no quote and ends no line", d)
	}
	if o.Delimiter != 0 && o.Format != "" && !o.Format.delimited() {
		return fmt.Errorf("table: delimiter is %q and format %s, must be csv or tsv", o.Delimiter, o.Format)
	}
	if o.NoHeader && o.Format != "" && !o.Format.delimited() {
		return fmt.Errorf("table: format is %s, must be csv or tsv where there may be a header", o.Format)
	}
	if o.Group < 0 || o.Group > 0 && o.Format != Parquet {
		return fmt.Errorf("table: row group is %d and format %q, must be positive and parquet", o.Group, o.Format)
	}
	_, err := findEncoding(o.Encoding)
	return err
}

// Kind says what a value is.
type Kind string

// The kinds of values. CSV and plain text know [String] alone.
const (
	Missing Kind = ""       // null, or a key that an object lacks
	String  Kind = "string" // which may be empty
	Number  Kind = "number" // Text is as the file has it
	Bool    Kind = "bool"   // Text is true or false
	Nested  Kind = "nested" // a list or an object; Text is empty
)

// Value is one value of a row.
type Value struct {
	Text   string // UTF-8
	Kind   Kind
	Mended bool // bytes that were not UTF-8, or zero, came out as U+FFFD
}

// source yields the rows of one format.
type source interface {
	// names returns the columns that there are.
	names() []string
	// next fills row with the columns that [Reader.pick] names, in its order, and
	// returns where the row begins. After a *RowError it can be called again.
	next(row []Value) (line int64, err error)
}

// Reader reads rows. It is not safe for concurrent use.
type Reader struct {
	opt      Options
	src      source
	in       *input
	pick     []int // places in the source's names
	row      []Value
	line     int64
	rows     int64
	mended   int64
	skipped  int64
	labelled int  // which of two columns without a header is the label; -1 if that is not known
	declared bool // the form was said beforehand: see [Declare]
	notes    []string
	err      error // what every further read returns
}

// Open opens the file or folder at path.
func Open(path string, o Options) (*Reader, error) {
	o.Name = cmp.Or(o.Name, path)
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() || o.Format == Folder {
		return openFolder(path, info, o, false)
	}
	if o.Format == "" {
		o.Format = ByName(path)
	}
	f, _, err := regular.Open(path, regular.Most)
	if err != nil {
		return nil, err
	}
	r, err := New(f, o)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.in.OnClose(f.Close)
	return r, nil
}

// New reads from in, which the caller closes. Parquet needs a regular file or a
// [bytes.Reader], because its index is at its end.
func New(in io.Reader, o Options) (*Reader, error) {
	o.Name = cmp.Or(o.Name, "stdin")
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := &Reader{opt: o, labelled: -1}
	var err error
	if r.in, err = newInput(in, o); err != nil {
		return nil, r.errorf("%w", err)
	}
	if err = r.start(); err != nil {
		return nil, errors.Join(err, r.in.Close())
	}
	return r, nil
}

// start finds the format, if it is not known, and reads what comes before rows.
func (r *Reader) start() error {
	r.notes = append(r.notes, r.in.notes...)
	if err := r.findFormat(); err != nil {
		return err
	}
	var err error
	switch r.opt.Format {
	case CSV, TSV:
		r.src, err = newCSV(r)
	case JSONL:
		r.src, err = newJSONL(r)
	case Parquet:
		r.src, err = newParquet(r)
	case FastText:
		r.src = newFastText(r)
	default:
		r.src = newText(r)
	}
	if err != nil {
		return err
	}
	r.selectAll()
	return nil
}

// Next returns the next row, valid until the next call, with the columns of
// [Reader.Select] or else all of [Reader.Columns]. It returns [io.EOF] after the
// last row, and an error that wraps [ErrEmpty] if there was none. After a
// [*RowError], which one bad row causes, it may be called again; every other error
// is final.
func (r *Reader) Next() ([]Value, error) {
	for r.err == nil {
		line, err := r.src.next(r.row)
		if err == nil {
			r.line = line
			r.rows++
			r.mend()
			return r.row, nil
		}
		if err = r.failed(line, err); err != nil {
			return nil, err
		}
	}
	return nil, r.err
}

// failed notes why there is no row, and returns nil if the next one may be read
// instead.
func (r *Reader) failed(line int64, err error) error {
	var bad *RowError
	switch {
	case errors.As(err, &bad):
		r.line = line
		if r.skipped++; r.opt.SkipBad {
			return nil
		}
		return err
	case !errors.Is(err, io.EOF):
		r.line = line
	case r.rows > 0 || r.skipped > 0:
	case r.Header():
		err = r.errorf("it has a line of names, but %w", ErrEmpty)
	default:
		err = r.errorf("%w", ErrEmpty)
	}
	r.err = err
	return err
}

// mend replaces bytes that are not UTF-8, and zeros, which no text has.
func (r *Reader) mend() {
	for i := range r.row {
		v := &r.row[i]
		if !utf8.ValidString(v.Text) {
			v.Text, v.Mended = strings.ToValidUTF8(v.Text, "\ufffd"), true
		}
		if strings.IndexByte(v.Text, 0) >= 0 {
			v.Text, v.Mended = strings.ReplaceAll(v.Text, "\x00", "\ufffd"), true
		}
		if r.row[i].Mended {
			r.mended++
		}
	}
}

// Line returns where the row stands that Next returned last: the line on which it
// begins, or in Parquet and folders the row, counted from 1.
func (r *Reader) Line() int64 { return r.line }

// Bad returns an error about the row that Next returned last, for a reason that
// does not quote it.
func (r *Reader) Bad(reason string) *RowError { return r.rowError(r.line, reason) }

// Declared reports whether a [Declared] opened the reader, so that no row changes how
// another is read.
func (r *Reader) Declared() bool { return r.declared }

// Format returns the format being read.
func (r *Reader) Format() Format { return r.opt.Format }

// Skipped returns how many rows were bad so far.
func (r *Reader) Skipped() int64 { return r.skipped }

// Mended returns how many values so far held bytes that are not UTF-8, or zero.
func (r *Reader) Mended() int64 { return r.mended }

// Found says what was found out about the file so far, for a person to read: its
// encoding, its delimiter. It quotes no row.
func (r *Reader) Found() []string {
	if r.in == nil {
		return slices.Clone(r.notes)
	}
	return append(slices.Clone(r.notes), r.in.found()...)
}

// Notes are [Reader.Found] and what was repaired and left out so far.
func (r *Reader) Notes() []string {
	notes := r.Found()
	if r.mended > 0 {
		notes = append(notes, fmt.Sprintf("%d values held bytes that are not %s or are zero, which became U+FFFD", r.mended, r.encoding()))
	}
	if r.skipped > 0 && r.opt.SkipBad {
		notes = append(notes, fmt.Sprintf("%d bad rows were left out", r.skipped))
	}
	return notes
}

// SHA256 returns the hash of the file's bytes, as they are stored, in
// hexadecimal. It reads what has not been read, so it ends the reading. The hash
// of a folder is that of its files' names and hashes.
func (r *Reader) SHA256() (string, error) {
	if r.err == nil {
		r.err = io.EOF
	}
	if f, ok := r.src.(*folder); ok {
		return f.hash()
	}
	return r.in.hash()
}

// Close releases what the reader holds.
func (r *Reader) Close() error {
	if r.err == nil {
		r.err = os.ErrClosed
	}
	if r.in == nil {
		return nil
	}
	return r.in.Close()
}

func (r *Reader) rowError(line int64, reason string) *RowError {
	return &RowError{Name: r.opt.Name, Line: line, Reason: reason, Rows: r.opt.Format == Parquet || r.opt.Format == Folder}
}

// errorf returns an error about the file as a whole.
func (r *Reader) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: %w", r.opt.Name, fmt.Errorf(format, args...))
}
