package static

import (
	"crypto/sha256"
	"encoding/hex"
	"io"

	"sotto/text/encode"
)

var (
	_ encode.Numeric = (*Encoder)(nil)
	_ encode.Numeric = (*Hashed)(nil)
)

// Numerics implements [encode.Numeric]: each product, sum and root is rounded by itself, in
// an order that is fixed, and so alike everywhere. The table alone decides.
func (e *Encoder) Numerics() (encode.Numerics, error) {
	if own, err := Default(); err == nil && own == e {
		return encode.Numerics{}, nil
	}
	return digest(e.Write)
}

// Numerics implements [encode.Numeric].
func (h *Hashed) Numerics() (encode.Numerics, error) { return digest(h.Write) }

// digest is that of what is written.
func digest(write func(io.Writer) error) (encode.Numerics, error) {
	h := sha256.New()
	err := write(h)
	return encode.Numerics{Weights: hex.EncodeToString(h.Sum(nil))}, err
}
