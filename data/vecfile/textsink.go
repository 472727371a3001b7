package vecfile

import (
	"fmt"
	"io"
	"strconv"
)

// textSink writes a row as a line: numbers between commas.
type textSink struct {
	out        io.Writer
	opt        WriterOptions
	besides    *besides
	open, stop string // around the numbers
	buf        []byte
}

// textBlock is about how many bytes are written at once.
const textBlock = 1 << 18

func newCSVSink(out io.Writer, o WriterOptions, b *besides) (*textSink, error) {
	s := &textSink{out: out, opt: o, besides: b, stop: "\n"}
	if !o.Header && len(o.Beside) == 0 {
		return s, nil
	}
	if err := s.header(); err != nil {
		return nil, err
	}
	for i := range o.Width {
		if i > 0 {
			s.buf = append(s.buf, ',')
		}
		s.buf = append(s.buf, 'v')
		s.buf = strconv.AppendInt(s.buf, int64(i), 10)
	}
	s.buf = append(s.buf, '\n')
	return s, s.flush()
}

// write implements [sink]. It holds nothing back, so that rows pass through
// as they arrive.
func (s *textSink) write(rows []float64) error {
	bits := 64
	if s.opt.Float32 {
		bits = 32
	}
	for len(rows) > 0 {
		if err := s.begin(); err != nil {
			return err
		}
		for i, v := range rows[:s.opt.Width] {
			if !finite(v, s.opt.Float32) {
				return errNotFinite
			}
			if i > 0 {
				s.buf = append(s.buf, ',')
			}
			// The shortest text that reads back as the same number. JSON has
			// the same exponents.
			s.buf = strconv.AppendFloat(s.buf, v, 'g', -1, bits)
		}
		s.buf = append(s.buf, s.stop...)
		rows = rows[s.opt.Width:]
		if len(s.buf) >= textBlock {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return s.flush()
}

// begin writes what stands before the numbers of a row.
func (s *textSink) begin() (err error) {
	switch {
	case len(s.opt.Beside) == 0:
		s.buf = append(s.buf, s.open...)
	case s.open == "":
		s.buf, err = appendCSV(s.buf, s.besides.next())
	default:
		s.buf = appendJSON(s.buf, s.opt.Beside, s.besides.next())
	}
	return err
}

// header writes the names of what stands beside the vectors.
func (s *textSink) header() (err error) {
	if len(s.opt.Beside) == 0 {
		return nil
	}
	names := make([]Field, len(s.opt.Beside))
	for i, name := range s.opt.Beside {
		names[i].Text = name
	}
	s.buf, err = appendCSV(s.buf, names)
	return err
}

func (s *textSink) flush() error {
	_, err := s.out.Write(s.buf)
	s.buf = s.buf[:0]
	if err != nil {
		return fmt.Errorf("vecfile: %w", err)
	}
	return nil
}

// close implements [sink].
func (s *textSink) close() error { return nil }
