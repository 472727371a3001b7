package bert

import (
	"context"

	"sotto/compute/nn"
	"sotto/text"
	"sotto/text/encode"
)

var _ encode.Numeric = (*Model)(nil)

// probes are the lengths of sequences of which [Model.Numerics] takes the bits, about
// those at which loops change.
var probes = []int{1, 2, 7, 16, 33}

// Numerics implements [encode.Numeric]: the family of kernels that the model runs on, the
// bits of some sequences, and the digest of the folder.
func (m *Model) Numerics() (encode.Numerics, error) {
	weights, err := Digest(m.dir)
	if err != nil {
		return encode.Numerics{}, err
	}
	var all []text.Tokens
	id := uint64(1)
	for _, n := range probes {
		n = min(n, m.limit)
		t := text.Tokens{IDs: make([]int32, n), Types: make([]int32, n)}
		for i := range t.IDs {
			id = id*6364136223846793005 + 1442695040888963407 // Knuth's, and any other would do
			t.IDs[i] = int32((id >> 33) % uint64(m.config.Vocabulary))
		}
		all = append(all, t)
	}
	x := nn.NewMatrix(len(all), m.Dim())
	if err := m.EncodeTokens(context.Background(), x, all, 1); err != nil {
		return encode.Numerics{}, err
	}
	return encode.Numerics{Kernel: m.rounding, Bits: encode.Bits(x), Weights: weights}, nil
}
