package encode

import (
	"fmt"
	"io"

	"sotto/text"
)

// WordVectors encodes a text by the mean of the vectors of its words, as
// [text.Words] gives them; a word that occurs twice counts twice, and words
// without a vector are skipped. Words of the file that are not in lower case
// are never found in a text.
type WordVectors struct {
	name       string
	dim        int
	index      map[string]int32 // the row of a word
	data       []float32        // row by row
	duplicates int
}

var _ Encoder = (*WordVectors)(nil)

// ReadWordVectors reads word vectors in the text format of GloVe: a line for
// each word, the word and its numbers with single spaces between. A first line
// with two whole numbers is taken for the header of word2vec, which says how
// many words and numbers follow, and is checked. What is compressed with gzip
// is decompressed. If a word has several lines, the first counts.
//
// A number that is not finite or beyond ±10¹⁸, or a line with more or fewer
// numbers than the first, is an error that names the line and does not quote it.
// The name is what Name returns; [Open] gives the path.
func ReadWordVectors(name string, r io.Reader) (*WordVectors, error) {
	w, err := readWordVectors(name, r)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return w, nil
}

// Name implements [Encoder].
func (w *WordVectors) Name() string { return w.name }

// Dim implements [Encoder].
func (w *WordVectors) Dim() int { return w.dim }

// Len returns the number of words.
func (w *WordVectors) Len() int { return len(w.index) }

// Duplicates returns how many lines were left out because an earlier one was
// for the same word.
func (w *WordVectors) Duplicates() int { return w.duplicates }

// Words returns the words, in the order of the file.
func (w *WordVectors) Words() []string {
	all := make([]string, len(w.index))
	for word, row := range w.index {
		all[row] = word
	}
	return all
}

// Vector returns the vector of a word, exactly as the file writes the word, and
// whether there is one. It shares memory with w and must not be changed.
func (w *WordVectors) Vector(word string) ([]float32, bool) {
	i, ok := w.index[word]
	if !ok {
		return nil, false
	}
	at := int(i) * w.dim
	return w.data[at : at+w.dim : at+w.dim], true
}

// Encode implements [Encoder].
func (w *WordVectors) Encode(dst []float32, s string) {
	checkLength(dst, w.dim)
	clear(dst)
	known := 0
	for word := range text.Words(s) {
		if v, ok := w.Vector(word); ok {
			known++
			add(dst, v)
		}
	}
	if known > 1 {
		for i := range dst {
			dst[i] /= float32(known)
		}
	}
}

// add adds v to dst, which has its length.
func add(dst, v []float32) {
	for len(dst) >= 4 && len(v) >= 4 { // without a check of bounds for each
		dst[0] += v[0]
		dst[1] += v[1]
		dst[2] += v[2]
		dst[3] += v[3]
		dst, v = dst[4:], v[4:]
	}
	for i := range v {
		dst[i] += v[i]
	}
}
