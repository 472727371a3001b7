// Package textfile reads texts from files, one text a row, in constant memory:
// plain text, a column of CSV, a field of JSON lines, a column of Parquet, or the
// files of a folder. It is one column of what package table reads.
//
// Bytes that are not of the file's encoding come out as U+FFFD, and the texts with
// such bytes are counted. No error quotes what a file holds, because that is
// private; it says the file and the line. The package splits no text and knows no
// encoder. [Open] finds out what a file does not say of itself; under ε files are
// opened by [Declare], whose readers look at no row to learn how others are read. The
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
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sotto/data/table"
	"sotto/internal/layout"
)

// Format is a file format. Its value is its name.
type Format = table.Format

// The formats in use, which package table describes.
const (
	Text     = table.Text
	CSV      = table.CSV
	TSV      = table.TSV
	JSONL    = table.JSONL
	Parquet  = table.Parquet
	FastText = table.FastText
	Folder   = table.Folder
)

// ByName returns the format that the extension of path stands for.
func ByName(path string) (Format, error) {
	if f := table.ByName(path); f != "" {
		return f, nil
	}
	bare := path
	for _, packed := range []string{".gz", ".zst"} {
		bare = strings.TrimSuffix(strings.ToLower(bare), packed)
	}
	switch filepath.Ext(bare) {
	case ".txt", ".text":
		return Text, nil
	}
	return "", fmt.Errorf("textfile: extension of %s is %q, must be .txt, .text, .csv, .tsv, .jsonl, .ndjson or .parquet", path, filepath.Ext(path))
}

// ParseFormat returns the format with the given name.
func ParseFormat(name string) (Format, error) { return table.ParseFormat(name) }

// Options say how to read. The zero value stops at the first bad row.
type Options struct {
	Name string // of the input, for errors; Open fills in its path, and a stream is "stdin"
	// Format is that of the extension if empty. Where that tells nothing, or text,
	// and for a stream, the content tells it, provided that a column is named.
	Format Format
	// Column is what holds the texts. Empty means the only column of CSV, the
	// only one of strings of Parquet, and "text" for the rest. Plain text has none
	// but that.
	Column    string
	Delimiter rune   // of CSV; 0 means the one that fits the first rows
	Encoding  string // one of [table.Encodings]; "" means what the bytes say
	NoHeader  bool   // the first line of CSV is a row, and Column is a number from 1
	SkipBad   bool   // leave out bad rows and count them, instead of stopping
	Group     int    // row group of Parquet that is read alone, from 1; 0 means all
	Inside    bool   // what is read does not begin a file
	// Beside are columns that are read with the texts: see [Reader.Beside].
	Beside []string
}

// Validate reports options that cannot be met.
func (o Options) Validate() error {
	if _, err := ParseFormat(string(o.Format)); err != nil && (o.Format != "" || o.Column == "") {
		return err
	}
	if o.Column != "" && o.Format == Text {
		return fmt.Errorf("textfile: column is %.40q and format text, must be csv, jsonl or parquet", o.Column)
	}
	return o.table().Validate()
}

// table returns the options of the table whose column is read.
func (o Options) table() table.Options {
	return table.Options{Name: o.Name, Format: o.Format, Delimiter: o.Delimiter, Encoding: o.Encoding, NoHeader: o.NoHeader, SkipBad: o.SkipBad, Group: o.Group, Inside: o.Inside}
}

// RowError says that one row is unfit and where it stands. [Reader.Next] returns
// it, wherever the rows around it are unharmed and [Options.SkipBad] would go on.
// It never quotes the row.
type RowError = table.RowError

// Reader reads texts. It is not safe for concurrent use.
type Reader struct {
	opt     Options
	rows    *table.Reader // nil if there is nothing to read
	column  string        // of the texts
	beside  []table.Value // of the row that Next returned last
	missing int64         // rows left out whose text is missing
	err     error         // what every further read returns
}

// Open opens the file or folder at path.
func Open(path string, o Options) (*Reader, error) {
	o.Name = cmp.Or(o.Name, path)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		o.Format = cmp.Or(o.Format, Folder)
	}
	if o.Format == "" {
		var err error
		if o.Format, err = ByName(path); err != nil && o.Column == "" {
			return nil, err
		}
		if o.Format == Text && o.Column != "" {
			o.Format = "" // there may be labels beside the texts
		}
	}
	return start(o, func() (*table.Reader, error) { return table.Open(path, o.table()) })
}

// NewReader reads from in, which the caller closes. Parquet needs a regular file
// or a [bytes.Reader], because its index is at its end.
func NewReader(in io.Reader, o Options) (*Reader, error) {
	o.Name = cmp.Or(o.Name, "stdin")
	return start(o, func() (*table.Reader, error) { return table.New(in, o.table()) })
}

// Declared is in which form texts stand in a file, as its name and options say: see
// [table.Declared].
type Declared struct {
	rows table.Declared
	opt  Options
}

// Declare says in which form the texts are in the file, the folder or the stream of a
// name. Of what has no name that tells, such as standard input, or another name than
// those of formats, each line is a text unless options say otherwise.
func Declare(path string, o Options) (Declared, error) {
	columns := o.Column != "" || len(o.Beside) > 0
	_, err := ByName(path)
	info, absent := os.Stat(path)
	folder := absent == nil && info.IsDir()
	switch {
	case o.Format != "" || folder:
	case err == nil || columns: // of columns a format must be told
	case o.Delimiter != 0 || o.NoHeader:
		o.Format = CSV
	default:
		o.Format = Text
	}
	d := Declared{opt: o}
	if d.rows, err = table.Declare(path, o.table()); err != nil {
		return d, fmt.Errorf("textfile: %w", err)
	}
	d.opt.Name = cmp.Or(o.Name, path)
	if d.opt.Format = d.rows.Format(); d.opt.Format == Text && columns && o.Column != "text" {
		return d, fmt.Errorf("textfile: %s: each line is a text, and there are no columns: --in-format csv, tsv, jsonl or fasttext reads some", d.opt.Name)
	}
	return d, nil
}

// Format returns the format.
func (d Declared) Format() Format { return d.opt.Format }

// Open opens the file or the folder of the name.
func (d Declared) Open() (*Reader, error) { return begin(d.opt, d.rows.Open) }

// Read reads from in, which the caller closes and which holds what the name stands for.
func (d Declared) Read(in io.Reader) (*Reader, error) {
	return begin(d.opt, func() (*table.Reader, error) { return d.rows.Read(in) })
}

// OpenDeclared opens the file or the folder at path in the form that [Declare] gives it.
func OpenDeclared(path string, o Options) (*Reader, error) {
	d, err := Declare(path, o)
	if err != nil {
		return nil, err
	}
	return d.Open()
}

// ReadDeclared reads from in, which the caller closes and which has no name, in the form
// that [Declare] gives it.
func ReadDeclared(in io.Reader, o Options) (*Reader, error) {
	o.Name = cmp.Or(o.Name, "stdin")
	d, err := Declare("", o)
	if err != nil {
		return nil, err
	}
	return d.Read(in)
}

// start opens a table and finds the column of the texts.
func start(o Options, open func() (*table.Reader, error)) (*Reader, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return begin(o, open)
}

// begin is start for options that fit together.
func begin(o Options, open func() (*table.Reader, error)) (*Reader, error) {
	r := &Reader{opt: o}
	var err error
	r.rows, err = open()
	switch {
	case errors.Is(err, table.ErrEmpty) && o.Format != CSV: // no text is no fault
		r.rows, r.err = nil, io.EOF
		return r, nil
	case err != nil:
		return nil, fmt.Errorf("textfile: %w", err)
	}
	if err = r.find(); err != nil {
		return nil, errors.Join(fmt.Errorf("textfile: %w", err), r.rows.Close())
	}
	return r, nil
}

// find selects the column of the texts: the one that was named, or the only one
// that can be meant.
func (r *Reader) find() error {
	name := r.opt.Column
	columns := r.rows.Columns()
	switch f := r.rows.Format(); {
	case r.rows.Asked() && r.opt.NoHeader && name == "":
		return fmt.Errorf("%s: it has no line of names, must be told which column holds the texts by its number (--text 1)", r.opt.Name)
	case r.rows.Asked() && name != "":
	case len(columns) == 0 && !r.rows.Asked(): // a file without a header and without a row
		return nil
	case f == Parquet:
		return r.findStrings()
	case name != "":
	case f != CSV && f != TSV:
		name = "text"
	case len(columns) == 1 && r.rows.Doubt() != "":
		return fmt.Errorf("%s: it has one column%s", r.opt.Name, r.rows.Doubt())
	case len(columns) == 1:
		name = columns[0]
	case r.opt.NoHeader:
		return fmt.Errorf("%s: it has %d columns, must be told which holds the texts by its number", r.opt.Name, len(columns))
	default:
		return fmt.Errorf("%s: it has %d columns, must be told which holds the texts: one of %s", r.opt.Name, len(columns), table.Listed(columns))
	}
	return r.take(name)
}

// take selects the column of the texts and those beside it.
func (r *Reader) take(name string) error {
	r.column = name
	return r.rows.Select(append([]string{name}, r.opt.Beside...)...)
}

// findStrings selects one of the columns that Parquet declares as strings.
func (r *Reader) findStrings() error {
	var names []string
	kinds := r.rows.Kinds()
	for i, name := range r.rows.Columns() {
		if kinds[i] == table.String {
			names = append(names, name)
		}
	}
	switch name := r.opt.Column; {
	case len(names) == 0:
		return fmt.Errorf("%s: it has no column of strings, must have one", r.opt.Name)
	case name == "" && len(names) > 1:
		return fmt.Errorf("%s: it has %d columns of strings, must be told which holds the texts: one of %s", r.opt.Name, len(names), strings.Join(names, ", "))
	case name != "" && !slices.Contains(names, name):
		return fmt.Errorf("%s: column is %.40q, must be one of %s, the columns of strings%s", r.opt.Name, name, strings.Join(names, ", "), layout.Hint(name, names))
	}
	return r.take(cmp.Or(r.opt.Column, names[0]))
}

// Next returns the next text, or [io.EOF] after the last, or a [*RowError] at a
// bad row. An error is final.
func (r *Reader) Next() (string, error) {
	for r.err == nil {
		row, err := r.rows.Next()
		if err == nil && row[0].Kind == table.String {
			r.beside = row[1:]
			return row[0].Text, nil
		}
		var bad *RowError
		switch {
		case errors.Is(err, table.ErrEmpty) && !r.rows.Header(): // no text is no fault
			r.err = io.EOF
		case errors.Is(err, io.EOF), errors.As(err, &bad):
			r.err = err
		case err != nil:
			r.err = fmt.Errorf("textfile: %w", err)
		case r.opt.SkipBad:
			r.missing++
		case row[0].Kind == table.Missing:
			r.err = r.rows.Bad(r.absent())
		default:
			r.err = r.rows.Bad("the text is not a string")
		}
	}
	return "", r.err
}

// absent says that a text is missing, and under which key it was looked for where
// nothing else says that there is none of that name.
func (r *Reader) absent() string {
	if r.rows.Asked() {
		return fmt.Sprintf("the text is missing, must stand under %q (--text names another)", r.column)
	}
	return "the text is missing"
}

// Declared reports whether a [Declared] opened the reader, so that no row changes how
// another is read.
func (r *Reader) Declared() bool { return r.rows == nil || r.rows.Declared() }

// Beside returns the values of [Options.Beside] in the row that Next returned
// last, valid until it is called again.
func (r *Reader) Beside() []table.Value { return r.beside }

// Column returns the name of the column that holds the texts, "" if there is
// nothing to read.
func (r *Reader) Column() string { return r.column }

// Line returns where the text stands that Next returned last: the line on which
// it begins, or in Parquet and folders the row, counted from 1.
func (r *Reader) Line() int64 {
	if r.rows == nil {
		return 0
	}
	return r.rows.Line()
}

// Format returns the format being read.
func (r *Reader) Format() Format {
	if r.rows == nil {
		return r.opt.Format
	}
	return r.rows.Format()
}

// Invalid returns how many texts so far held bytes that are not of the file's
// encoding.
func (r *Reader) Invalid() int64 {
	if r.rows == nil {
		return 0
	}
	return r.rows.Mended()
}

// Skipped returns how many bad rows were left out so far.
func (r *Reader) Skipped() int64 {
	if r.rows == nil {
		return 0
	}
	return r.rows.Skipped() + r.missing
}

// Notes say what was found out about the file, for a person to read, apart from
// what Invalid and Skipped count. They quote no row.
func (r *Reader) Notes() []string {
	if r.rows == nil {
		return nil
	}
	return r.rows.Found()
}

// Close releases what the reader holds.
func (r *Reader) Close() error {
	if r.err == nil {
		r.err = os.ErrClosed
	}
	if r.rows == nil {
		return nil
	}
	return r.rows.Close()
}
