package records

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// rows is a table of texts on disk. Of each row eight bytes are in memory.
type rows struct {
	file  *os.File
	w     *bufio.Writer
	start []int64 // of each row, and the end
	dirty bool
}

// NewRows returns an empty table.
func NewRows() (*rows, error) {
	f, err := temporary()
	if err != nil {
		return nil, err
	}
	return &rows{file: f, w: bufio.NewWriterSize(f, 1<<18), start: []int64{0}}, nil
}

// Len returns how many rows there are.
func (r *rows) Len() int { return len(r.start) - 1 }

// Add adds a row.
func (r *rows) Add(fields []string) error {
	end := r.start[len(r.start)-1]
	var b [binary.MaxVarintLen64]byte
	for _, text := range fields {
		n := binary.PutUvarint(b[:], uint64(len(text)))
		if _, err := r.w.Write(b[:n]); err != nil {
			return err
		}
		if _, err := r.w.WriteString(text); err != nil {
			return err
		}
		end += int64(n) + int64(len(text))
	}
	r.start = append(r.start, end)
	r.dirty = true
	return nil
}

// Flush makes what was added readable. It must come before the first Read.
func (r *rows) Flush() error {
	r.dirty = false
	return r.w.Flush()
}

// mostRead bounds what is read at once, 1 MB unless one row is longer.
const mostRead = 1 << 20

// Read calls visit with the rows from lo up to hi, in order.
func (r *rows) Read(lo, hi int, visit func(i int, fields []string) error) error {
	if r.dirty {
		return errors.New("block: rows were added and not flushed")
	}
	var buf []byte
	for lo < hi {
		to := lo + 1
		for to < hi && r.start[to+1]-r.start[lo] <= mostRead {
			to++
		}
		size := int(r.start[to] - r.start[lo])
		if cap(buf) < size {
			buf = make([]byte, size)
		}
		buf = buf[:size]
		if _, err := r.file.ReadAt(buf, r.start[lo]); err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		rest := buf
		for i := lo; i < to; i++ {
			n := int(r.start[i+1] - r.start[i])
			fields, err := decode(rest[:n])
			if err != nil {
				return fmt.Errorf("block: row %d: %w", i, err)
			}
			rest = rest[n:]
			if err := visit(i, fields); err != nil {
				return err
			}
		}
		lo = to
	}
	return nil
}

// decode returns the fields of a row.
func decode(b []byte) (out []string, err error) {
	for len(b) > 0 {
		n, used := binary.Uvarint(b)
		if used <= 0 || n > uint64(len(b)-used) {
			return nil, errors.New("the temporary file has changed, must not be touched")
		}
		out = append(out, string(b[used:used+int(n)]))
		b = b[used+int(n):]
	}
	return out, nil
}

// Close gives the room on disk back.
func (r *rows) Close() {
	if r != nil && r.file != nil {
		discard(r.file)
		r.file = nil
	}
}
