package gateway

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"sotto/internal/atomicfile"
)

// KeyEntry is one line of a file of API keys. It holds a hash of the key, from
// which the key, 26 random characters or 128 bits, cannot be found.
type KeyEntry struct {
	ID      string `json:"id"`      // the key's own first part
	Subject string `json:"subject"` // who spends with it
	Salt    string `json:"salt"`    // in hexadecimal
	Hash    string `json:"hash"`    // SHA-256 of salt and key, in hexadecimal
	Single  bool   `json:"single,omitempty"`
}

const keyPrefix = "sotto_"

var (
	subjectForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$`)
	idForm      = regexp.MustCompile(`^[0-9a-f]{12}$`)
)

// NewKey makes an API key and its entry. The key is nowhere kept. With single,
// requests may not name a user of their own.
func NewKey(subject string, single bool) (key string, e KeyEntry, err error) {
	if !subjectForm.MatchString(subject) {
		return "", e, fmt.Errorf("gateway: the key's subject is %.80q, must be 1 to 64 letters, digits and . _ @ -", subject)
	}
	var id [6]byte
	var salt [16]byte
	rand.Read(id[:]) // it never returns an error
	rand.Read(salt[:])
	e = KeyEntry{ID: hex.EncodeToString(id[:]), Subject: subject, Salt: hex.EncodeToString(salt[:]), Single: single}
	key = keyPrefix + e.ID + "_" + rand.Text()
	e.Hash = hex.EncodeToString(hashKey(salt[:], key))
	return key, e, nil
}

func hashKey(salt []byte, key string) []byte {
	sum := sha256.Sum256(append(append([]byte(nil), salt...), key...))
	return sum[:]
}

// Keys are the API keys that a service takes.
type Keys struct{ byID map[string]knownKey }

type knownKey struct {
	subject    string
	single     bool
	salt, hash []byte
}

// ParseKeys reads a file of entries as [NewKey] makes them, one JSON object a
// line. Errors quote nothing of it.
func ParseKeys(r io.Reader) (*Keys, error) {
	k := &Keys{map[string]knownKey{}}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := k.add(lines.Bytes()); err != nil {
			return nil, fmt.Errorf("gateway: line %d of the keys %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("gateway: the keys cannot be read: %w", err)
	}
	if len(k.byID) == 0 {
		return nil, errors.New("gateway: the file of keys is empty, must hold at least one")
	}
	return k, nil
}

// add adds the entry of a line.
func (k *Keys) add(line []byte) error {
	var e KeyEntry
	if atomicfile.ParseJSON(line, &e) != nil {
		return errors.New("is malformed, must be an entry as \"sotto gateway key\" prints it")
	}
	if !subjectForm.MatchString(e.Subject) || !idForm.MatchString(e.ID) {
		return errors.New("has no id or subject, must have both")
	}
	salt, errSalt := hex.DecodeString(e.Salt)
	hash, errHash := hex.DecodeString(e.Hash)
	if errSalt != nil || errHash != nil || len(salt) < 16 || len(hash) != sha256.Size {
		return errors.New("has no salt of 16 bytes or no hash of 32, must have both")
	}
	if _, twice := k.byID[e.ID]; twice {
		return errors.New("has the id of another, must have its own")
	}
	k.byID[e.ID] = knownKey{e.Subject, e.Single, salt, hash}
	return nil
}

// Len returns the number of keys.
func (k *Keys) Len() int { return len(k.byID) }

// find returns the entry of a key. How long it takes does not depend on how much
// of a key is right: ids are no secret, and an unknown one is compared, too.
func (k *Keys) find(key string) (knownKey, bool) {
	id, _, _ := strings.Cut(strings.TrimPrefix(key, keyPrefix), "_")
	known, ok := k.byID[id]
	if !ok {
		known = knownKey{salt: make([]byte, 16), hash: make([]byte, sha256.Size)}
	}
	same := subtle.ConstantTimeCompare(hashKey(known.salt, key), known.hash) == 1
	return known, ok && same
}
