package parse

import (
	"context"
	"errors"
	"fmt"

	"sotto/compute/nn"
	"sotto/study/language"
)

// Encoder has vectors of words that know their sentence, such as those of a
// transformer. Several goroutines may use it at once.
type Encoder interface {
	// Dim is the length of the vectors.
	Dim() int
	// EncodeWords returns a row for each word of each sentence.
	EncodeWords(ctx context.Context, sentences [][]string, workers int) ([]nn.Matrix, error)
}

// MaxDim is the most numbers that a vector of an [Encoder] may have.
const MaxDim = 8192

// ErrEncoder is returned by [Model.Annotate] where the encoder is missing with which
// a model was trained.
var ErrEncoder = errors.New("parse: the model was trained with an encoder, must be opened with it")

// Dim is the length of the vectors of the encoder that a model was trained with; 0 if
// it needs none.
func (m *Model) Dim() int { return m.network.outer }

// Use gives a model the encoder that it was trained with, before it is first used.
func (m *Model) Use(e Encoder) error {
	if e.Dim() != m.network.outer {
		return fmt.Errorf("parse: the encoder has vectors of %d numbers, must have %d as in training", e.Dim(), m.network.outer)
	}
	m.encoder = e
	return nil
}

// context returns the encoder's vectors of the words of a pass, if there is one.
func (m *Model) context(s *state, tokens []language.Token) (nn.Matrix, error) {
	if m.network.outer == 0 {
		return nn.Matrix{}, nil
	}
	sentences := make([][]string, len(s.bounds)-1)
	for k := range sentences {
		sentences[k] = spelt(tokens[s.bounds[k]:s.bounds[k+1]])
	}
	vectors, err := m.encoder.EncodeWords(context.Background(), sentences, 1)
	if err != nil {
		return nn.Matrix{}, err
	}
	all := nn.NewMatrix(len(tokens), m.network.outer)
	for k, x := range vectors {
		copy(all.Slice(s.bounds[k], s.bounds[k+1]).Data, x.Data)
	}
	return all, nil
}

// spelt returns tokens as they are written.
func spelt(tokens []language.Token) []string {
	all := make([]string, len(tokens))
	for i := range tokens {
		all[i] = tokens[i].Text
	}
	return all
}
