package vecfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// npyHead is the fixed size of the header, a multiple of 64 as NumPy aligns
// it, with room for any number of rows.
const npyHead = 128

// npySink writes an NPY file of version 1.0, in little endian and C order.
type npySink struct {
	out    io.Writer
	seek   io.WriteSeeker // nil if the header cannot be corrected
	start  int64          // where in seek the file begins
	opt    WriterOptions
	size   int // bytes of a number
	encode func(b []byte, rows []float64) (finite bool)
	rows   int64
	buf    []byte
}

func newNPYSink(out io.Writer, o WriterOptions) (*npySink, error) {
	s := &npySink{out: out, opt: o, size: 8, encode: encode64}
	if o.Float32 {
		s.size, s.encode = 4, encode32
	}
	if f, ok := out.(io.WriteSeeker); ok {
		// A pipe is a file too, and says here that it cannot seek.
		if pos, err := f.Seek(0, io.SeekCurrent); err == nil {
			s.seek, s.start = f, pos
		}
	}
	if s.seek == nil && o.Rows == 0 {
		return nil, errors.New("vecfile: npy to an output that cannot seek needs the number of rows beforehand: write to a file, or as csv, jsonl or parquet")
	}
	s.buf = make([]byte, max(npyBlock/s.size/o.Width, 1)*o.Width*s.size)
	return s, s.put(s.header(o.Rows))
}

// header returns the header of a file with the given number of rows.
func (s *npySink) header(rows int64) []byte {
	dict := fmt.Sprintf("{'descr': '<f%d', 'fortran_order': False, 'shape': (%d, %d), }", s.size, rows, s.opt.Width)
	b := append(make([]byte, 0, npyHead), npyMagic+"\x01\x00"...)
	b = binary.LittleEndian.AppendUint16(b, npyHead-10)
	b = append(b, dict...)
	b = append(b, strings.Repeat(" ", npyHead-1-len(b))...)
	return append(b, '\n')
}

// write implements [sink].
func (s *npySink) write(rows []float64) error {
	for len(rows) > 0 {
		n := min(len(rows), len(s.buf)/s.size)
		b := s.buf[:n*s.size]
		if !s.encode(b, rows[:n]) {
			return errNotFinite
		}
		if err := s.put(b); err != nil {
			return err
		}
		s.rows += int64(n / s.opt.Width)
		rows = rows[n:]
	}
	return nil
}

func (s *npySink) put(b []byte) error {
	if _, err := s.out.Write(b); err != nil {
		return fmt.Errorf("vecfile: %w", err)
	}
	return nil
}

// close implements [sink]: it corrects the number of rows in the header.
func (s *npySink) close() error {
	if s.rows == s.opt.Rows {
		return nil
	}
	if s.seek == nil {
		return fmt.Errorf("vecfile: %d rows were written, must be %d as the header already says", s.rows, s.opt.Rows)
	}
	end, err := s.seek.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = s.seek.Seek(s.start, io.SeekStart)
	}
	if err == nil {
		_, err = s.out.Write(s.header(s.rows))
	}
	if err == nil {
		// A file opened for appending takes the header at its end.
		if pos, seekErr := s.seek.Seek(0, io.SeekCurrent); seekErr != nil || pos != s.start+npyHead {
			return errors.New("vecfile: npy to a file opened for appending must know the number of rows beforehand")
		}
		_, err = s.seek.Seek(end, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("vecfile: %w", err)
	}
	return nil
}
