package experiment

import (
	"context"
	"crypto/sha256"
	"fmt"
	weakrand "math/rand/v2"

	"sotto/encode"
	"sotto/encode/bert"
	"sotto/mech"
	"sotto/nn"
	"sotto/text"
	"sotto/train/model"
)

// masking is an encoder that masks each word with a probability before it
// encodes what is left. Masks follow from the seed and the text, so that equal
// texts have equal vectors. They serve to measure and protect nobody.
type masking struct {
	base encode.Source
	rate float64
	seed uint64
}

var _ encode.BatchEncoder = masking{}

// Name implements [encode.Source].
func (m masking) Name() string {
	return fmt.Sprintf("%s with words masked at rate %v", m.base.Name(), m.rate)
}

// Dim implements [encode.Source].
func (m masking) Dim() int { return m.base.Dim() }

// EncodeBatch implements [encode.BatchEncoder]. As in a real release, a
// transformer sees a mask token for each masked word, and any other encoder a
// text without them.
func (m masking) EncodeBatch(ctx context.Context, dst nn.Matrix, texts []string, workers int) error {
	if model, ok := m.base.(*bert.Model); ok {
		tokens := make([]text.Tokens, len(texts))
		for i, t := range texts {
			tokens[i] = model.WordPiece().EncodeMasked(t, m.mask(t).MaskedSpans(), model.Limit())
		}
		return model.EncodeTokens(ctx, dst, tokens, workers)
	}
	left := make([]string, len(texts))
	for i, t := range texts {
		left[i] = text.Apply(t, m.mask(t), " ")
	}
	x, err := encode.Texts(ctx, m.base, left, workers)
	if err != nil {
		return err
	}
	for i := range x.Rows {
		copy(dst.Row(i), x.Row(i))
	}
	return nil
}

// mask draws the masks of one text.
func (m masking) mask(t string) text.Masking {
	key := append(append(model.SimulationKey(m.seed), "dropout:"...), t...)
	source := weakrand.NewChaCha8(sha256.Sum256(key))
	return (&text.Masker{Draw: func(masked []bool) { mech.DrawMasks(masked, m.rate, mech.Bernoulli, source) }}).Mask(t)
}
