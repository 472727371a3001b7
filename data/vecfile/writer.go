package vecfile

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// WriterOptions say what to write.
type WriterOptions struct {
	Width    int               // coordinates a row has, at least 1
	Float32  bool              // round to 32 bits
	Header   bool              // begin a CSV file with the names v0, v1, …
	Metadata map[string]string // stored in a Parquet file; the other formats have no place for it
	// Beside names columns of strings that stand beside the vectors: keys of JSON
	// lines, columns of CSV before the numbers, which then has a header, and of
	// Parquet. NPY has no place for them.
	Beside []string
	// Raw is how many numbers a row had before it was released, where both are written,
	// as the columns x, of 32 bits, and y of a Parquet file; 0 for one vector a row.
	Raw  int
	Rows int64 // rows to come, for an NPY file that goes to a pipe; 0 means unknown
}

// Validate reports options that cannot be met.
func (o WriterOptions) Validate() error {
	if o.Width < 1 || o.Width > maxWidth {
		return fmt.Errorf("vecfile: width is %d, must be between 1 and %d", o.Width, maxWidth)
	}
	if o.Raw < 0 || o.Raw > maxWidth {
		return fmt.Errorf("vecfile: raw width is %d, must be between 0 and %d", o.Raw, maxWidth)
	}
	if o.Rows < 0 {
		return fmt.Errorf("vecfile: rows is %d, must not be negative", o.Rows)
	}
	return o.checkBeside()
}

// sink writes the rows of one format.
type sink interface {
	// write writes whole rows. If not all of them are finite, in the
	// precision chosen, it returns errNotFinite.
	write(rows []float64) error
	close() error
}

// described is a sink of a format that has a place for metadata.
type described interface{ describe(key, value string) }

// Writer writes rows. It is not safe for concurrent use.
type Writer struct {
	opt  WriterOptions
	sink sink
	rows int64
	err  error // what every further call returns

	besides besides
}

// errNotFinite is replaced by one that says where.
var errNotFinite = errors.New("vecfile: a number is not finite")

// NewWriter starts a file of the given format on out, which the caller closes
// after the Writer. NPY states the number of rows at its head, so there out
// must be an [io.WriteSeeker] that can seek, such as a file, or the number of
// rows must be given and kept.
func NewWriter(out io.Writer, f Format, o WriterOptions) (*Writer, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	w := &Writer{opt: o}
	var err error
	switch beside := len(o.Beside) > 0; {
	case o.Raw > 0 && f != Parquet:
		err = fmt.Errorf("vecfile: format is %s, which holds one vector a row, must be parquet for two", f)
	case f == JSONL:
		w.sink = &textSink{out: out, opt: o, besides: &w.besides, open: `{"y":[`, stop: "]}\n"}
	case f == CSV:
		w.sink, err = newCSVSink(out, o, &w.besides)
	case f == NPY && beside:
		err = errors.New("vecfile: format is npy, which holds numbers alone, must be jsonl, csv or parquet for columns beside the vectors")
	case f == Parquet && (beside || o.Raw > 0):
		w.sink = newTableSink(out, o, &w.besides)
	case f == NPY:
		w.sink, err = newNPYSink(out, o)
	case f == Parquet && o.Float32:
		w.sink = newParquetSink[float32](out, o, 4)
	case f == Parquet:
		w.sink = newParquetSink[float64](out, o, 8)
	default:
		err = fmt.Errorf("vecfile: format is %q, must be jsonl, csv, npy or parquet", string(f))
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

// WriteRows writes whole rows and does not retain them. A number that is not
// finite, or too large for 32 bits where those are asked for, is an error. An
// error is final. It panics if the length of rows is not a multiple of the
// width.
func (w *Writer) WriteRows(rows []float64) error {
	if len(rows)%w.opt.Width != 0 {
		panic(fmt.Sprintf("vecfile: WriteRows of %d numbers, must be a multiple of %d", len(rows), w.opt.Width))
	}
	if w.err != nil || len(rows) == 0 {
		return w.err
	}
	w.err = w.sink.write(rows)
	if errors.Is(w.err, errNotFinite) {
		w.err = w.locate(rows)
	}
	w.rows += int64(len(rows) / w.opt.Width)
	return w.err
}

// locate says which number is not finite, without quoting it.
func (w *Writer) locate(rows []float64) error {
	for i, v := range rows {
		if finite(v, w.opt.Float32) {
			continue
		}
		kind := "finite"
		if w.opt.Float32 {
			kind = "finite in 32 bits"
		}
		return fmt.Errorf("vecfile: output row %d, column %d is not %s", w.rows+int64(i/w.opt.Width)+1, i%w.opt.Width+1, kind)
	}
	return errNotFinite
}

// finite reports whether v can be written.
func finite(v float64, single bool) bool {
	if single {
		v = float64(float32(v))
	}
	return v-v == 0
}

// Describe stores what is known of the rows only once they are written, in the place of
// what [WriterOptions.Metadata] has under the key; a format without a place for it
// stores nothing.
func (w *Writer) Describe(key, value string) {
	if s, ok := w.sink.(described); ok && w.err == nil {
		s.describe(key, value)
	}
}

// Close completes the file. It does not close what is below, and after an
// error it writes nothing more.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	w.err = os.ErrClosed
	return w.sink.close()
}
