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
	masks := make([]text.Masking, len(texts))
	for i, t := range texts {
		key := append(append(model.SimulationKey(m.seed), "dropout:"...), t...)
		source := weakrand.NewChaCha8(sha256.Sum256(key))
		masks[i] = text.Mask(t, func(masked []bool) { mech.DrawMasks(masked, m.rate, mech.Bernoulli, source) })
	}
	x, err := encode.Masked(ctx, m.Source, texts, masks, workers)
	copy(dst.Data, x.Data)
	return err
}
