package rowfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// ErrLong is returned by [Lines.Read] for a line of more bytes than allowed.
var ErrLong = errors.New("line is too long")

// Lines reads lines.
type Lines struct {
	N int64 // lines read so far

	in   *bufio.Reader
	most int
	long []byte // holds a line that outgrows the buffer
}

// NewLines reads lines of at most so many bytes, and without the byte order mark
// that some programs write first.
func NewLines(in io.Reader, most int) *Lines {
	return &Lines{in: bufio.NewReaderSize(in, 1<<18), most: most}
}

// Ready reports whether there is more input that has already arrived.
func (l *Lines) Ready() bool { return l.in.Buffered() > 0 }

// Read returns the next line without its end, valid until the next call, or
// [io.EOF] after the last.
func (l *Lines) Read() ([]byte, error) {
	b, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = l.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			if len(l.long)+len(b) > l.most {
				return nil, ErrLong
			}
			l.long = append(l.long, b...)
			b, err = l.in.ReadSlice('\n')
		}
		l.long = append(l.long, b...)
		b = l.long
	}
	if l.N == 0 {
		b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	}
	if err != nil && (len(b) == 0 || !errors.Is(err, io.EOF)) {
		return nil, err
	}
	l.N++
	return bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r")), nil
}
