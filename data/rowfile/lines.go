package rowfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrLong is returned by [Lines.Read] for a line of more bytes than allowed. The next
// line can be read all the same.
var ErrLong = errors.New("line is too long")

// Lines reads lines.
type Lines struct {
	N int64 // lines read so far
	// Inside says that these lines do not begin a file: what looks like the byte order
	// mark that some programs write first is then a part of its line.
	Inside bool

	in   *bufio.Reader
	most int
	long []byte // holds a line that outgrows the buffer
	rest bool   // what follows is the rest of a line that was too long
}

// NewLines reads lines of at most so many bytes.
func NewLines(in io.Reader, most int) *Lines {
	return &Lines{in: bufio.NewReaderSize(in, 1<<18), most: most}
}

// Ready reports whether there is more input that has already arrived.
func (l *Lines) Ready() bool { return l.in.Buffered() > 0 }

// Read returns the next line without its end, valid until the next call, or
// [io.EOF] after the last.
func (l *Lines) Read() ([]byte, error) {
	for l.rest {
		_, err := l.in.ReadSlice('\n')
		if l.rest = errors.Is(err, bufio.ErrBufferFull); !l.rest && err != nil {
			return nil, err
		}
	}
	b, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = l.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			if len(l.long)+len(b) > l.most {
				l.N, l.rest = l.N+1, true
				return nil, ErrLong
			}
			l.long = append(l.long, b...)
			b, err = l.in.ReadSlice('\n')
		}
		l.long = append(l.long, b...)
		b = l.long
	}
	if l.N == 0 && !l.Inside {
		b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	}
	if err != nil && (len(b) == 0 || !errors.Is(err, io.EOF)) {
		return nil, err
	}
	l.N++
	return bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r")), nil
}
