package bias

import (
	"fmt"
	"strconv"

	"sotto/dp"
	"sotto/noise"
)

// Privatize returns the table as it leaves through a mechanism: each word's
// vector is one release. Words and their order stay, for a measure of bias must
// know them; they are public word lists, and what is protected is which of them
// a vector stands for. Noise is derived from the key and the number of the
// draw: with a key that is known, or used again, it measures and protects
// nobody.
func (t *Table) Privatize(m dp.Vector, key []byte, draw int) (*Table, error) {
	in, out := m.Shape()
	if in != t.dim {
		return nil, fmt.Errorf("bias: width of the mechanism is %d, must be that of the vectors, %d", in, t.dim)
	}
	source := noise.Derive(key, "bias", strconv.Itoa(draw))
	private := &Table{dim: out, words: t.words, index: t.index, rows: make([]float64, out*len(t.words))}
	for i := range t.words {
		if err := m.PrivatizeTo(private.Row(i), t.Row(i), source); err != nil {
			return nil, fmt.Errorf("bias: word %d: %w", i+1, err)
		}
	}
	return private, nil
}
