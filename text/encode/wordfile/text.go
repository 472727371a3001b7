package wordfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// readLine returns the next line without what ends it.
func (r *Reader) readLine() ([]byte, error) {
	b, err := r.in.ReadSlice('\n')
	if errors.Is(err, io.EOF) && len(b) == 0 {
		return nil, io.EOF
	}
	r.line++
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, r.Errorf("it has more than %d bytes, must have fewer", maxLine)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, r.Errorf("%w", err)
	}
	return bytes.TrimRight(b, " \r\n"), nil
}

// nextText reads a line with a word, and its numbers if the word is wanted.
func (r *Reader) nextText() (wanted bool, err error) {
	b, err := r.readLine()
	if err == nil && r.line == 1 && r.format == Text && r.header(b) {
		b, err = r.readLine()
	}
	if errors.Is(err, io.EOF) && r.promised >= 0 && r.rows != r.promised {
		return false, r.short()
	}
	if err != nil {
		return false, err
	}
	if r.rows == r.promised {
		return false, r.Errorf("it follows %d word vectors, as many as the header promises, must not", r.rows)
	}
	word, rest, _ := bytes.Cut(b, space)
	if len(word) == 0 {
		return false, r.Errorf("it does not begin with a word")
	}
	if r.dim == 0 {
		if len(rest) == 0 {
			return false, r.Errorf("its word has no numbers")
		}
		r.dim = bytes.Count(rest, space) + 1
	} else if extra := bytes.Count(rest, space) + 1 - r.dim; extra > 0 {
		word, rest = widen(b, len(word), extra)
	}
	if r.want != nil && !r.want(word) {
		return false, r.count(rest)
	}
	r.word = word
	return true, r.numbers(rest)
}

var space = []byte(" ")

// widen moves the end of a line's first word behind the fields that the line has
// too many, unless one of them is a number: a few words of published files, such
// as ". . ." in GloVe 840B, have spaces in them.
func widen(line []byte, end, extra int) (word, rest []byte) {
	at := end
	for range extra {
		length := bytes.IndexByte(line[at+1:], ' ') // there are further fields
		if _, ok := number(line[at+1 : at+1+length]); ok || length == 0 {
			return line[:end], line[end+1:]
		}
		at += 1 + length
	}
	return line[:at], line[at+1:]
}

// count checks how many numbers a line has, without reading them.
func (r *Reader) count(rest []byte) error {
	n := 0
	if len(rest) > 0 {
		n = bytes.Count(rest, space) + 1
	}
	if n != r.dim {
		return r.Errorf("it has %d numbers, must have %d, as the first", n, r.dim)
	}
	return nil
}

// numbers reads the numbers of a line, which must be as many as the first line
// has.
func (r *Reader) numbers(rest []byte) error {
	r.row = r.row[:0]
	for len(rest) > 0 {
		field := rest
		if i := bytes.IndexByte(rest, ' '); i >= 0 {
			field, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		if len(r.row) == r.dim {
			return r.Errorf("it has more than %d numbers, must have as many as the first", r.dim)
		}
		v, ok := number(field)
		if !ok {
			return r.Errorf("number %d is not a decimal number from −10¹⁸ to 10¹⁸", len(r.row)+1)
		}
		r.row = append(r.row, v)
	}
	if len(r.row) != r.dim {
		return r.Errorf("it has %d numbers, must have %d, as the first", len(r.row), r.dim)
	}
	return nil
}
