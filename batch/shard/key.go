package shard

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"unsafe"

	"sotto/gateway"
	"sotto/mech"
	"sotto/noise"
)

// scheme enters every key. A change of how any mechanism draws or scales its noise
// must change it: the same noise on another scale would show the vector.
const scheme = "sotto batch 1"

// Key decides the noise of every record of a set, and nothing but the secret, the
// mechanism with its ε, the encoder, the record's id and its raw vector decides it.
//
// Theorem. Whoever runs a chunk again, on whichever machine, writes the same bytes: it
// is no second release. Records with another id or another vector have independent
// noise, so that each is one release of the mechanism.
//
// Proof: key.md.
type Key struct {
	secret gateway.Secret
	means  string
}

// NewKey returns the key of a mechanism that releases vectors of an encoder, "" for
// vectors that come from files.
func NewKey(s gateway.Secret, m mech.Mechanism, encoder string) (Key, error) {
	shape, err := mech.Fingerprint(m)
	if err != nil {
		return Key{}, err
	}
	params, err := json.Marshal(m.Params()) // ε among them
	if err != nil {
		return Key{}, fmt.Errorf("shard: the mechanism cannot be written: %w", err)
	}
	h := sha256.New()
	for _, part := range [][]byte{params, shape[:], []byte(encoder)} {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write(part)
	}
	return Key{secret: s, means: string(h.Sum(nil))}, nil
}

// Digest names what the key stands for but the secret: mechanism, ε and encoder.
func (k Key) Digest() string { return hex.EncodeToString([]byte(k.means)) }

// Noise returns the stream that the noise of one record is drawn from.
func (k Key) Noise(id string, vector []float32) *noise.Stream {
	bits := make([]byte, 0, 4*len(vector))
	for _, v := range vector {
		bits = binary.BigEndian.AppendUint32(bits, math.Float32bits(v))
	}
	return k.secret.Stream(scheme, "noise", k.means, id, alias(bits))
}

// NoiseOf is Noise for a vector of a file.
func (k Key) NoiseOf(id string, vector []float64) *noise.Stream {
	bits := make([]byte, 0, 8*len(vector))
	for _, v := range vector {
		bits = binary.BigEndian.AppendUint64(bits, math.Float64bits(v))
	}
	return k.secret.Stream(scheme, "noise of 64 bits", k.means, id, alias(bits))
}

// Masks returns the stream that word dropout of one record is drawn from.
func (k Key) Masks(id, text string) *noise.Stream {
	return k.secret.Stream(scheme, "masks", k.means, id, text)
}

// name returns what stands for an id where ids are compared: it tells nothing of the
// id to whoever does not have the secret.
func (k Key) name(id string) (n idName) {
	d := k.secret.Digest([]byte(scheme), []byte("id"), []byte(id))
	copy(n[:], d[:])
	return n
}

// check names a record and what it holds.
func (k Key) check(id, text string) [32]byte {
	return k.secret.Digest([]byte(scheme), []byte("check"), []byte(k.means), []byte(id), []byte(text))
}

// alias is bytes that nobody changes as a string, without a copy.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
