package shard

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"unsafe"

	"sotto/promise/mech"
	"sotto/promise/noise"
	"sotto/service/gateway"
)

// Scheme enters every key, and folders and ledgers remember it. A change of how any
// mechanism draws or scales its noise must change it: the same noise on another scale
// would show the vector. Under "sotto batch 1" noise was keyed by the id alone, which by
// default was the name of a file and a line, so that two files of one name had the same.
const Scheme = "sotto batch 2"

// Key decides the noise of every row of a job, and nothing but the secret, the mechanism
// with its ε, the encoder, the [Row] and its raw vector decides it.
//
// Theorem. Whoever runs a chunk again, on whichever machine, writes the same bytes if the
// vectors have the same bits: it is no second release. Other rows and other vectors have
// independent noise, so that each is one release of the mechanism.
//
// Proof: key.md.
type Key struct {
	secret gateway.Secret
	means  string
}

// Row says which row is released. Two that are equal are one row, wherever they stand.
type Row struct {
	User string // whose it is, where a column says that
	ID   string // by its column; "" for a row that has none

	// A row without an id is of a job, of a file, by a digest under the secret, and of a
	// place in it.
	Job, File, Place string
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

// seal names something to whoever has the secret, and tells nothing of it to others.
func (k Key) seal(what string, parts ...string) string {
	sum := k.secret.Deriver().Sum(append([]string{Scheme, what}, parts...)...)
	return hex.EncodeToString(sum[:12])
}

// Drawer draws by a key, one row after the other: a stream is taken back when the next is
// asked for. It is not safe for concurrent use.
type Drawer struct {
	means string
	from  *noise.Deriver
	bits  []byte // of the last vector
}

// Drawer returns one for this goroutine.
func (k Key) Drawer() *Drawer { return &Drawer{means: k.means, from: k.secret.Deriver()} }

// Noise returns the stream that the noise of one row is drawn from.
func (d *Drawer) Noise(r Row, vector []float32) *noise.Stream {
	d.bits = d.bits[:0]
	for _, v := range vector {
		d.bits = binary.BigEndian.AppendUint32(d.bits, math.Float32bits(v))
	}
	return d.draw("noise", r, alias(d.bits))
}

// NoiseOf is Noise for a vector of a file.
func (d *Drawer) NoiseOf(r Row, vector []float64) *noise.Stream {
	d.bits = d.bits[:0]
	for _, v := range vector {
		d.bits = binary.BigEndian.AppendUint64(d.bits, math.Float64bits(v))
	}
	return d.draw("noise of 64 bits", r, alias(d.bits))
}

// Masks returns the stream that word dropout of one row is drawn from. Another rate, or
// another way to draw, has another one: masks of two jobs are independent.
func (d *Drawer) Masks(r Row, dropout float64, how mech.Masks, text string) *noise.Stream {
	return d.draw(fmt.Sprintf("masks %s %v", how, dropout), r, text)
}

// draw returns the stream of a row for a use.
func (d *Drawer) draw(use string, r Row, of string) *noise.Stream {
	if r.ID != "" {
		return d.from.Derive(Scheme, use, d.means, "id", r.User, r.ID, of)
	}
	return d.from.Derive(Scheme, use, d.means, "place", r.User, r.Job, r.File, r.Place, of)
}

// name returns what stands for an id where ids are compared: it tells nothing of the
// id to whoever does not have the secret.
func (d *Drawer) name(id string) (n idName) {
	sum := d.from.Sum(Scheme, "id", id)
	copy(n[:], sum[:])
	return n
}

// check names a row and what it holds.
func (d *Drawer) check(r Row, text string) [32]byte {
	return d.from.Sum(Scheme, "check", d.means, r.User, r.ID, r.Job, r.File, r.Place, text)
}

// alias is bytes that nobody changes while it lives as a string, without a copy.
func alias(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
