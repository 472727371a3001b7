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

// Drawer draws by a key, one record after the other: a stream is taken back when the
// next is asked for. It is not safe for concurrent use.
type Drawer struct {
	means string
	from  *noise.Deriver
	bits  []byte // of the last vector
}

// Drawer returns one for this goroutine.
func (k Key) Drawer() *Drawer { return &Drawer{means: k.means, from: k.secret.Deriver()} }

// Noise returns the stream that the noise of one record is drawn from.
func (d *Drawer) Noise(id string, vector []float32) *noise.Stream {
	d.bits = d.bits[:0]
	for _, v := range vector {
		d.bits = binary.BigEndian.AppendUint32(d.bits, math.Float32bits(v))
	}
	return d.from.Derive(scheme, "noise", d.means, id, alias(d.bits))
}

// NoiseOf is Noise for a vector of a file.
func (d *Drawer) NoiseOf(id string, vector []float64) *noise.Stream {
	d.bits = d.bits[:0]
	for _, v := range vector {
		d.bits = binary.BigEndian.AppendUint64(d.bits, math.Float64bits(v))
	}
	return d.from.Derive(scheme, "noise of 64 bits", d.means, id, alias(d.bits))
}

// Masks returns the stream that word dropout of one record is drawn from.
func (d *Drawer) Masks(id, text string) *noise.Stream {
	return d.from.Derive(scheme, "masks", d.means, id, text)
}

// name returns what stands for an id where ids are compared: it tells nothing of the
// id to whoever does not have the secret.
func (d *Drawer) name(id string) (n idName) {
	sum := d.from.Sum(scheme, "id", id)
	copy(n[:], sum[:])
	return n
}

// check names a record and what it holds.
func (d *Drawer) check(id, text string) [32]byte {
	return d.from.Sum(scheme, "check", d.means, id, text)
}

// alias is bytes that nobody changes while it lives as a string, without a copy.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
