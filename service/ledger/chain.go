package ledger

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"time"

	"sotto/promise/dp"
)

// MAC is a keyed hash of where a log ends: what nobody can make who has only the
// ledger.
type MAC [16]byte

// Head is where a log ends. The zero value is that of an empty one.
type Head struct {
	Seq    uint64
	Spends uint64
	At     time.Time
	Hash   Digest
	MAC    MAC // zero if whoever wrote the last entries had no key
}

// Sign returns the MAC of a head.
func (h *Head) Sign(key []byte) MAC {
	m := hmac.New(sha256.New, key)
	m.Write([]byte("sotto ledger 2 head\x00"))
	m.Write(binary.BigEndian.AppendUint64(nil, h.Seq))
	m.Write(binary.BigEndian.AppendUint64(nil, h.Spends))
	m.Write(h.Hash[:])
	return MAC(m.Sum(nil)[:len(MAC{})])
}

// Check refuses a head that was not signed with the key. A log that nobody has
// spent from, and whose keys no secret makes yet, need not be signed: whoever
// makes it may have no secret.
func (h *Head) Check(key []byte, secret string) error {
	switch {
	case h.Seq == 0 || h.MAC == MAC{} && h.Spends == 0 && secret == "":
		return nil
	case h.MAC == MAC{}:
		return damaged("entry %d, the last, has no MAC: it was written without the secret", h.Seq)
	}
	if want := h.Sign(key); !hmac.Equal(want[:], h.MAC[:]) {
		return damaged("entry %d, the last, has a MAC that was not made with the secret: who wrote it did not have that", h.Seq)
	}
	return nil
}

// Chain links records one after the other.
type Chain struct {
	Head
	Line []byte // that was hashed last
}

// Link makes a record the last one, and returns the hash of the one before it.
func (c *Chain) Link(r *Record) (prev Digest) {
	prev = c.Hash
	c.Line = r.AppendLine(c.Line[:0], c.Seq+1, (*[32]byte)(&c.Hash))
	c.Hash = sha256.Sum256(c.Line)
	c.Pass(r)
	return prev
}

// Pass makes a record the last one without a hash.
func (c *Chain) Pass(r *Record) {
	c.Seq++
	c.At = time.Unix(0, r.At).UTC()
	if r.Means != nil {
		c.Spends++
	}
}

// Record returns what is stored of an entry.
func (e *Entry) Record() (Record, error) {
	r := Record{At: e.At.UnixNano()}
	if e.Kind == KindSpend {
		r.Subject, r.Window, r.Key, r.Check, r.Means = e.Subject, e.Window, e.Key, e.Check, e.Means
		if r.Means == nil {
			guarantee, err := json.Marshal(e.Guarantee)
			if err != nil {
				return r, err
			}
			r.Means = NewMeans(e.Mechanism, guarantee, e.Epsilon, e.Delta)
		}
		return r, nil
	}
	bare := *e
	bare.Hash = Digest{}
	line, err := json.Marshal(bare)
	if err != nil {
		return r, err
	}
	r.Other = OtherOf(line)
	return r, nil
}

// guarantees are what means were found to promise.
type guarantees map[*means]*dp.Guarantee

// of returns the guarantee of means, and refuses one that is not written as it
// is here: its line would have another hash elsewhere.
func (g guarantees) of(m *means) (*dp.Guarantee, error) {
	if known := g[m]; known != nil {
		return known, nil
	}
	promise := new(dp.Guarantee)
	if err := json.Unmarshal(m.Guarantee, promise); err != nil {
		return nil, damaged("a guarantee cannot be read")
	}
	again, err := json.Marshal(promise)
	if err != nil || !bytes.Equal(again, m.Guarantee) {
		return nil, damaged("a guarantee is not what was written")
	}
	mechanism, err := json.Marshal(json.RawMessage(m.Mechanism))
	if err != nil || !bytes.Equal(mechanism, m.Mechanism) {
		return nil, damaged("a mechanism is not what was written")
	}
	g[m] = promise
	return promise, nil
}

// Entry returns the entry of the record that was linked last.
func (c *Chain) Entry(r *Record, prev Digest, known guarantees) (*Entry, error) {
	if r.Means == nil {
		return ParseEntry(withHash(c.Line, c.Hash))
	}
	promise, err := known.of(r.Means)
	if err != nil {
		return nil, err
	}
	return &Entry{
		Seq: c.Seq, At: c.At, Kind: KindSpend, Subject: r.Subject, Window: r.Window, Key: r.Key, Check: r.Check,
		Mechanism: r.Means.Mechanism, Guarantee: promise, Epsilon: r.Means.Epsilon, Delta: r.Means.Delta,
		Prev: prev, Hash: c.Hash, Means: r.Means,
	}, nil
}
