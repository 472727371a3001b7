package mask

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"sotto/study/language"
)

// draw is what something made up is drawn from: a stream that follows from the
// secret and from what it stands for, or without one from its type and its place
// among the others of its type. It is the same on every machine.
type draw struct {
	stream *rand.ChaCha8
	place  uint64 // among those of its type in the text, from 1
	shift  int    // of dates of this text in days, under a secret; else 0
}

// stream returns the stream of some names.
func stream(key []byte, names ...string) *rand.ChaCha8 {
	h := hmac.New(sha256.New, key)
	for _, name := range names {
		h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(name))))
		h.Write([]byte(name))
	}
	return rand.NewChaCha8([32]byte(h.Sum(nil)))
}

// draw returns the stream for a thing of some type. Each try has another.
func (w *writer) draw(t language.Type, what string, try uint64) *draw {
	again := string(binary.LittleEndian.AppendUint64(nil, try))
	if w.secret == nil {
		place := string(binary.LittleEndian.AppendUint64(nil, w.count[t]))
		return &draw{stream: stream([]byte("sotto mask"), string(t), place, again), place: w.count[t]}
	}
	d := &draw{stream: stream(w.secret, string(t), what, again), place: w.count[t]}
	if t == language.Date {
		of := rand.New(stream(w.secret, "shift of dates", w.s)) //nolint:gosec // keyed by the secret
		if d.shift = 30 + of.IntN(336); of.IntN(2) == 0 {
			d.shift = -d.shift
		}
	}
	return d
}

func (d *draw) next() uint64 { return d.stream.Uint64() }

// below returns a number from 0 up to, but without, n.
func (d *draw) below(n int) int { return rand.New(d.stream).IntN(n) } //nolint:gosec // keyed by the secret, if there is one

// of returns one of some things.
func (d *draw) of(all []string) string { return all[d.below(len(all))] }

func (d *draw) digit() byte { return byte('0' + d.below(10)) }

func (d *draw) letter() byte { return byte('a' + d.below(26)) }
