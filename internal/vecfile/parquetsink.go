package vecfile

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"
)

// groupBytes is about how much a row group holds. The library keeps a row
// group in memory until it is complete, and a file can have 32767 of them.
const groupBytes = 32 << 20

// parquetSink writes one column of lists named y.
type parquetSink struct {
	lists  listWriter
	opt    WriterOptions
	group  int // rows a row group takes
	queued int // rows in the one at hand
}

// listWriter hides the type of the numbers.
type listWriter interface {
	write(rows []float64, width int) error
	Flush() error
	Close() error
}

func newParquetSink(out io.Writer, o WriterOptions) *parquetSink {
	config := parquet.DefaultWriterConfig()
	config.CreatedBy = "sotto"
	config.KeyValueMetadata = o.Metadata
	// Noise has no bounds worth searching by.
	config.DataPageStatistics = false
	config.SkipPageBounds = [][]string{{"y", "list", "element"}}
	config.PageBufferSize = 1 << 20
	size := 8
	if o.Float32 {
		size = 4
	}
	s := &parquetSink{opt: o, group: max(groupBytes/size/o.Width, 1)}
	if o.Float32 {
		s.lists = newLists[float32](out, config)
	} else {
		s.lists = newLists[float64](out, config)
	}
	return s
}

// write implements [sink].
func (s *parquetSink) write(rows []float64) error {
	for _, v := range rows {
		if !finite(v, s.opt.Float32) {
			return errNotFinite
		}
	}
	for len(rows) > 0 {
		n := min(len(rows)/s.opt.Width, s.group-s.queued)
		err := s.lists.write(rows[:n*s.opt.Width], s.opt.Width)
		if s.queued += n; err == nil && s.queued == s.group {
			s.queued = 0
			err = s.lists.Flush()
		}
		if err != nil {
			return fmt.Errorf("vecfile: %w", err)
		}
		rows = rows[n*s.opt.Width:]
	}
	return nil
}

// close implements [sink].
func (s *parquetSink) close() error {
	if err := s.lists.Close(); err != nil {
		return fmt.Errorf("vecfile: %w", err)
	}
	return nil
}

// list is a row of the file.
type list[T float32 | float64] struct {
	Y []T `parquet:"y,list"`
}

// lists converts rows for the library.
type lists[T float32 | float64] struct {
	*parquet.GenericWriter[list[T]]
	vals []T
	rows []list[T]
}

func newLists[T float32 | float64](out io.Writer, config *parquet.WriterConfig) *lists[T] {
	// By default the name of the Go type is the name of the schema.
	config.Schema = parquet.NewSchema("vectors", parquet.SchemaOf(list[T]{}))
	return &lists[T]{GenericWriter: parquet.NewGenericWriter[list[T]](out, config)}
}

// listBlock is about how many numbers are converted at once.
const listBlock = 1 << 16

func (l *lists[T]) write(rows []float64, width int) error {
	block := max(listBlock/width, 1) * width
	for len(rows) > 0 {
		n := min(block, len(rows))
		l.vals, l.rows = l.vals[:0], l.rows[:0]
		for _, v := range rows[:n] {
			l.vals = append(l.vals, T(v))
		}
		for i := 0; i < n; i += width {
			l.rows = append(l.rows, list[T]{Y: l.vals[i : i+width]})
		}
		if _, err := l.Write(l.rows); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}
