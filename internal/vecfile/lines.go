package vecfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine bounds the memory that one line can claim.
const maxLine = 64 << 20

// lines reads the lines of a text format.
type lines struct {
	r    *Reader
	in   *bufio.Reader
	n    int64  // lines read so far
	long []byte // holds a line that outgrows the buffer
}

func newLines(r *Reader) *lines {
	return &lines{r: r, in: bufio.NewReaderSize(r.in, 1<<18)}
}

// next returns the next line that is not blank, without its end, valid until
// the next call. It keeps leading space, so that positions in it stay true.
func (l *lines) next() ([]byte, error) {
	for {
		b, err := l.raw()
		if len(b) == 0 && err != nil {
			return nil, err
		}
		l.n++
		if l.n == 1 { // the byte order mark that spreadsheets write
			b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
		}
		if b = bytes.TrimRight(b, " \t\r\n"); len(b) > 0 {
			return b, nil
		}
	}
}

// raw returns the next line with its end.
func (l *lines) raw() ([]byte, error) {
	b, err := l.in.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return b, l.wrap(err)
	}
	l.long = l.long[:0]
	for errors.Is(err, bufio.ErrBufferFull) {
		if len(l.long)+len(b) > maxLine {
			return nil, l.r.errorf("line %d is longer than %d MiB", l.n+1, maxLine>>20)
		}
		l.long = append(l.long, b...)
		b, err = l.in.ReadSlice('\n')
	}
	l.long = append(l.long, b...)
	return l.long, l.wrap(err)
}

// wrap adds the file to an error that is not the end of it.
func (l *lines) wrap(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return l.r.errorf("%w", err)
}

// ready reports whether there is more input that has already arrived.
func (l *lines) ready() bool { return l.in.Buffered() > 0 }

// bad returns the error about byte i, from 0, of the current line.
func (l *lines) bad(i int, reason string) *RowError {
	return l.r.rowError(l.n, i+1, reason)
}
