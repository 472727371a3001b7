package mech

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"sotto/promise/dp"
)

// fingerprints is how many inputs a fingerprint is made of, beside the witness.
const fingerprints = 32

// Fingerprint returns a digest of what a mechanism releases of fixed inputs with
// fixed randomness. It is equal on all builds and processors that round alike,
// which those of this program do, and another one where they do not: whoever
// promises the same release of the same text again can tell.
func Fingerprint(m dp.Vector) ([sha256.Size]byte, error) {
	in, out := m.Shape()
	if in < 1 {
		return [sha256.Size]byte{}, fmt.Errorf("mech: the mechanism takes %d numbers, must take at least one", in)
	}
	var key [32]byte
	copy(key[:], "sotto fingerprint")
	source := rand.NewChaCha8(key) // of what is public
	inputs := [][]float64{make([]float64, in), make([]float64, in)}
	inputs[1][in-1] = 1
	if p, ok := m.(dp.Profiled); ok {
		if w := p.Profile().Witness; w.X != nil {
			inputs = append(inputs, w.X, w.X2)
		}
	}
	for range fingerprints {
		x := make([]float64, in)
		for i := range x {
			x[i] = float64(int32(source.Uint64())) / (1 << 28) // exact on every processor
		}
		inputs = append(inputs, x)
	}
	h, y, word := sha256.New(), make([]float64, out), make([]byte, 8)
	for _, x := range inputs {
		err := m.PrivatizeTo(y, x, source)
		if err != nil && !errors.Is(err, dp.ErrDomain) {
			return [sha256.Size]byte{}, fmt.Errorf("mech: nothing is released of a fixed input: %w", err)
		}
		if err != nil {
			h.Write([]byte("refused"))
			continue
		}
		for _, v := range y {
			binary.LittleEndian.PutUint64(word, math.Float64bits(v))
			h.Write(word)
		}
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}
