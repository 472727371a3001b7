package vecfile_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"sotto/data/vecfile"
)

var formats = []vecfile.Format{vecfile.JSONL, vecfile.CSV, vecfile.NPY, vecfile.Parquet}

var negZero = math.Copysign(0, -1)

// readAll reads everything that r has, rowsAtOnce rows at a time.
func readAll(r *vecfile.Reader, rowsAtOnce int) ([]float64, error) {
	var all []float64
	block := make([]float64, max(rowsAtOnce*r.Width(), 1))
	for {
		n, err := r.ReadRows(block)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, block[:n*r.Width()]...)
	}
}

// parse reads a whole file given as a string.
func parse(s string, o vecfile.Options) (rows []float64, r *vecfile.Reader, err error) {
	r, err = vecfile.NewReader(bytes.NewReader([]byte(s)), o)
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	rows, err = readAll(r, 3)
	return rows, r, err
}

// encode writes rows as a whole file in memory.
func encode(tb testing.TB, f vecfile.Format, o vecfile.WriterOptions, rows []float64) string {
	tb.Helper()
	var out seekBuffer
	w, err := vecfile.NewWriter(&out, f, o)
	if err != nil {
		tb.Fatalf("NewWriter(%s, %+v): %v", f, o, err)
	}
	if err := w.WriteRows(rows); err != nil {
		tb.Fatalf("WriteRows(%s, %+v): %v", f, o, err)
	}
	if err := w.Close(); err != nil {
		tb.Fatalf("Close(%s, %+v): %v", f, o, err)
	}
	return string(out.b)
}

// write puts content into a file of its own.
func write(tb testing.TB, name, content string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		tb.Fatal(err)
	}
	return path
}

// same compares bit by bit, so that −0 and 0 differ.
func same(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return false
		}
	}
	return true
}

// message is the text of err, or "" for nil.
func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// numbers returns n numbers that 32 bits hold and that need all their digits.
func numbers(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(float32(i%1999)/997 - 1)
	}
	return x
}

// stream hides that a reader is more than a stream.
type stream struct{ io.Reader }

// broken yields its content and then the error of a failing device.
type broken struct{ io.Reader }

var errDevice = errors.New("device failed")

func (b broken) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if err == io.EOF {
		err = errDevice
	}
	return n, err
}

// seekBuffer is a file in memory.
type seekBuffer struct {
	b   []byte
	pos int64
}

var _ io.WriteSeeker = (*seekBuffer)(nil)

func (s *seekBuffer) Write(p []byte) (int, error) {
	if need := s.pos + int64(len(p)); need > int64(len(s.b)) {
		s.b = append(s.b, make([]byte, need-int64(len(s.b)))...)
	}
	s.pos += int64(copy(s.b[s.pos:], p))
	return len(p), nil
}

func (s *seekBuffer) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
		s.pos = offset
	case io.SeekCurrent:
		s.pos += offset
	case io.SeekEnd:
		s.pos = int64(len(s.b)) + offset
	}
	return s.pos, nil
}
