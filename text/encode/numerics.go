package encode

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"sotto/compute/nn"
)

// Numerics say what decides the bits of a source's vectors, beside its name and the text.
// Two machines on which they are equal make the same bits of the same text. Whoever
// promises that a text which comes again is released again, and not a second time, keeps
// them, and compares.
type Numerics struct {
	// Kernel is the family of kernels that round alike, such as "fma" or "portable"; ""
	// where every build and processor gives the same bits.
	Kernel string `json:"kernel,omitempty"`
	// Bits is a digest of what is computed of something fixed. It changes only when bits
	// do; "" where they never do.
	Bits string `json:"bits,omitempty"`
	// Weights is the SHA-256 of the files that vectors are made from; "" where the program
	// holds all of them.
	Weights string `json:"weights,omitempty"`
}

// Exact reports whether the name of the source says it all.
func (n Numerics) Exact() bool { return n == Numerics{} }

// Numeric is a source that computes its vectors itself, and so can say how.
type Numeric interface {
	Source

	// Numerics says what decides the bits of the vectors.
	Numerics() (Numerics, error)
}

// NumericsOf returns those of a source. One that answers from elsewhere has none: whether
// equal texts give equal bits is up to who answers.
func NumericsOf(s Source) (Numerics, error) {
	if n, ok := s.(Numeric); ok {
		return n.Numerics()
	}
	return Numerics{}, fmt.Errorf("encode: %.60q answers from elsewhere, must be an encoder that this program computes itself: nobody can say whether equal texts give equal bits", s.Name())
}

// Bits is a digest of numbers as [Numerics] have it, in hexadecimal.
func Bits(x nn.Matrix) string {
	h := sha256.New()
	h.Write(floats(nil, x.Data))
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// floats appends numbers bit by bit.
func floats(to []byte, x []float32) []byte {
	for _, v := range x {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(v))
	}
	return to
}

var (
	_ Numeric = Hash{}
	_ Numeric = (*WordVectors)(nil)
	_ Numeric = (*Mapped)(nil)
)

// Numerics implements [Numeric]: the logarithms in its weights are far enough from where
// float32 rounds that the last bit of a float64 cannot be seen.
func (Hash) Numerics() (Numerics, error) { return Numerics{}, nil }

// Numerics implements [Numeric].
func (w *WordVectors) Numerics() (Numerics, error) {
	h := sha256.New()
	var line []byte
	for i, word := range w.Words() {
		line = append(binary.LittleEndian.AppendUint64(line[:0], uint64(len(word))), word...)
		h.Write(floats(line, w.data[i*w.dim:(i+1)*w.dim]))
	}
	return Numerics{Weights: hex.EncodeToString(h.Sum(nil))}, nil
}

// Numerics implements [Numeric]. The header says what the digest of the rest is, which is
// read once to see that it is.
func (m *Mapped) Numerics() (Numerics, error) {
	if err := m.file.Verify(); err != nil {
		return Numerics{}, err
	}
	about := fmt.Sprintf("%d %d %s %v %s", m.info.Words, m.info.Dim, m.info.Numbers, m.info.Sorted, m.info.SHA256)
	sum := sha256.Sum256([]byte(about))
	n := Numerics{Weights: hex.EncodeToString(sum[:])}
	if m.sif { // weights rest on a logarithm, which processors round differently
		bits := binary.LittleEndian.AppendUint64(nil, math.Float64bits(m.zipf))
		n.Bits = hex.EncodeToString(bits)
	}
	return n, nil
}
