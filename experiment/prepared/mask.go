package prepared

import (
	"context"
	"crypto/sha256"
	weakrand "math/rand/v2"

	"sotto/encode"
	"sotto/mech"
	"sotto/nn"
	"sotto/text"
	"sotto/train/model"
)

// masking is an encoder that masks each word with a probability before it
// encodes what is left. Masks follow from the seed and the text, so that equal
// texts have equal vectors. They serve to measure and protect nobody.
type masking struct {
	encode.Source
	rate float64
	seed uint64
}

var _ encode.BatchEncoder = masking{}

// EncodeBatch implements [encode.BatchEncoder].
func (m masking) EncodeBatch(ctx context.Context, dst nn.Matrix, texts []string, workers int) error {
	masks := m.masks(texts)
	x, err := encode.Masked(ctx, m.Source, texts, masks, workers)
	copy(dst.Data, x.Data)
	return err
}

// masks draws those of some texts.
func (m masking) masks(texts []string) []text.Masking {
	masks := make([]text.Masking, len(texts))
	for i, t := range texts {
		key := append(append(model.SimulationKey(m.seed), "dropout:"...), t...)
		source := weakrand.NewChaCha8(sha256.Sum256(key))
		masks[i] = text.Mask(t, func(masked []bool) { mech.DrawMasks(masked, m.rate, mech.Bernoulli, source) })
	}
	return masks
}

// Masked returns the spans of texts that are masked before they are encoded, as a
// record says; nil if none are.
func Masked(r model.DataRecord, texts []string) [][]text.Span {
	if r.Dropout == 0 {
		return nil
	}
	spans := make([][]text.Span, len(texts))
	for i, m := range (masking{rate: r.Dropout, seed: r.MaskSeed}).masks(texts) {
		spans[i] = m.Spans()
	}
	return spans
}
