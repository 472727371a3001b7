package vecfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"sotto/data/rowfile"
	"sotto/internal/regular"
)

// Options say how to read. The zero value reads any width and stops at the
// first bad row.
type Options struct {
	Name    string // of the input, for errors; Open fills in its path, and a stream is "stdin"
	Format  Format // Open takes it from the extension if empty; a stream must give it
	Width   int    // coordinates a row must have; 0 means those of the first good row
	Column  string // the Parquet list column to read; empty means the only one
	SkipBad bool   // leave out bad rows and count them, instead of stopping
	// From and Count choose rows of an NPY file: so many behind the first From.
	// Count 0 means all that follow.
	From, Count int64
	// Declared says that nothing is found out by looking at rows, as it must be under ε: a
	// CSV file has a line of names if Header says so, a line that is too long is a bad row
	// like any other, and where bad rows are skipped the width must be known, or the first
	// row would decide which others are bad.
	Declared bool
	Header   bool // of a CSV file that is Declared
}

// Validate reports options that cannot be met.
func (o Options) Validate() error {
	if !o.Format.valid() {
		return fmt.Errorf("vecfile: format is %q, must be jsonl, csv, npy or parquet", string(o.Format))
	}
	if o.Width < 0 || o.Width > maxWidth {
		return fmt.Errorf("vecfile: width is %d, must be between 0 and %d", o.Width, maxWidth)
	}
	if o.Column != "" && o.Format != Parquet {
		return fmt.Errorf("vecfile: column is %q and format %s, must be parquet", o.Column, o.Format)
	}
	if o.Header && (!o.Declared || o.Format != CSV) {
		return fmt.Errorf("vecfile: format is %s, must be csv where there may be a line of names", o.Format)
	}
	if o.From < 0 || o.Count < 0 || (o.From > 0 || o.Count > 0) && o.Format != NPY {
		return fmt.Errorf("vecfile: rows are %d behind %d of a file in format %s, must be positive and npy", o.Count, o.From, o.Format)
	}
	return nil
}

// part returns where the chosen rows begin and end, of so many.
func (o Options) part(rows int64) (from, end int64, err error) {
	if o.From > rows || o.Count > rows-o.From {
		return 0, 0, fmt.Errorf("has %d rows, must have %d and %d more", rows, o.From, o.Count)
	}
	if o.Count == 0 {
		return o.From, rows, nil
	}
	return o.From, o.From + o.Count, nil
}

// source yields the rows of one format.
type source interface {
	// read fills dst with rows and lines with their places, one for each row
	// that fits, and returns how many it read before err. After a *RowError
	// it stands behind the bad row and can be read further.
	read(dst []float64, lines []int64) (int, error)
}

// Reader reads rows. It is not safe for concurrent use, but for Close.
type Reader struct {
	busy    sync.Mutex  // held while rows are read
	closed  atomic.Bool // Close was called
	opt     Options
	src     source
	in      *rowfile.Input
	width   int
	rows    int64
	single  bool // 32-bit numbers
	header  bool
	dropped dropped
	skipped int64
	lines   []int64 // places of the rows last read
	err     error   // what every further read returns
}

// Open opens the file at path and reads as far as its first good row, which
// fixes the width.
func Open(path string, o Options) (*Reader, error) {
	o.Name = cmp.Or(o.Name, path)
	if o.Format == "" {
		var err error
		if o.Format, err = ByName(path); err != nil {
			return nil, err
		}
	}
	f, _, err := regular.Open(path, regular.Most)
	if err != nil {
		return nil, fmt.Errorf("vecfile: %w", err)
	}
	r, err := NewReader(f, o)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.in.OnClose(f.Close)
	return r, nil
}

// NewReader reads from in, which the caller closes, as far as the first good
// row. All formats are streamed except Parquet, whose index is at its end:
// unless in is a regular file, it is first copied to a temporary file that
// only the owner can read.
func NewReader(in io.Reader, o Options) (*Reader, error) {
	o.Name = cmp.Or(o.Name, "stdin")
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := &Reader{opt: o, in: rowfile.NewInput(in), width: o.Width, rows: -1}
	if err := r.open(); err != nil {
		return nil, errors.Join(err, r.in.Close())
	}
	return r, nil
}

// open prepares the source of the reader's format.
func (r *Reader) open() error {
	switch r.opt.Format {
	case JSONL:
		return r.openRows(&jsonl{lines: newLines(r)})
	case CSV:
		return r.openCSV()
	case NPY:
		return r.openNPY()
	default: // Validate knows no other
		return r.openParquet()
	}
}

// ReadRows fills dst from its start with as many rows as are at hand, and at
// least one. It returns their number, or 0 and an error: [io.EOF] after the
// last row, a [*RowError] at a bad row. An error is final. It panics if the
// length of dst is not a positive multiple of a positive Width.
func (r *Reader) ReadRows(dst []float64) (int, error) {
	r.busy.Lock()
	defer r.leave()
	if r.closed.Load() {
		return 0, os.ErrClosed
	}
	if r.width > 0 && (len(dst) == 0 || len(dst)%r.width != 0) {
		panic(fmt.Sprintf("vecfile: ReadRows into %d numbers, must be a positive multiple of %d", len(dst), r.width))
	}
	n := 0
	for n == 0 && r.err == nil {
		want := len(dst) / max(r.width, 1)
		r.lines = slices.Grow(r.lines[:0], want)[:want]
		var err error
		n, err = r.src.read(dst, r.lines)
		r.err = r.pass(err)
	}
	if n > 0 {
		return n, nil
	}
	return 0, r.err
}

// pass returns err, or nil if it is a bad row to be skipped.
func (r *Reader) pass(err error) error {
	var bad *RowError
	if r.opt.SkipBad && errors.As(err, &bad) {
		r.skipped++
		return nil
	}
	return err
}

// Width returns the number of coordinates of a row, or 0 if there is no row
// that could tell.
func (r *Reader) Width() int { return r.width }

// Rows returns the number of rows that the file promises, bad ones included,
// or -1 if it does not say.
func (r *Reader) Rows() int64 { return r.rows }

// Float32 reports whether the numbers in the file have at most 32 bits.
func (r *Reader) Float32() bool { return r.single }

// Declared reports whether nothing was found out by looking at rows.
func (r *Reader) Declared() bool { return r.opt.Declared }

// Header reports whether a CSV file began with a line of names.
func (r *Reader) Header() bool { return r.header }

// Format returns the format being read.
func (r *Reader) Format() Format { return r.opt.Format }

// Skipped returns how many bad rows were left out so far.
func (r *Reader) Skipped() int64 { return r.skipped }

// Dropped returns the names of the JSON keys met so far, or of the Parquet
// columns, that hold no part of a vector: at most 32 of them, long ones cut.
func (r *Reader) Dropped() []string { return slices.Clone(r.dropped) }

// Places remembers where some rows stand, for faults that only the caller can
// find, and maybe finds after further rows have been read.
type Places struct {
	r     *Reader
	lines []int64
}

// Mark makes p remember the rows last read.
func (r *Reader) Mark(p *Places) {
	p.r = r
	p.lines = append(p.lines[:0], r.lines...)
}

// Refuse returns the error to report for row i of those remembered, counted
// from 0. The reason must not quote the row. It panics if there was no such
// row.
func (p *Places) Refuse(i int, reason string) *RowError {
	return p.r.rowError(p.lines[i], 0, reason)
}

// Close releases what the reader holds: at once, or where another goroutine
// waits for rows that may never come, when that read ends.
func (r *Reader) Close() error {
	r.closed.Store(true)
	return r.release()
}

// leave ends a read. Whoever sees both the reader closed and nobody reading
// releases it: the flag is set before Close looks, and looked at after the
// reading goroutine has left, so one of the two does.
func (r *Reader) leave() {
	r.busy.Unlock()
	if r.closed.Load() {
		r.release() //nolint:errcheck // Close has returned, nobody is left to tell
	}
}

// release closes the input unless somebody reads.
func (r *Reader) release() error {
	if !r.busy.TryLock() {
		return nil
	}
	defer r.busy.Unlock()
	return r.in.Close()
}

func (r *Reader) rowError(line int64, column int, reason string) *RowError {
	return &RowError{Name: r.opt.Name, Line: line, Column: column, Reason: reason, Rows: r.opt.Format == NPY || r.opt.Format == Parquet}
}

// errorf returns an error about the file as a whole.
func (r *Reader) errorf(format string, args ...any) error {
	return fmt.Errorf("vecfile: %s: "+format, append([]any{r.opt.Name}, args...)...)
}

// wrap adds the file to an error that is not the end of it.
func (r *Reader) wrap(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return r.errorf("%w", err)
}

// setWidth fixes the width of a format that declares it.
func (r *Reader) setWidth(w int) error {
	if w < 1 || w > maxWidth {
		return r.errorf("has %s, must have between 1 and %d", columns(w), maxWidth)
	}
	if r.width != 0 && w != r.width {
		return r.errorf("%s", wrongWidth(w, r.width))
	}
	r.width = w
	return nil
}
