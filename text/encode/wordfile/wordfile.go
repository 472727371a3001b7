// Package wordfile reads published files of word vectors, one word at a time:
// the text of GloVe, word2vec and fastText, and the binary form of word2vec,
// plain or compressed with gzip.
//
// It holds one row in memory and keeps no words, so it does not look for words
// that occur twice: that is for whoever keeps them. It is not for texts. Its
// errors name the line and never quote it, and carry no prefix, because each
// caller puts its own before them. The smallest use is
//
//	r, err := wordfile.NewReader(in, wordfile.Glove)
//	if err != nil {
//		return err
//	}
//	for {
//		word, row, err := r.Next()
//		if errors.Is(err, io.EOF) {
//			return nil
//		}
//		if err != nil {
//			return err
//		}
//		use(word, row)
//	}
package wordfile

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Format is a format of word vectors. Its value is its name.
type Format string

// The formats in use. The first four are a line for each word, the word and its
// numbers with single spaces between. A word may have spaces in it, as a few of
// GloVe 840B have, but not in the first line.
const (
	// Text is any of the three: a first line of two whole numbers is taken for a
	// header, which says how many words and numbers follow.
	Text Format = "text"
	// Glove has no header.
	Glove Format = "glove"
	// Word2vec must begin with the header.
	Word2vec Format = "word2vec"
	// FastText is a .vec file, which must begin with the header as well.
	FastText Format = "fasttext"
	// Word2vecBinary is the header, and then for each word the word, a space and
	// its numbers as float32 in little-endian order; line breaks between are
	// skipped.
	Word2vecBinary Format = "word2vec-bin"
)

// ParseFormat returns the format with the given name.
func ParseFormat(name string) (Format, error) {
	switch f := Format(strings.ToLower(name)); f {
	case Text, Glove, Word2vec, FastText, Word2vecBinary:
		return f, nil
	}
	return "", fmt.Errorf("format is %.40q, must be text, glove, word2vec, fasttext or word2vec-bin", name)
}

// Bounds on what is read, far above any published file.
const (
	maxLine = 1 << 20 // bytes
	maxDim  = 1 << 20
	maxRows = 1<<31 - 1

	// MaxNumber is the largest absolute value of a number that is accepted: sums
	// and products of two stay finite.
	MaxNumber = 1e18
)

// Reader reads the rows of a file. It is not safe for concurrent use.
type Reader struct {
	in       *bufio.Reader
	format   Format
	line     int // last read; the row of a binary file
	dim      int // 0 until it is known
	rows     int // read so far
	promised int // rows that the header says; −1 without a header
	row      []float32
	word     []byte
	raw      []byte                 // a binary row
	want     func(word []byte) bool // nil if every row is wanted
	err      error                  // what every further call returns
}

// NewReader reads from r, as far as the header if there must be one.
func NewReader(r io.Reader, f Format) (*Reader, error) {
	if _, err := ParseFormat(string(f)); err != nil {
		return nil, err
	}
	in := bufio.NewReaderSize(r, maxLine)
	// What keeps it from seeing two bytes, Next will meet again.
	if magic, _ := in.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, err
		}
		in = bufio.NewReaderSize(z, maxLine)
	}
	p := &Reader{in: in, format: f, promised: -1}
	if f == Text || f == Glove {
		return p, nil
	}
	b, err := p.readLine()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !p.header(b) {
		return nil, p.Errorf("it is no header, must be the number of words, a space and the length of their vectors")
	}
	if f == Word2vecBinary {
		p.line = 0 // rows are counted from here on
	}
	return p, nil
}

// Select makes Next pass over the rows whose word is not wanted, which is much
// faster than reading them: such a row must have as many numbers as the others,
// but whether they are numbers is not looked at. The function must not keep the
// word.
func (r *Reader) Select(want func(word []byte) bool) { r.want = want }

// Next returns the next word and its vector, both valid until the next call, or
// [io.EOF] after the last. An error is final.
func (r *Reader) Next() (word []byte, row []float32, err error) {
	for r.err == nil {
		var wanted bool
		if r.format == Word2vecBinary {
			wanted, r.err = r.nextBinary()
		} else {
			wanted, r.err = r.nextText()
		}
		if r.err != nil {
			break
		}
		r.rows++
		if wanted {
			return r.word, r.row, nil
		}
	}
	if errors.Is(r.err, io.EOF) && r.rows == 0 {
		r.err = errors.New("it holds no word vectors, must hold at least one")
	}
	return nil, nil, r.err
}

// Rows returns how many rows have been read, those among them that Select
// passes over.
func (r *Reader) Rows() int { return r.rows }

// Dim returns how many numbers a row has, 0 until that is known.
func (r *Reader) Dim() int { return r.dim }

// Line returns where the row stands that Next returned last: its line, or in a
// binary file its number, counted from 1.
func (r *Reader) Line() int { return r.line }

// Promised returns how many words the header says, or −1 without a header.
func (r *Reader) Promised() int { return r.promised }

// Errorf returns an error about the row that Next returned last. The words must
// not quote it.
func (r *Reader) Errorf(format string, args ...any) error {
	place := "line"
	if r.format == Word2vecBinary && r.promised >= 0 {
		place = "word"
	}
	return fmt.Errorf("%s %d: %w", place, r.line, fmt.Errorf(format, args...))
}

// header takes b if it is a header.
func (r *Reader) header(b []byte) bool {
	first, second, ok := strings.Cut(string(b), " ")
	rows, err := strconv.Atoi(first)
	dim, err2 := strconv.Atoi(second)
	if !ok || err != nil || err2 != nil || rows < 1 || dim < 1 || rows > maxRows || dim > maxDim {
		return false
	}
	r.promised, r.dim = rows, dim
	return true
}

// short is the error of a file that ends too early.
func (r *Reader) short() error {
	return fmt.Errorf("it holds %d word vectors, its header promises %d; copy or download it again", r.rows, r.promised)
}
