package safetensors

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
)

// Digest returns the SHA-256 of the tensors, in whatever order they are, and of what
// else belongs to them, such as counters that stand in the metadata. A file that keeps it
// there is known to be as it was written.
func (f *File) Digest(with []byte) string {
	h := sha256.New()
	h.Write(fmt.Appendf(nil, "%q", with)) // a hash takes everything
	var piece []byte
	for _, t := range sorted(f.Tensors) {
		h.Write(fmt.Appendf(nil, "%q %d", t.Name, t.Shape))
		for some := range slices.Chunk(t.Data, 4096) {
			piece = piece[:0]
			for _, v := range some {
				piece = binary.LittleEndian.AppendUint32(piece, math.Float32bits(v))
			}
			h.Write(piece)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
