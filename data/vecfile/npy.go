package vecfile

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
)

// npyBlock is about how many bytes are read at once: enough to make the calls
// cheap, few enough to stay in the cache.
const npyBlock = 1 << 20

// npy reads the numbers of an NPY file.
type npy struct {
	r       *Reader
	decode  func(dst []float64, b []byte) (finite bool)
	size    int    // bytes of a row
	swap    int    // bytes of a number in big endian; 0 in little endian
	row     int64  // rows read or passed over so far
	end     int64  // row at which reading ends
	block   []byte // read but not yet decoded, whole rows
	scratch []byte
}

// npyTypes are the types of number that can be read.
var npyTypes = map[string]struct {
	size   int // bytes
	decode func(dst []float64, b []byte) bool
}{
	"f2": {2, decode16},
	"f4": {4, decode32},
	"f8": {8, decode64},
}

// openNPY reads the header and holds it against the size of the file.
func (r *Reader) openNPY() error {
	h, head, err := readNPYHeader(r.in)
	if err != nil {
		return r.errorf("%w", err)
	}
	name, big := strings.CutPrefix(h.descr, ">")
	name, little := strings.CutPrefix(name, "<")
	typ, ok := npyTypes[name]
	if !ok || big == little {
		return r.errorf("type is %.12q, must be a float of 2, 4 or 8 bytes: f2, f4 or f8", h.descr)
	}
	if d := len(h.shape); d != 1 && d != 2 {
		return r.errorf("array has %d dimensions, must have 1 or 2", d)
	}
	rows, width := h.shape[0], int64(1)
	if len(h.shape) == 2 {
		width = h.shape[1]
	}
	if width > maxWidth {
		return r.errorf("%s", tooWide())
	}
	if err = r.setWidth(int(width)); err != nil {
		return err
	}
	if h.fortran && rows > 1 && width > 1 {
		return r.errorf("array is in Fortran order, must be in C order: save numpy.ascontiguousarray of it")
	}
	size := width * int64(typ.size)
	if rows > (math.MaxInt64-head)/size {
		return r.errorf("header promises %d rows, more than a file can hold", rows)
	}
	if at := r.in.At; at != nil && at.Size() != head+rows*size {
		return r.errorf("holds %d bytes after its header, must hold %d for %d rows of %s", at.Size()-head, rows*size, rows, columns(int(width)))
	}
	r.rows, r.single = rows, typ.size <= 4
	from, end, err := r.opt.part(rows)
	if err != nil {
		return r.errorf("%w", err)
	}
	if end-from < rows {
		if r.in.At == nil {
			return r.errorf("is a stream, must be a file to read a part of it")
		}
		r.in.Reader = io.NewSectionReader(r.in.At, head+from*size, (end-from)*size)
	}
	s := &npy{r: r, row: from, end: end, decode: typ.decode, size: int(size), scratch: make([]byte, max(npyBlock/int(size), 1)*int(size))}
	if big {
		s.swap = typ.size
	}
	r.src = s
	return nil
}

// read implements [source].
func (s *npy) read(dst []float64, lines []int64) (int, error) {
	if len(s.block) == 0 {
		if err := s.fill(); err != nil {
			return 0, err
		}
	}
	n, w := min(len(lines), len(s.block)/s.size), s.r.width
	finite := s.decode(dst[:n*w], s.block[:n*s.size])
	used := n
	var bad error
	if !finite {
		i := slices.IndexFunc(dst, func(v float64) bool { return v-v != 0 })
		n = i / w
		used = n + 1
		bad = s.r.rowError(s.row+int64(used), i%w+1, unfit(dst[i]))
	}
	for i := range n {
		lines[i] = s.row + int64(i) + 1
	}
	s.block = s.block[used*s.size:]
	s.row += int64(used)
	return n, bad
}

// fill reads the next block, or makes sure that nothing follows the last one.
func (s *npy) fill() error {
	if s.row == s.end {
		n, err := io.ReadFull(s.r.in, s.scratch[:1])
		if n == 1 {
			return s.r.errorf("holds more than the %d rows that its header promises", s.r.rows)
		}
		if err != io.EOF {
			return s.r.errorf("%w", err)
		}
		return io.EOF
	}
	want := min(int64(len(s.scratch)), (s.end-s.row)*int64(s.size))
	n, err := io.ReadFull(s.r.in, s.scratch[:want])
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return s.r.errorf("ends after row %d, must hold %d", s.row+int64(n/s.size), s.r.rows)
	}
	if err != nil {
		return s.r.errorf("%w", err)
	}
	s.block = s.scratch[:n]
	if s.swap > 0 {
		for number := range slices.Chunk(s.block, s.swap) {
			slices.Reverse(number)
		}
	}
	return nil
}
