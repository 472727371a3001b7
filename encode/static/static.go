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
	"fmt"
	"math"

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

// New makes an encoder of the vectors of a vocabulary's tokens, in order, which
// are rounded to 8 bits each. The notice says whose work the table rests on.
func New(name, notice string, words *text.WordPiece, dim int, vectors []float32) (*Encoder, error) {
	n := len(words.Vocabulary())
	if dim < 1 || len(vectors) != n*dim {
		return nil, fmt.Errorf("static: %d numbers for %d tokens of %d dimensions, must be one for each", len(vectors), n, dim)
	}
	e := &Encoder{name: name, notice: notice, words: words, dim: dim, scales: make([]float32, n), rows: make([]int8, n*dim)}
	for i := range n {
		v := vectors[i*dim : (i+1)*dim]
		largest := 0.0
		for _, x := range v {
			a := math.Abs(float64(x))
			if !(a <= math.MaxFloat32) {
				return nil, fmt.Errorf("static: the vector of token %d holds NaN or infinity, must be finite", i)
			}
			largest = max(largest, a)
		}
		if largest == 0 {
			continue
		}
		e.scales[i] = float32(largest / 127)
		for j, x := range v {
			e.rows[i*dim+j] = int8(math.Round(float64(x) / largest * 127))
		}
	}
	return e, nil
}

// Name returns what the encoder is called, such as "default".
func (e *Encoder) Name() string { return e.name }

// Notice says whose work the table rests on, and under which terms.
func (e *Encoder) Notice() string { return e.notice }

// Dim returns the length of the vectors.
func (e *Encoder) Dim() int { return e.dim }

// Encode fills dst with the vector of a text: the sum of its tokens' vectors,
// scaled to length 1, or zeros if that sum is zero. It panics if dst does not
// have length Dim.
func (e *Encoder) Encode(dst []float32, s string) {
	if len(dst) != e.dim {
		panic(fmt.Sprintf("static: Encode into %d numbers, want %d", len(dst), e.dim))
	}
	clear(dst)
	for _, id := range e.Tokens(s) {
		row := e.rows[int(id)*e.dim:][:e.dim]
		scale := e.scales[id]
		for j, q := range row {
			dst[j] += scale * float32(q)
		}
	}
	square := 0.0
	for _, v := range dst {
		square += float64(v) * float64(v)
	}
	if !(square > 0) {
		clear(dst)
		return
	}
	scale := float32(1 / math.Sqrt(square))
	for j := range dst {
		dst[j] *= scale
	}
}

// Tokens returns the ids of a text's tokens, without those that mark its ends.
func (e *Encoder) Tokens(s string) []int32 {
	ids := e.words.Encode(s, maxTokens).IDs
	return ids[1 : len(ids)-1]
}

// WordPiece returns the tokeniser of the table.
func (e *Encoder) WordPiece() *text.WordPiece { return e.words }
