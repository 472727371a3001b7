package vecfile

import (
	"bytes"
	"errors"
	"fmt"

	"sotto/data/rowfile"
)

// maxLine bounds the memory that one line can claim.
const maxLine = 64 << 20

// lines reads the lines of a text format.
type lines struct {
	*rowfile.Lines
	r *Reader
}

func newLines(r *Reader) lines { return lines{rowfile.NewLines(r.in, maxLine), r} }

// next returns the next line that is not blank, without its end, valid until
// the next call. It keeps leading space, so that positions in it stay true.
func (l *lines) next() ([]byte, error) {
	for {
		b, err := l.Read()
		if errors.Is(err, rowfile.ErrLong) && l.r.opt.Declared {
			return nil, l.r.rowError(l.N, 0, fmt.Sprintf("longer than %d MiB", maxLine>>20))
		}
		if errors.Is(err, rowfile.ErrLong) {
			return nil, l.r.errorf("line %d is longer than %d MiB", l.N, maxLine>>20)
		}
		if b = bytes.TrimRight(b, " \t\r"); len(b) > 0 || err != nil {
			return b, l.r.wrap(err)
		}
	}
}

// ready implements [rowReader].
func (l *lines) ready() bool { return l.Ready() }

// bad returns the error about byte i, from 0, of the current line.
func (l *lines) bad(i int, reason string) *RowError {
	return l.r.rowError(l.N, i+1, reason)
}
