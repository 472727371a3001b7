package bert

import (
	"context"
	"fmt"
	"slices"

	"sotto/compute/nn"
	"sotto/text"
)

// Viewed is a sequence and the place of the token that is looked at.
type Viewed struct {
	text.Tokens
	At int
}

// MaskView returns a text of which one span is masked, and where the mask token
// stands. What is too long is cut off at the end, so the mask of a span far behind may
// be gone: then the last token stands for it.
func (m *Model) MaskView(s string, masked text.Span) Viewed {
	t := m.tokeniser.EncodeMasked(s, []text.Span{masked}, m.limit)
	mask, _ := m.tokeniser.ID("[MASK]") // no text can write it
	at := slices.Index(t.IDs, mask)
	if at < 0 {
		at = len(t.IDs) - 1
	}
	return Viewed{Tokens: t, At: at}
}

// WordView returns a word or a phrase by itself, seen at its first piece.
func (m *Model) WordView(s string) Viewed {
	return Viewed{Tokens: m.tokeniser.Encode(s, m.limit), At: 1}
}

// View fills vectors with the vectors of sequences, as [Model.EncodeTokens] does, and
// views with what one token of each looks like on its way: its vector after each of the
// given layers, one behind the other. Layer 0 is the embedding, and the layers must
// ascend. One pass gives both, so that whoever explains what a token did to a text pays
// once. The bits do not depend on other sequences or on the number of workers.
func (m *Model) View(ctx context.Context, vectors, views nn.Matrix, sequences []Viewed, layers []int, workers int) error {
	m.checkSize(vectors, len(sequences))
	if views.Rows != len(sequences) || views.Cols != len(layers)*m.Dim() {
		panic(fmt.Sprintf("bert: views of %d×%d for %d sequences and %d layers", views.Rows, views.Cols, len(sequences), len(layers)))
	}
	tokens := make([]text.Tokens, len(sequences))
	for i, s := range sequences {
		if err := m.check(s.Tokens); err != nil {
			return fmt.Errorf("bert: sequence %d: %w", i, err)
		}
		if s.At < 0 || s.At >= len(s.IDs) {
			return fmt.Errorf("bert: sequence %d is seen at token %d, must be seen at one of its %d", i, s.At, len(s.IDs))
		}
		tokens[i] = s.Tokens
	}
	for i, l := range layers {
		if l < 0 || l > m.Layers() || i > 0 && l <= layers[i-1] {
			return fmt.Errorf("bert: layers are %v, must ascend from 0 to %d", layers, m.Layers())
		}
	}
	if workers < 1 {
		return fmt.Errorf("bert: workers is %d, must be at least 1", workers)
	}
	ends := cut(tokens, tokenLimit)
	share(ctx, workers, len(ends)-1, func(piece int) {
		s := m.space(1)
		defer m.spaces.Put(s)
		lo, hi := ends[piece], ends[piece+1]
		m.layersSeen(s, tokens[lo:hi], func(layer int) {
			for k, l := range layers {
				if l != layer {
					continue
				}
				for i := lo; i < hi; i++ {
					copy(views.Row(i)[k*m.Dim():(k+1)*m.Dim()], s.x.Row(s.starts[i-lo]+sequences[i].At))
				}
			}
		})
		m.pool(s, vectors.Slice(lo, hi), tokens[lo:hi])
		for i := lo; i < hi; i++ {
			scale(vectors.Row(i))
		}
	})
	return ctx.Err()
}

// Layers returns how many layers the model has.
func (m *Model) Layers() int { return len(m.weights.layers) }
