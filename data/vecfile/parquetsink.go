package vecfile

import (
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
)

// groupBytes is about how much a row group holds. The library keeps a row
// group in memory until it is complete, and a file can have 32767 of them.
const groupBytes = 32 << 20

// list is a row of the file.
type list[T float32 | float64] struct {
	Y []T `parquet:"y,list"`
}

// parquetSink writes one column of lists named y.
type parquetSink[T float32 | float64] struct {
	out    *parquet.GenericWriter[list[T]]
	opt    WriterOptions
	group  int // rows a row group takes
	queued int // rows in the one at hand
	vals   []T
	rows   []list[T]
}

func newParquetSink[T float32 | float64](out io.Writer, o WriterOptions, size int) *parquetSink[T] {
	config := parquet.DefaultWriterConfig()
	config.CreatedBy = "sotto"
	config.KeyValueMetadata = o.Metadata
	// Noise has no bounds worth searching by.
	config.DataPageStatistics = false
	config.SkipPageBounds = [][]string{{"y", "list", "element"}}
	config.PageBufferSize = 1 << 20
	// By default the name of the Go type is the name of the schema.
	config.Schema = parquet.NewSchema("vectors", parquet.SchemaOf(list[T]{}))
	return &parquetSink[T]{out: parquet.NewGenericWriter[list[T]](out, config), opt: o, group: max(groupBytes/size/o.Width, 1)}
}

// listBlock is about how many numbers are converted at once.
const listBlock = 1 << 16

// write implements [sink].
func (s *parquetSink[T]) write(rows []float64) error {
	for _, v := range rows {
		if !finite(v, s.opt.Float32) {
			return errNotFinite
		}
	}
	for len(rows) > 0 {
		n := min(len(rows)/s.opt.Width, s.group-s.queued, max(listBlock/s.opt.Width, 1))
		s.vals, s.rows = s.vals[:0], s.rows[:0]
		for _, v := range rows[:n*s.opt.Width] {
			s.vals = append(s.vals, T(v))
		}
		for y := range slices.Chunk(s.vals, s.opt.Width) {
			s.rows = append(s.rows, list[T]{y})
		}
		_, err := s.out.Write(s.rows)
		if s.queued += n; err == nil && s.queued == s.group {
			s.queued = 0
			err = s.out.Flush()
		}
		if err != nil {
			return fmt.Errorf("vecfile: %w", err)
		}
		rows = rows[n*s.opt.Width:]
	}
	return nil
}

// describe implements [described].
func (s *parquetSink[T]) describe(key, value string) { s.out.SetKeyValueMetadata(key, value) }

// close implements [sink].
func (s *parquetSink[T]) close() error {
	if err := s.out.Close(); err != nil {
		return fmt.Errorf("vecfile: %w", err)
	}
	return nil
}
