package static

import (
	"errors"
	"fmt"
	"math/bits"
	"unicode/utf8"

	"sotto/text"
)

// Grams says which parts of a text have a vector: words in a row, parts of words, or
// both.
type Grams struct {
	Words int `json:"words,omitempty"` // most words in a row, as [text.Words] gives them; 0 means none
	// From and To are the fewest and the most characters of a part of a word, with a
	// mark at each of its ends; 0 means none.
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`
}

const (
	maxGram    = 8
	maxBuckets = 1 << 22
)

func (g Grams) validate() error {
	switch {
	case g.Words < 0 || g.Words > maxGram || g.From < 0 || g.To > maxGram || g.To < g.From || (g.From == 0) != (g.To == 0):
		return fmt.Errorf("static: grams of up to %d words and of %d to %d characters, must be of at most %d and in order", g.Words, g.From, g.To, maxGram)
	case g.Words == 0 && g.To == 0:
		return errors.New("static: grams of nothing, must be of words or of characters")
	}
	return nil
}

// Rows returns the places of a text's parts among so many, by a fixed hash, as often
// as they occur.
func (g Grams) Rows(s string, buckets int) []int32 {
	var rows []int32
	place := func(state uint64) {
		at, _ := bits.Mul64(text.HashEnd(state), uint64(buckets))
		rows = append(rows, int32(at))
	}
	var open [maxGram]uint64 // the states of the words in a row that end at the last word
	n := 0
	for word := range text.Words(s) {
		if g.Words > 0 {
			for i := min(n, g.Words-1); i > 0; i-- {
				open[i] = text.HashOn(text.HashOn(open[i-1], " "), word)
				place(open[i])
			}
			open[0] = text.HashOn(text.HashBasis, word)
			place(open[0])
			n++
		}
		if g.To > 0 {
			g.parts(word, place)
		}
		if len(rows) >= maxTokens {
			break
		}
	}
	return rows
}

// parts hashes the parts of a word, behind a byte that no word has.
func (g Grams) parts(word string, place func(uint64)) {
	word = "<" + word + ">"
	for from := 0; from < len(word); {
		_, size := utf8.DecodeRuneInString(word[from:])
		for to, n := from, 0; to < len(word) && n < g.To; {
			_, next := utf8.DecodeRuneInString(word[to:])
			to, n = to+next, n+1
			if n >= g.From {
				place(text.HashOn(text.HashBasis, "\x00"+word[from:to]))
			}
		}
		from += size
	}
}

// Hashed is a table of vectors for the places that the parts of a text are hashed
// to. It needs no vocabulary, knows words in a row, and parts that share a place
// share a vector. It does not change and is safe for concurrent use.
type Hashed struct {
	table
	grams Grams
}

// NewHashed makes an encoder of the vectors of so many places, in order, each of
// which is rounded as [New] does.
func NewHashed(name, notice string, g Grams, buckets, dim int, vectors []float32) (*Hashed, error) {
	if err := g.validate(); err != nil {
		return nil, err
	}
	if buckets < 1 || buckets > maxBuckets || dim < 1 || dim > maxDim {
		return nil, fmt.Errorf("static: %d places of %d dimensions, must be from 1 to %d of 1 to %d", buckets, dim, maxBuckets, maxDim)
	}
	if len(vectors) != buckets*dim {
		return nil, fmt.Errorf("static: %d numbers for %d places of %d dimensions, must be one for each", len(vectors), buckets, dim)
	}
	h := &Hashed{newTable(name, notice, buckets, dim), g}
	for i := range buckets {
		if err := h.round(i, vectors[i*dim:(i+1)*dim]); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// Encode fills dst with the vector of a text: the sum of the vectors of its parts,
// scaled to length 1, or zeros if that sum is zero. Every machine computes the same
// bits. It panics if dst does not have length Dim.
func (h *Hashed) Encode(dst []float32, s string) { h.sum(dst, h.grams.Rows(s, len(h.scales))) }

// Grams returns which parts of a text have a vector.
func (h *Hashed) Grams() Grams { return h.grams }

// Buckets returns how many places there are.
func (h *Hashed) Buckets() int { return len(h.scales) }
