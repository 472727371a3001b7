package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"sotto/dp"
)

// Kind says what an entry of the log does.
type Kind string

// The kinds of entries.
const (
	KindBudget Kind = "budget" // the budget of all subjects, from here on
	KindSpend  Kind = "spend"
	KindGrant  Kind = "grant" // more for one subject, in one window
)

// Digest is a SHA-256 hash or a MAC of that size; in JSON it is hexadecimal.
type Digest [sha256.Size]byte

// MarshalText implements encoding.TextMarshaler.
func (d Digest) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%x", d[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != 2*len(d) {
		return fmt.Errorf("ledger: a digest has %d digits, must have %d", len(text), 2*len(d))
	}
	for i := range d {
		high, low := digit(text[2*i]), digit(text[2*i+1])
		if high < 0 || low < 0 {
			return fmt.Errorf("ledger: a digest has a character that is no lower-case hexadecimal digit")
		}
		d[i] = byte(high<<4 | low)
	}
	return nil
}

func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	}
	return -1
}

// Entry is one line of the log. Prev is the hash of the line before, so that no
// line can be changed, moved or taken out unseen; what follows the last line can
// only be missed by whoever has noted the last hash.
type Entry struct {
	Seq     uint64    `json:"seq"` // from 1, without gaps
	At      time.Time `json:"at"`  // in UTC; never before the line above
	Kind    Kind      `json:"kind"`
	Subject string    `json:"subject,omitempty"`
	Window  int64     `json:"window,omitempty"` // that it counts in

	// Of a spend.
	Key       Digest          `json:"key,omitzero"`
	Check     Digest          `json:"check,omitzero"`
	Mechanism json.RawMessage `json:"mechanism,omitempty"` // its name and parameters
	Guarantee *dp.Guarantee   `json:"guarantee,omitempty"` // of the release

	// Of a spend or a grant.
	Epsilon int64  `json:"nano_epsilon,omitempty"` // in units of 10⁻⁹
	Delta   int64  `json:"femto_delta,omitempty"`  // in units of 10⁻¹⁵
	Reason  string `json:"reason,omitempty"`       // of a grant

	Budget *Budget `json:"budget,omitempty"` // of a budget

	Prev Digest `json:"prev"`
	Hash Digest `json:"hash"` // of all of the above
}

func (e *Entry) cost() Cost { return Cost{e.Epsilon, e.Delta} }

// seal computes the hash of the entry: SHA-256 of its JSON form with a zero
// Hash, in which fields have one order and one spelling.
func (e *Entry) seal() error {
	sum, err := e.digest()
	e.Hash = sum
	return err
}

func (e *Entry) digest() (Digest, error) {
	blank := *e
	blank.Hash = Digest{}
	content, err := json.Marshal(&blank)
	if err != nil {
		return Digest{}, fmt.Errorf("ledger: an entry cannot be written: %w", err)
	}
	return sha256.Sum256(content), nil
}

// decode reads an entry and refuses one that says more or other than its hash.
func decode(content []byte) (*Entry, error) {
	e := new(Entry)
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(e); err != nil {
		return nil, fmt.Errorf("%w: an entry cannot be read", ErrDamaged)
	}
	sum, err := e.digest()
	if err != nil || sum != e.Hash {
		return nil, fmt.Errorf("%w: entry %d is not what was written", ErrDamaged, e.Seq)
	}
	return e, nil
}
