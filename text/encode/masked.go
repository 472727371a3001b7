package encode

import (
	"context"

	"sotto/compute/nn"
	"sotto/text"
)

// MaskEncoder is a source with a way of its own to show that parts of a text are
// masked, such as the mask token of a transformer.
type MaskEncoder interface {
	Source

	// EncodeMasked is EncodeBatch of a [BatchEncoder] for texts of which parts
	// are masked: spans in order and without overlap. What stood there leaves no
	// trace.
	EncodeMasked(ctx context.Context, dst nn.Matrix, texts []string, masked [][]text.Span, workers int) error
}

// Masked is [Texts] for texts of which parts are masked, wherever texts are
// encoded: in training, in files and in a gateway. A [MaskEncoder] shows the
// masks in its way, and any other source sees a text without what is masked.
func Masked(ctx context.Context, s Source, texts []string, masks []text.Masking, workers int) (nn.Matrix, error) {
	m, ok := s.(MaskEncoder)
	if !ok {
		left := make([]string, len(texts))
		for i, t := range texts {
			left[i] = text.Apply(t, masks[i], " ")
		}
		return Texts(ctx, s, left, workers)
	}
	x, err := newRows(len(texts), s.Dim(), workers)
	if err != nil {
		return x, err
	}
	left, spans := Replaced(texts, masks)
	return x, m.EncodeMasked(ctx, x, left, spans, workers)
}

// Replaced returns texts with what stands in place of masked parts, and where in
// them the parts are for which nothing does, as a [MaskEncoder] takes both.
func Replaced(texts []string, masks []text.Masking) (left []string, masked [][]text.Span) {
	left, masked = make([]string, len(texts)), make([][]text.Span, len(texts))
	for i, k := range masks {
		left[i], masked[i] = k.Replace(texts[i])
	}
	return left, masked
}
