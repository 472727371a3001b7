package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"sotto/promise/dp"
)

// Kind says what an entry of the log does.
type Kind string

// The kinds of entries.
const (
	KindBudget Kind = "budget" // sets the budget of all subjects, from here on
	KindSecret Kind = "secret" // names the secret that keys are made with, from here on
	KindSpend  Kind = "spend"  // pays for a release
	KindGrant  Kind = "grant"  // gives one subject more, in one window
	// KindArchive says that the entries up to another are in an archive.
	KindArchive Kind = "archive"
	// KindPart says which part of a divided ledger this is.
	KindPart Kind = "part"
)

// Digest is a SHA-256 hash or a MAC of that size; in JSON it is hexadecimal.
type Digest [sha256.Size]byte

// String returns the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// MarshalText implements encoding.TextMarshaler.
func (d Digest) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, d[:]), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) != 2*len(d) {
		return fmt.Errorf("ledger: a digest has %d digits, must have %d", len(text), 2*len(d))
	}
	if _, err := hex.Decode(d[:], text); err != nil {
		return fmt.Errorf("ledger: a digest has a character that is no hexadecimal digit")
	}
	return nil
}

// Entry is one line of the log. Prev is the hash of the line before, so that no
// line can be changed, moved or taken out unless all that follow are made anew.
// Only whoever has noted the hash of a line can tell that this was done, or that
// lines at the end are missing.
type Entry struct {
	Seq     uint64    `json:"seq"` // from 1, without gaps
	At      time.Time `json:"at"`  // in UTC; never before the line above
	Kind    Kind      `json:"kind"`
	Subject string    `json:"subject,omitempty"`
	Window  int64     `json:"window,omitempty"` // in which it counts: its beginning, in nanoseconds since 1970

	// Of a spend.
	Key       Digest          `json:"key,omitzero"`
	Check     Digest          `json:"check,omitzero"`
	Mechanism json.RawMessage `json:"mechanism,omitempty"` // its name and parameters
	Guarantee *dp.Guarantee   `json:"guarantee,omitempty"` // of the release

	// Of a spend or a grant.
	Epsilon int64  `json:"nano_epsilon,omitempty"` // in units of 10⁻⁹
	Delta   int64  `json:"femto_delta,omitempty"`  // in units of 10⁻¹⁵
	Reason  string `json:"reason,omitempty"`       // of a grant
	Who     string `json:"who,omitempty"`          // gave a grant; absent from those of before names were asked for

	// Of a budget.
	Budget *Budget       `json:"budget,omitempty"`
	Since  time.Time     `json:"since,omitzero"`   // when its windows begin, if others have to end first
	Before time.Duration `json:"before,omitempty"` // the length of those

	SecretID string `json:"secret_id,omitempty"` // of a secret

	// Of an archive.
	Through uint64 `json:"through,omitempty"` // the last entry that is in it
	Archive Digest `json:"archive,omitzero"`  // the SHA-256 of the file
	Carried Digest `json:"carried,omitzero"`  // the SHA-256 of what the ledger keeps of those entries

	Part *part `json:"part,omitempty"` // of a part

	Prev Digest `json:"prev"`
	// Hash is the SHA-256 of the entry in JSON without this field, which comes
	// last: of the line whose last 75 bytes were replaced by a brace.
	Hash Digest `json:"hash,omitzero"`

	// Means are those of a spend, where they are known.
	Means *means `json:"-"`
}

// Cost returns what a spend costs, or what a grant gives.
func (e *Entry) Cost() Cost { return Cost{e.Epsilon, e.Delta} }

// Terms returns what a budget sets.
func (e *Entry) Terms() terms { return terms{*e.Budget, e.Since, e.Before} }

const (
	hashField = `,"hash":"`
	hashTail  = len(hashField) + 2*sha256.Size + len(`"}`)
)

// withHash returns a line with its hash.
func withHash(body []byte, hash Digest) []byte {
	line := append(bytes.Clone(body[:len(body)-1]), hashField...)
	return append(hex.AppendEncode(line, hash[:]), `"}`...)
}

// ParseEntry reads a line of the log, as it was written or exported. It refuses
// one whose hash is not its own, with an error that wraps [ErrDamaged], and so
// every other spelling of the same entry.
func ParseEntry(line []byte) (*Entry, error) {
	cut := len(line) - hashTail
	if cut < 1 {
		return nil, damaged("an entry has %d bytes, which is too few", len(line))
	}
	e := new(Entry)
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(e); err != nil {
		return nil, damaged("an entry cannot be read")
	}
	sum := sha256.Sum256(append(line[:cut:cut], '}'))
	if canonical, err := json.Marshal(e); err != nil || Digest(sum) != e.Hash || !bytes.Equal(canonical, line) {
		return nil, damaged("entry %d is not what was written", e.Seq)
	}
	return e, nil
}

// parseBody reads a line without its hash.
func parseBody(body []byte) (*Entry, error) {
	e, err := ParseEntry(withHash(body, sha256.Sum256(body)))
	if err == nil {
		e.Hash = Digest{}
	}
	return e, err
}
