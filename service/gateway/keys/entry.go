package keys

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Scope is something that a key is for. None contains another, but that Admin
// may also read budgets.
type Scope string

// The scopes.
const (
	Embed    Scope = "embed"    // to release vectors
	Classify Scope = "classify" // to release vectors and have a server classify them
	Budget   Scope = "budget"   // to read what the key's own subject has spent
	Metrics  Scope = "metrics"  // to read the numbers of the service
	Admin    Scope = "admin"    // to grant, to back up, and to read what anybody has spent
)

// Scopes are all there are.
func Scopes() []Scope { return []Scope{Embed, Classify, Budget, Metrics, Admin} }

// asBefore is what a key without scopes is for: keys were made without any once,
// and clients must go on working with them.
func asBefore() []Scope { return []Scope{Embed, Classify, Budget} }

// ParseScopes reads names of scopes, separated by commas.
func ParseScopes(text string) ([]Scope, error) {
	var scopes []Scope
	for name := range strings.SplitSeq(text, ",") {
		scopes = append(scopes, Scope(strings.TrimSpace(name)))
	}
	return scopes, checkScopes(scopes)
}

func checkScopes(scopes []Scope) error {
	for i, s := range scopes {
		if !slices.Contains(Scopes(), s) {
			return fmt.Errorf("keys: a scope is %.20q, must be one of %s", s, join(Scopes()))
		}
		if slices.Contains(scopes[:i], s) {
			return fmt.Errorf("keys: the scope %s is given twice, must be given once", s)
		}
	}
	return nil
}

func join(scopes []Scope) string {
	names := make([]string, len(scopes))
	for i, s := range scopes {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}

// Entry is one line of a file of keys. It holds a hash of the key, from which the
// key, 26 random characters or 128 bits, cannot be found.
type Entry struct {
	ID      string    `json:"id"`      // the key's own first part
	Subject string    `json:"subject"` // who spends with it
	Salt    string    `json:"salt"`    // in hexadecimal
	Hash    string    `json:"hash"`    // SHA-256 of salt and key, in hexadecimal
	Single  bool      `json:"single,omitempty"`
	Scopes  []Scope   `json:"scopes,omitempty"` // absent: embed, classify and budget
	Expires time.Time `json:"expires,omitzero"` // absent: never
	Revoked time.Time `json:"revoked,omitzero"` // when; absent: not
}

// May returns what the key is for.
func (e *Entry) May() []Scope {
	if len(e.Scopes) == 0 {
		return asBefore()
	}
	return e.Scopes
}

// State says whether a key works at a time: active, expired or revoked.
func (e *Entry) State(now time.Time) string {
	switch {
	case !e.Revoked.IsZero():
		return "revoked"
	case !e.Expires.IsZero() && !now.Before(e.Expires):
		return "expired"
	}
	return "active"
}

const prefix = "sotto_"

var (
	subjectForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$`)
	idForm      = regexp.MustCompile(`^[0-9a-f]{12}$`)
)

// Order says what key is wanted.
type Order struct {
	Subject string    // who spends with it: 1 to 64 letters, digits and . _ @ -
	Single  bool      // requests may not name a user of their own
	Scopes  []Scope   // what it is for; empty means embed, classify and budget
	Expires time.Time // zero for never
}

// New makes an API key and its entry. The key is nowhere kept.
func New(o Order) (key string, e Entry, err error) {
	if !subjectForm.MatchString(o.Subject) {
		return "", e, fmt.Errorf("keys: the key's subject is %.80q, must be 1 to 64 letters, digits and . _ @ -", o.Subject)
	}
	if err := checkScopes(o.Scopes); err != nil {
		return "", e, err
	}
	var id [6]byte
	var salt [16]byte
	rand.Read(id[:]) // it never returns an error
	rand.Read(salt[:])
	e = Entry{ID: hex.EncodeToString(id[:]), Subject: o.Subject, Salt: hex.EncodeToString(salt[:]), Single: o.Single, Scopes: o.Scopes, Expires: o.Expires.UTC()}
	if len(e.Scopes) == 0 {
		e.Scopes = asBefore()
	}
	key = prefix + e.ID + "_" + rand.Text()
	e.Hash = hex.EncodeToString(hash(salt[:], key))
	return key, e, nil
}

func hash(salt []byte, key string) []byte {
	sum := sha256.Sum256(append(append([]byte(nil), salt...), key...))
	return sum[:]
}

// known is an entry with its salt and hash as bytes.
type known struct {
	Entry
	salt, hash []byte
}

func (e *Entry) check() (known, error) {
	if !subjectForm.MatchString(e.Subject) || !idForm.MatchString(e.ID) {
		return known{}, errors.New("has no id or subject, must have both")
	}
	salt, errSalt := hex.DecodeString(e.Salt)
	sum, errHash := hex.DecodeString(e.Hash)
	if errSalt != nil || errHash != nil || len(salt) < 16 || len(sum) != sha256.Size {
		return known{}, errors.New("has no salt of 16 bytes or no hash of 32, must have both")
	}
	if checkScopes(e.Scopes) != nil {
		return known{}, fmt.Errorf("has a scope that is not known or given twice, may have %s", join(Scopes()))
	}
	return known{*e, salt, sum}, nil
}
