package experiment

import (
	"context"
	"crypto/sha256"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/promise/mech"
	"sotto/text"
	"sotto/text/encode"
)

// masking is an encoder that masks words before it encodes what is left: each with
// a probability, and others for what they are. Masks follow from the seed and the
// text, so that equal texts have equal vectors. They serve to measure and protect
// nobody.
type masking struct {
	encode.Source
	rate   float64
	seed   uint64
	masker text.Masker // nil for none
}

var _ encode.BatchEncoder = masking{}

// newMasking returns what masks as a record says.
func newMasking(ctx context.Context, e encode.Source, r model.DataRecord) (masking, error) {
	m := masking{Source: e, rate: r.Dropout, seed: r.MaskSeed}
	if r.Mask == "" {
		return m, nil
	}
	masker, err := text.OpenTypes(ctx, r.Mask, text.TypesOptions{})
	if err == nil {
		m.masker = masker
	}
	return m, err
}

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
	var maskers []text.Masker
	if m.masker != nil {
		maskers = append(maskers, m.masker)
	}
	for i, t := range texts {
		var drop func(masked []bool)
		if m.rate > 0 {
			key := append(append(model.SimulationKey(m.seed), "dropout:"...), t...)
			source := weakrand.NewChaCha8(sha256.Sum256(key))
			drop = func(masked []bool) { mech.DrawMasks(masked, m.rate, mech.Bernoulli, source) }
		}
		masks[i] = text.Mask(t, drop, maskers...)
	}
	return masks
}

// masked returns texts as they are encoded, with what stands in the place of some of
// their parts, and the spans that are masked besides, as a record says; nil if none
// are.
func masked(ctx context.Context, r model.DataRecord, texts []string) (left []string, masked [][]text.Span, err error) {
	if r.Dropout == 0 && r.Mask == "" {
		return texts, nil, nil
	}
	m, err := newMasking(ctx, nil, r)
	if err != nil {
		return nil, nil, err
	}
	left, masked = encode.Replaced(texts, m.masks(texts))
	return left, masked, nil
}
