// Package static holds encoders that are a table: a vector for each subword of
// a vocabulary, or for each of some places that words are hashed to ([Hashed]),
// summed over a text and scaled to length 1. One of them is built in ([Default]), so
// that texts become vectors with some meaning and no download; package distill makes
// such tables from a transformer.
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
	"slices"
	"strings"

	"sotto/text"
)

// Encoder is a table of vectors. It does not change and is safe for concurrent
// use.
type Encoder struct {
	table
	words *text.WordPiece
}

// maxTokens bounds what is read of a text: as much as a transformer's teacher
// could see many times over, and too little to exhaust anything.
const maxTokens = 1 << 16

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
	e := &Encoder{newTable(name, notice, n, dim), words}
	for i, token := range tokens {
		if err := e.round(i, vectors[i*dim:(i+1)*dim]); err != nil {
			return nil, err
		}
		if token == unknown {
			e.scales[i] = 0
			clear(e.rows[i*dim : (i+1)*dim])
		}
	}
	return e, nil
}

// unknown is the token of words that have no other.
const unknown = "[UNK]"

// spell writes a vocabulary as a file has it, one token a line.
func spell(tokens []string) []byte { return []byte(strings.Join(tokens, "\n") + "\n") }

// Encode fills dst with the vector of a text: the sum of its tokens' vectors,
// scaled to length 1, or zeros if that sum is zero, as it is if no word is known.
// Every machine computes the same bits. It panics if dst does not have length
// Dim.
func (e *Encoder) Encode(dst []float32, s string) {
	e.sum(dst, e.Tokens(s))
}

// Tokens returns the ids of a text's tokens, without those that mark its ends.
func (e *Encoder) Tokens(s string) []int32 {
	ids := e.words.Encode(s, maxTokens).IDs
	return ids[1 : len(ids)-1]
}

// WordPiece returns the tokeniser of the table.
func (e *Encoder) WordPiece() *text.WordPiece { return e.words }
