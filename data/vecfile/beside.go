package vecfile

import (
	encodingcsv "encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// Field is a value that stands beside a vector, such as the id of its row.
type Field struct {
	Text    string
	Bare    bool // a number or a truth value, written in JSON as it is
	Missing bool
}

// checkBeside refuses columns that nobody could tell from a vector, or from each
// other.
func (o WriterOptions) checkBeside() error {
	for i, name := range o.Beside {
		switch {
		case name == "":
			return errors.New("vecfile: a column beside the vectors has no name, must have one")
		case slices.Contains(keys, name):
			return fmt.Errorf("vecfile: a column beside the vectors is called %q, must not be one of %s, by which vectors are called", name, strings.Join(keys, ", "))
		case slices.Contains(o.Beside[:i], name):
			return fmt.Errorf("vecfile: two columns beside the vectors are called %q, must differ", name)
		}
	}
	return nil
}

// keys are what vectors may be called in JSON.
var keys = []string{"x", "vector", "embedding", "y"}

// WriteBeside writes whole rows, each after its fields, one for each name of
// [WriterOptions.Beside]. Otherwise it is [Writer.WriteRows]. It panics if their
// numbers differ.
func (w *Writer) WriteBeside(rows []float64, fields [][]Field) error {
	if len(fields)*w.opt.Width != len(rows) {
		panic(fmt.Sprintf("vecfile: fields of %d rows beside %d numbers, must be %d a row", len(fields), len(rows), w.opt.Width))
	}
	if len(w.opt.Beside) == 0 {
		return w.WriteRows(rows)
	}
	w.besides.set(fields)
	return w.WriteRows(rows)
}

// WritePairs is [Writer.WriteBeside] of rows with what each was before its release, of
// [WriterOptions.Raw] numbers. It panics if their numbers differ.
func (w *Writer) WritePairs(raw []float32, rows []float64, fields [][]Field) error {
	if w.opt.Raw == 0 || len(raw)/w.opt.Raw*w.opt.Width != len(rows) || len(raw)%w.opt.Raw != 0 {
		panic(fmt.Sprintf("vecfile: %d numbers before their release and %d after it, must be %d and %d a row", len(raw), len(rows), w.opt.Raw, w.opt.Width))
	}
	for i, v := range raw {
		if !finite(float64(v), true) && w.err == nil {
			w.err = fmt.Errorf("vecfile: output row %d, column x is not finite", w.rows+int64(i/w.opt.Raw)+1)
		}
	}
	w.besides.raw = raw
	if len(w.opt.Beside) == 0 {
		fields = make([][]Field, len(rows)/w.opt.Width)
	}
	w.besides.set(fields)
	return w.WriteRows(rows)
}

// besides hands a sink the fields of the rows that it is writing.
type besides struct {
	fields [][]Field
	raw    []float32 // what the rows were; empty where that is not written
}

func (b *besides) set(fields [][]Field) { b.fields = fields }

// next returns the fields of the next row.
func (b *besides) next() []Field {
	if len(b.fields) == 0 {
		panic("vecfile: WriteRows without the fields that stand beside a vector")
	}
	first := b.fields[0]
	b.fields = b.fields[1:]
	return first
}

// before returns the so many numbers that the next row was.
func (b *besides) before(width int) []float32 {
	if len(b.raw) < width {
		panic("vecfile: WriteRows without what the rows were before their release")
	}
	first := b.raw[:width]
	b.raw = b.raw[width:]
	return first
}

// appendJSON writes the fields of a row before its numbers.
func appendJSON(buf []byte, names []string, fields []Field) []byte {
	buf = append(buf, '{')
	for i, f := range fields {
		buf = append(appendString(buf, names[i]), ':')
		switch {
		case f.Missing:
			buf = append(buf, "null"...)
		case f.Bare && json.Valid([]byte(f.Text)):
			buf = append(buf, f.Text...)
		default:
			buf = appendString(buf, f.Text)
		}
		buf = append(buf, ',')
	}
	return append(buf, `"y":[`...)
}

func appendString(buf []byte, s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // of a string
	}
	return append(buf, b...)
}

// appendCSV writes fields, each with a comma behind it.
func appendCSV(buf []byte, fields []Field) ([]byte, error) {
	var b strings.Builder
	w := encodingcsv.NewWriter(&b)
	texts := make([]string, len(fields))
	for i, f := range fields {
		texts[i] = f.Text
	}
	if err := w.Write(texts); err != nil {
		return buf, fmt.Errorf("vecfile: %w", err)
	}
	w.Flush()
	line := strings.TrimSuffix(b.String(), "\n")
	return append(append(buf, line...), ','), nil
}

// tableSink writes Parquet with further columns of strings.
type tableSink struct {
	out     *parquet.GenericWriter[any]
	opt     WriterOptions
	besides *besides
	places  []int // of the fields' columns
	vector  int   // of the vectors' column
	raw     int   // of the column of what they were; -1 without one
	group   int
	queued  int
	rows    []parquet.Row
}

func newTableSink(out io.Writer, o WriterOptions, b *besides) *tableSink {
	size, leaf := 8, parquet.Leaf(parquet.DoubleType)
	if o.Float32 {
		size, leaf = 4, parquet.Leaf(parquet.FloatType)
	}
	columns := parquet.Group{"y": parquet.List(leaf)}
	for _, name := range o.Beside {
		columns[name] = parquet.Optional(parquet.String())
	}
	order := append(slices.Clone(o.Beside), "y")
	if o.Raw > 0 {
		columns["x"], order = parquet.List(parquet.Leaf(parquet.FloatType)), append(order, "x")
	}
	slices.Sort(order) // as a group is
	config := parquet.DefaultWriterConfig()
	config.CreatedBy, config.KeyValueMetadata = "sotto", o.Metadata
	config.DataPageStatistics = false
	config.PageBufferSize = 1 << 20
	config.Schema = parquet.NewSchema("vectors", columns)
	s := &tableSink{out: parquet.NewGenericWriter[any](out, config), opt: o, besides: b, group: max(groupBytes/size/(o.Width+o.Raw+8*len(o.Beside)), 1)}
	for _, name := range o.Beside {
		s.places = append(s.places, slices.Index(order, name))
	}
	s.vector, s.raw = slices.Index(order, "y"), slices.Index(order, "x")
	return s
}

// write implements [sink].
func (s *tableSink) write(rows []float64) error {
	for _, v := range rows {
		if !finite(v, s.opt.Float32) {
			return errNotFinite
		}
	}
	s.rows = s.rows[:0]
	for y := range slices.Chunk(rows, s.opt.Width) {
		s.rows = append(s.rows, s.row(y, s.besides.next()))
	}
	for len(s.rows) > 0 {
		n := min(len(s.rows), s.group-s.queued)
		_, err := s.out.WriteRows(s.rows[:n])
		if s.queued += n; err == nil && s.queued == s.group {
			s.queued = 0
			err = s.out.Flush()
		}
		if err != nil {
			return fmt.Errorf("vecfile: %w", err)
		}
		s.rows = s.rows[n:]
	}
	return nil
}

// row returns a row with its columns in the order of the file.
func (s *tableSink) row(y []float64, fields []Field) parquet.Row {
	columns := make([][]parquet.Value, len(fields)+2)
	for i, f := range fields {
		v := parquet.NullValue().Level(0, 0, s.places[i])
		if !f.Missing {
			v = parquet.ByteArrayValue([]byte(f.Text)).Level(0, 1, s.places[i])
		}
		columns[s.places[i]] = []parquet.Value{v}
	}
	for i, number := range y {
		v := parquet.DoubleValue(number)
		if s.opt.Float32 {
			v = parquet.FloatValue(float32(number))
		}
		columns[s.vector] = append(columns[s.vector], v.Level(min(i, 1), 1, s.vector))
	}
	if s.raw >= 0 {
		for i, number := range s.besides.before(s.opt.Raw) {
			columns[s.raw] = append(columns[s.raw], parquet.FloatValue(number).Level(min(i, 1), 1, s.raw))
		}
	}
	return slices.Concat(columns...)
}

// describe implements [described].
func (s *tableSink) describe(key, value string) { s.out.SetKeyValueMetadata(key, value) }

// close implements [sink].
func (s *tableSink) close() error {
	if err := s.out.Close(); err != nil {
		return fmt.Errorf("vecfile: %w", err)
	}
	return nil
}
