package wordfile

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// maxWord is the most bytes that a word of a binary file may have: there is no
// line whose length would bound it.
const maxWord = 1 << 12

// nextBinary reads a word, and its numbers if the word is wanted.
func (r *Reader) nextBinary() (wanted bool, err error) {
	c, err := r.afterBreaks()
	if r.rows == r.promised {
		if errors.Is(err, io.EOF) {
			return false, io.EOF
		}
		r.line = r.rows
		return false, r.Errorf("more follows after it, the last that the header promises, must not")
	}
	r.line = r.rows + 1
	r.word = r.word[:0]
	for ; err == nil && c != ' '; c, err = r.in.ReadByte() {
		if len(r.word) == maxWord {
			return false, r.Errorf("it has more than %d bytes, must have fewer", maxWord)
		}
		r.word = append(r.word, c)
	}
	if err == nil && len(r.word) == 0 {
		return false, r.Errorf("it is empty")
	}
	wanted = r.want == nil || r.want(r.word)
	switch {
	case err != nil:
	case wanted:
		err = r.floats()
	default:
		_, err = r.in.Discard(4 * r.dim)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return false, r.short()
	}
	return wanted, err
}

// afterBreaks returns the first byte that is no line break.
func (r *Reader) afterBreaks() (byte, error) {
	for {
		c, err := r.in.ReadByte()
		if err != nil || c != '\n' && c != '\r' {
			return c, err
		}
	}
}

// floats reads the numbers of a word. It grows with what has been read, so that
// a header cannot claim memory for numbers that are not there.
func (r *Reader) floats() error {
	const block = 4096
	r.row = r.row[:0]
	for len(r.row) < r.dim {
		n := min(block, r.dim-len(r.row))
		if len(r.raw) < 4*n {
			r.raw = make([]byte, 4*n)
		}
		if _, err := io.ReadFull(r.in, r.raw[:4*n]); err != nil {
			return err
		}
		for i := range n {
			v := math.Float32frombits(binary.LittleEndian.Uint32(r.raw[4*i:]))
			if !(math.Abs(float64(v)) <= MaxNumber) { // NaN is refused
				return r.Errorf("number %d is not from −10¹⁸ to 10¹⁸", len(r.row)+1)
			}
			r.row = append(r.row, v)
		}
	}
	return nil
}
