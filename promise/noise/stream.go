package noise

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	mathrand "math/rand/v2"
)

// bufferSize is the number of key-stream bytes made at a time: enough to hide
// the cost of a call, small enough to stay in the first-level cache.
const bufferSize = 4096

// Stream is a source of random words, the key stream of AES-128 in counter
// mode. It implements [mathrand.Source]. A Stream is not safe for concurrent
// use: make one for each goroutine.
type Stream struct {
	ctr  cipher.Stream
	src  mathrand.Source      // if set, words come from here and ctr is nil
	next int                  // offset in buf of the next unused byte
	buf  [bufferSize + 8]byte // the last eight bytes are never filled: see pair
}

var _ mathrand.Source = (*Stream)(nil)

// Crypto returns a Stream with a fresh key from the operating system. Every
// real release draws from one.
func Crypto() *Stream {
	var seed [2 * aes.BlockSize]byte
	rand.Read(seed[:]) // never returns an error: the program is ended instead
	s := &Stream{}
	s.key(seed)
	return s
}

// Derive returns the Stream that belongs to a secret and a list of parts, such
// as subject, text and mechanism: the same for the same arguments, and
// independent of all others to anybody without the secret.
//
// The key is HMAC-SHA-256 of the parts, each preceded by its length so that no
// two lists run into each other. It panics if the secret has fewer than 16
// bytes: a guessable secret makes every release under it removable. A secret of
// fewer than 64 bytes and the same one followed by zero bytes count as one.
func Derive(secret []byte, parts ...string) *Stream { return NewDeriver(secret).Derive(parts...) }

// Deriver derives many streams from one secret in the memory of one. It is not
// safe for concurrent use.
type Deriver struct {
	mac    hash.Hash
	list   []byte // the parts of the last call, each after its length
	stream Stream
}

// NewDeriver returns a Deriver of a secret. It panics as [Derive] does.
func NewDeriver(secret []byte) *Deriver {
	if len(secret) < aes.BlockSize {
		panic("noise: secret is shorter than 16 bytes")
	}
	return &Deriver{mac: hmac.New(sha256.New, secret)}
}

// Derive returns the Stream that [Derive] returns. The next call takes it back.
func (d *Deriver) Derive(parts ...string) *Stream {
	d.stream.key(d.Sum(parts...))
	return &d.stream
}

// Sum returns what a Stream is keyed by: HMAC-SHA-256 of the parts.
func (d *Deriver) Sum(parts ...string) (sum [sha256.Size]byte) {
	d.list = d.list[:0]
	for _, p := range parts {
		d.list = binary.BigEndian.AppendUint64(d.list, uint64(len(p)))
		d.list = append(d.list, p...)
	}
	d.mac.Reset()
	d.mac.Write(d.list)
	d.mac.Sum(sum[:0])
	return sum
}

// key begins the key stream of a seed, of which the first half is the key and the
// second the first counter.
func (s *Stream) key(seed [2 * aes.BlockSize]byte) {
	block, err := aes.NewCipher(seed[:aes.BlockSize])
	if err != nil {
		panic(err) // only a wrong key length can be the reason
	}
	s.ctr, s.next = cipher.NewCTR(block, seed[aes.BlockSize:]), bufferSize
}

// From returns src itself if it is a Stream, and otherwise a Stream that hands
// on src's words. Each word is asked for when it is needed, so that From can
// be called again and again on one source.
func From(src mathrand.Source) *Stream {
	if s, ok := src.(*Stream); ok {
		return s
	}
	return &Stream{src: src, next: bufferSize}
}

// Uint64 returns the next random word.
func (s *Stream) Uint64() uint64 {
	if s.next == bufferSize {
		s.refill()
	}
	v := binary.LittleEndian.Uint64(s.buf[s.next:])
	s.next += 8
	return v
}

// zeros is what the key stream is added to.
var zeros [bufferSize]byte

// refill makes the next key stream; from a foreign source only the one word
// that is needed now, placed last.
func (s *Stream) refill() {
	if s.src != nil {
		s.next = bufferSize - 8
		binary.LittleEndian.PutUint64(s.buf[s.next:], s.src.Uint64())
		return
	}
	s.ctr.XORKeyStream(s.buf[:bufferSize], zeros[:])
	s.next = 0
}

// take sets aside words for up to the given number of pairs, at least one, and
// returns the offset of the first and how many there are. The next call to any
// method may overwrite them.
func (s *Stream) take(pairs int) (first, n int) {
	if s.src != nil {
		binary.LittleEndian.PutUint64(s.buf[0:], s.src.Uint64())
		binary.LittleEndian.PutUint64(s.buf[8:], s.src.Uint64())
		return 0, 1
	}
	if s.next > bufferSize-16 { // a single word may be left over: it is dropped
		s.refill()
	}
	n = min(pairs, (bufferSize-s.next)/16)
	first = s.next
	s.next += 16 * n
	return first, n
}

// pair returns the two words at an offset that take has set aside. The mask
// changes nothing, but tells the compiler that no bound need be checked.
func (s *Stream) pair(offset int) (a, b uint64) {
	offset &= bufferSize - 8
	return binary.LittleEndian.Uint64(s.buf[offset:]), binary.LittleEndian.Uint64(s.buf[offset+8:])
}
