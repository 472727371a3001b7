// Package static holds encoders that are a table: a vector for each subword of
// a vocabulary, summed over a text and scaled to length 1. One of them is built
// in ([Default]), so that texts become vectors with some meaning and no
// download; package distill makes such tables from a transformer.
//
// It is not for word vectors by whole words, which package svec maps. Vectors
// are raw and not private. The smallest use is
//
//	e, err := static.Default()
//	if err != nil {
//		return err
//	}
//	v := make([]float32, e.Dim())
//	e.Encode(v, "a text")
package static

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"sotto/text"
)

// Encoder is a table of vectors. It does not change and is safe for concurrent
// use.
type Encoder struct {
	name   string
	notice string
	words  *text.WordPiece
	dim    int
	scales []float32 // one a token
	rows   []int8    // tokens × dim, each to be multiplied by its token's scale
}

// maxTokens bounds what is read of a text: as much as a transformer's teacher
// could see many times over, and too little to exhaust anything.
const maxTokens = 1 << 16

// maxSize bounds the numbers of a table, so that no sum of them is infinite.
const maxSize = 1e18

// New makes an encoder of the vectors of a vocabulary's tokens, in order, each
// of which is rounded to one of 255 multiples of 1/127 of its largest number.
// The vector of [UNK] is taken as zero, since what is unknown means nothing. The
// notice says whose work the table rests on.
//
// The vocabulary alone is kept of the tokeniser: a word is unknown if it has
// more than 100 characters, even if the tokeniser had another limit.
func New(name, notice string, words *text.WordPiece, dim int, vectors []float32) (*Encoder, error) {
	tokens := words.Vocabulary()
	n := len(tokens)
	if dim < 1 || dim > maxDim || n > maxVocabulary {
		return nil, fmt.Errorf("static: %d tokens of %d dimensions, must be at most %d of 1 to %d", n, dim, maxVocabulary, maxDim)
	}
	if len(vectors) != n*dim {
		return nil, fmt.Errorf("static: %d numbers for %d tokens of %d dimensions, must be one for each", len(vectors), n, dim)
	}
	words, err := text.ReadWordPiece(bytes.NewReader(spell(tokens)))
	if err != nil {
		return nil, fmt.Errorf("static: %w", err)
	}
	if !slices.Equal(words.Vocabulary(), tokens) {
		return nil, errors.New("static: a token of the vocabulary holds or ends a line, must not")
	}
	e := &Encoder{name: name, notice: notice, words: words, dim: dim, scales: make([]float32, n), rows: make([]int8, n*dim)}
	for i, token := range tokens {
		if err := e.round(i, vectors[i*dim:(i+1)*dim], token == unknown); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// unknown is the token of words that have no other.
const unknown = "[UNK]"

// spell writes a vocabulary as a file has it, one token a line.
func spell(tokens []string) []byte { return []byte(strings.Join(tokens, "\n") + "\n") }

// round checks the vector of a token and keeps it, unless it is to be zero.
func (e *Encoder) round(token int, v []float32, zero bool) error {
	largest := 0.0
	for _, x := range v {
		a := math.Abs(float64(x))
		if !(a <= maxSize) { // NaN is refused
			return fmt.Errorf("static: the vector of token %d has a number that is not from −10¹⁸ to 10¹⁸", token)
		}
		largest = max(largest, a)
	}
	if largest == 0 || zero {
		return nil
	}
	e.scales[token] = float32(largest / 127)
	for j, x := range v {
		e.rows[token*e.dim+j] = int8(math.Round(float64(x) / largest * 127))
	}
	return nil
}

// Name returns what the encoder is called, such as "default".
func (e *Encoder) Name() string { return e.name }

// Notice says whose work the table rests on, and under which terms.
func (e *Encoder) Notice() string { return e.notice }

// Dim returns the length of the vectors.
func (e *Encoder) Dim() int { return e.dim }

// Encode fills dst with the vector of a text: the sum of its tokens' vectors,
// scaled to length 1, or zeros if that sum is zero, as it is if no word is known.
// Every machine computes the same bits. It panics if dst does not have length
// Dim.
func (e *Encoder) Encode(dst []float32, s string) {
	if len(dst) != e.dim {
		panic(fmt.Sprintf("static: Encode into %d numbers, want %d", len(dst), e.dim))
	}
	clear(dst)
	for _, id := range e.Tokens(s) {
		row := e.rows[int(id)*e.dim:][:len(dst)]
		scale := e.scales[id]
		for j, q := range row {
			dst[j] += float32(scale * float32(q)) // rounded here, so that nothing is fused
		}
	}
	square := 0.0
	for _, v := range dst {
		square += float64(float64(v) * float64(v))
	}
	if !(square > 0) {
		return // all are zero: not even the square of the least float32 vanishes
	}
	scale := 1 / math.Sqrt(square) // may be beyond float32
	for j, v := range dst {
		dst[j] = float32(float64(v) * scale)
	}
}

// Tokens returns the ids of a text's tokens, without those that mark its ends.
func (e *Encoder) Tokens(s string) []int32 {
	ids := e.words.Encode(s, maxTokens).IDs
	return ids[1 : len(ids)-1]
}

// WordPiece returns the tokeniser of the table.
func (e *Encoder) WordPiece() *text.WordPiece { return e.words }
