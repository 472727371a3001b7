package model

import (
	"runtime"

	"sotto/compute/nn"
	"sotto/text/encode"
)

// Numerics say what decides the bits of what the mechanism is given, beside the weights:
// nothing where there is no layer before it. Layers run on kernels that round by
// processor, and activations on functions of Go's library, which round by architecture.
func (m *Model) Numerics() (encode.Numerics, error) {
	if len(m.encoder) == 0 || m.architecture.Constant != "" {
		return encode.Numerics{}, nil
	}
	p := nn.NewPool(1)
	x := nn.NewMatrix(4, m.architecture.Inputs)
	rows := make([]int, x.Rows)
	state := uint64(1)
	for i := range x.Data {
		state = state*6364136223846793005 + 1442695040888963407 // Knuth's, and any other would do
		x.Data[i] = float32(int32(state>>40)) / (1 << 20)
	}
	for i := range rows {
		rows[i] = i
	}
	y, err := m.Represent(p, x, rows)
	return encode.Numerics{Kernel: p.Rounding() + " " + runtime.GOARCH, Bits: encode.Bits(y)}, err
}
