package keys

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"sotto/internal/atomicfile"
)

// Errors of Find.
var (
	// ErrUnknown is of a key that is not known, or was revoked.
	ErrUnknown = errors.New("keys: the key is not known")
	// ErrExpired is wrapped for who has the right key, whose time is over. Nobody
	// else learns of it.
	ErrExpired = errors.New("keys: the key has expired")
)

// Set is the keys that a service takes.
type Set struct {
	byID  map[string]known
	order []string // ids, as the file has them
}

// Parse reads a file of entries as [New] makes them, one JSON object a line.
// Errors quote nothing of it.
func Parse(r io.Reader) (*Set, error) {
	s := &Set{byID: map[string]known{}}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var e Entry
		if atomicfile.ParseJSON(lines.Bytes(), &e) != nil {
			return nil, fmt.Errorf("keys: line %d is malformed, must be an entry as \"sotto gateway key\" prints it", n)
		}
		if err := s.add(e); err != nil {
			return nil, fmt.Errorf("keys: line %d %w", n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("keys: the file cannot be read: %w", err)
	}
	if len(s.byID) == 0 {
		return nil, errors.New("keys: the file is empty, must hold at least one key: \"sotto gateway key\" makes one")
	}
	return s, nil
}

func (s *Set) add(e Entry) error {
	k, err := e.check()
	if err != nil {
		return err
	}
	if _, twice := s.byID[e.ID]; twice {
		return errors.New("has the id of another, must have its own")
	}
	s.byID[e.ID] = k
	s.order = append(s.order, e.ID)
	return nil
}

// Len returns the number of keys.
func (s *Set) Len() int { return len(s.byID) }

// Entries returns the entries in the order of their file.
func (s *Set) Entries() []Entry {
	all := make([]Entry, len(s.order))
	for i, id := range s.order {
		all[i] = s.byID[id].Entry
	}
	return all
}

// Active returns how many keys work at a time.
func (s *Set) Active(now time.Time) int {
	return len(slices.DeleteFunc(s.Entries(), func(e Entry) bool { return e.State(now) != "active" }))
}

// Holder is who asks with a key.
type Holder struct {
	Subject string
	Single  bool // may not name a user
	scopes  []Scope
}

// May reports whether the holder may do something.
func (h Holder) May(s Scope) bool { return slices.Contains(h.scopes, s) }

// Find returns the holder of a key, or an error, [ErrUnknown] or one that wraps
// [ErrExpired]. How long it takes does not depend on how much of a key is right:
// ids are no secret, and an unknown one is compared, too.
func (s *Set) Find(key string, now time.Time) (Holder, error) {
	id, _, _ := strings.Cut(strings.TrimPrefix(key, prefix), "_")
	k, ok := s.byID[id]
	if !ok {
		k = known{salt: make([]byte, 16), hash: make([]byte, sha256.Size)}
	}
	if same := subtle.ConstantTimeCompare(hash(k.salt, key), k.hash) == 1; !ok || !same {
		return Holder{}, ErrUnknown
	}
	switch k.State(now) {
	case "revoked":
		return Holder{}, ErrUnknown
	case "expired":
		return Holder{}, fmt.Errorf("%w at %s", ErrExpired, k.Expires.UTC().Format(time.RFC3339))
	}
	return Holder{k.Subject, k.Single, k.May()}, nil
}
