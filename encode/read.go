package encode

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Bounds on what is read, far above any published file.
const (
	maxLine    = 1 << 20 // bytes
	maxNumbers = 1 << 30 // in all
	maxSize    = 1e18    // of a number: sums and products of two stay finite
)

// lineError is a fault of a line of word vectors. It does not quote the line.
func lineError(line int, format string, args ...any) error {
	return fmt.Errorf("line %d: %w", line, fmt.Errorf(format, args...))
}

// readWordVectors is [ReadWordVectors] without the prefix of its errors.
func readWordVectors(name string, r io.Reader) (*WordVectors, error) {
	in := bufio.NewReaderSize(r, maxLine)
	// What keeps it from seeing two bytes, the loop below will meet again.
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReaderSize(z, maxLine)
	}
	p := &vectorParser{w: &WordVectors{name: name, index: map[string]int32{}}, promised: -1}
	for line := 1; ; line++ {
		b, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, lineError(line, "it has more than %d bytes, must have fewer", maxLine)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, lineError(line, "%w", err)
		}
		if errors.Is(err, io.EOF) && len(b) == 0 {
			return p.finish()
		}
		if err := p.line(line, bytes.TrimRight(b, " \r\n")); err != nil {
			return nil, err
		}
	}
}

// vectorParser collects word vectors line by line.
type vectorParser struct {
	w        *WordVectors
	rows     int // lines with a word
	promised int // how many the header says; −1 without a header
}

// line takes one line, without what ends it.
func (p *vectorParser) line(n int, b []byte) error {
	if n == 1 && p.header(b) {
		return nil
	}
	word, rest, _ := bytes.Cut(b, []byte(" "))
	if len(word) == 0 {
		return lineError(n, "it does not begin with a word")
	}
	w := p.w
	if w.dim == 0 {
		if len(rest) == 0 {
			return lineError(n, "its word has no numbers")
		}
		w.dim = bytes.Count(rest, []byte(" ")) + 1
	}
	if len(w.data) > maxNumbers-w.dim {
		return lineError(n, "it brings more than %d numbers, must bring fewer", maxNumbers)
	}
	before := len(w.data)
	if err := p.numbers(n, rest); err != nil {
		return err
	}
	p.rows++
	if _, twice := w.index[string(word)]; twice {
		w.duplicates++
		w.data = w.data[:before]
		return nil
	}
	w.index[string(word)] = int32(len(w.index))
	return nil
}

// numbers appends the numbers of line n, which must be as many as the first
// line has.
func (p *vectorParser) numbers(n int, rest []byte) error {
	w, got := p.w, 0
	for len(rest) > 0 {
		field := rest
		if i := bytes.IndexByte(rest, ' '); i >= 0 {
			field, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		if got++; got > w.dim {
			return lineError(n, "it has more than %d numbers, must have as many as the first", w.dim)
		}
		v, ok := number(field)
		if !ok {
			return lineError(n, "number %d is not a decimal number from −10¹⁸ to 10¹⁸", got)
		}
		w.data = append(w.data, v)
	}
	if got != w.dim {
		return lineError(n, "it has %d numbers, must have %d, as the first", got, w.dim)
	}
	return nil
}

// header takes the first line if it is the header of word2vec.
func (p *vectorParser) header(b []byte) bool {
	first, second, ok := bytes.Cut(b, []byte(" "))
	rows, err := strconv.Atoi(string(first))
	dim, err2 := strconv.Atoi(string(second))
	if !ok || err != nil || err2 != nil || rows < 1 || dim < 1 || dim > maxNumbers {
		return false
	}
	p.promised, p.w.dim = rows, dim
	return true
}

// finish returns the vectors if there are as many as promised.
func (p *vectorParser) finish() (*WordVectors, error) {
	switch {
	case p.promised >= 0 && p.rows != p.promised:
		return nil, fmt.Errorf("it holds %d word vectors, its header promises %d; copy or download it again", p.rows, p.promised)
	case p.rows == 0:
		return nil, errors.New("it holds no word vectors, must hold at least one")
	}
	return p.w, nil
}

// powers of ten that a float32 holds exactly.
var powers = [...]float32{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10}

// number parses a decimal number within maxSize to the nearest float32. Most have few
// digits: with digits below 2²⁴ and at most ten places, both are exact, so the
// quotient is rounded once, and right.
func number(b []byte) (float32, bool) {
	digits, negative := b, false
	if len(b) > 0 && b[0] == '-' {
		digits, negative = b[1:], true
	}
	mantissa, point := uint32(0), -1
	for i, c := range digits {
		switch {
		case c-'0' <= 9 && mantissa < 1<<24/10:
			mantissa = 10*mantissa + uint32(c-'0')
		case c == '.' && point < 0:
			point = i
		default:
			return slowNumber(b)
		}
	}
	places := 0
	if point >= 0 {
		places = len(digits) - 1 - point
	}
	if places >= len(powers) || len(digits) == 0 || point == 0 || places == 0 && point >= 0 {
		return slowNumber(b)
	}
	v := float32(mantissa) / powers[places]
	if negative {
		v = -v
	}
	return v, true
}

// slowNumber parses what number does not. ParseFloat also knows hexadecimals,
// underscores, NaN and Inf, which are refused.
func slowNumber(b []byte) (float32, bool) {
	for _, c := range b {
		if c-'0' > 9 && c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(b), 32)
	return float32(v), err == nil && math.Abs(v) <= maxSize
}
