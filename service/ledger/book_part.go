package ledger

import (
	"crypto/sha256"
	"encoding/binary"
)

// part says which of the parts a ledger is, into which a larger one is divided.
// Each is a whole ledger for its share of the subjects.
type part struct {
	Number int `json:"number"` // from 0
	Of     int `json:"of"`
	// Through and Origin are the number and the hash of the last entry of the
	// ledger that was divided; zero if it was begun in parts.
	Through uint64 `json:"through,omitempty"`
	Origin  Digest `json:"origin,omitzero"`
}

// maxParts bounds into how many parts a ledger is divided.
const maxParts = 256

// Valid reports whether there is such a part.
func (p part) Valid() bool { return p.Of >= 1 && p.Of <= maxParts && p.Number >= 0 && p.Number < p.Of }

// PartOf returns in which of so many parts a subject is. With twice as many parts,
// those of a part are divided among two.
func PartOf(subject string, parts int) int {
	h := sha256.Sum256([]byte("sotto ledger part\x00" + subject))
	return int(binary.BigEndian.Uint64(h[:8]) % uint64(parts))
}
