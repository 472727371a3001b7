package ledger

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

// Store keeps the pages of a ledger. Its errors wrap [ErrUnavailable] or
// [ErrDamaged], unless they are those of the function that it was given.
type Store interface {
	// Update runs change in a transaction, alone, and returns when it is on
	// disk. If change fails, nothing has changed; if the medium fails, nothing
	// has or it is not known.
	Update(ctx context.Context, change func(Page) error) error
	// View runs read on one state of the ledger, while others may write.
	View(ctx context.Context, read func(Page) error) error
	Close() error
}

// Page is a transaction on a store. Its errors wrap [ErrUnavailable] or
// [ErrDamaged].
type Page interface {
	Head() (Head, error)                                     // where the log ends
	Latest(k Kind) (*Entry, error)                           // the last budget or secret, nil if there is none
	Append(e *Entry) error                                   // as the last entry, whose place in the chain it sets
	Sign(m MAC)                                              // the head, when all is appended
	Paid(name payment) (*settled, error)                     // what was paid for under a key, nil if nothing was
	Sums(a account) (Sums, error)                            // zero if there are none
	SetSums(a account, s Sums) error                         //
	Fetch(p []payment, a []account) error                    // what will be asked for, so that it can be read at once
	Lifetime(subject string) (Cost, error)                   // what was spent in all windows before this page
	Balances(window int64, yield func(Standing) error) error // of those who did something in a window
	// Entries yields the log in order, from 0 for all there is. It refuses an
	// entry that is not what was written.
	Entries(from uint64, yield func(*Entry) error) error
	// HashOf returns the hash of an entry, zero if it is not there.
	HashOf(seq uint64) (Digest, error)
	// Carried returns what is kept of entries that were archived, nil if none
	// were.
	Carried() (*carried, error)
	// Compare holds what is kept beside the log against the sums that the log
	// was found to say.
	Compare(want map[account]Sums) error
}

var errEnough = errors.New("enough was read")

// hashFrom reads the hash of an entry from the log, zero if it is not there.
func hashFrom(p Page, seq uint64) (found Digest, err error) {
	err = p.Entries(max(seq, 1), func(e *Entry) error {
		if e.Seq == seq {
			found = e.Hash
		}
		return errEnough
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return found, err
}

// settled is a spend that was made before.
type settled struct {
	Seq   uint64
	Check Digest
	Means *means // nil if its entry was archived, of which the seal is kept
	Seal  seal
}

// seal is a digest of what a spend was for: check, cost and mechanism.
type seal [16]byte

// SealOf returns the seal of a spend.
func SealOf(check *Digest, m *means) (s seal) {
	h := sha256.New()
	h.Write(check[:])
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(m.Epsilon)))
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(m.Delta)))
	h.Write(m.Mechanism)
	copy(s[:], h.Sum(nil))
	return s
}

// Is reports whether this very release was paid for. A key that was paid for at
// a smaller ε, before the mechanism changed, does not pay for another.
func (s *settled) Is(check *Digest, m *means) bool {
	if s.Means == nil {
		return s.Seal == SealOf(check, m)
	}
	return s.Check == *check && s.Means.Epsilon == m.Epsilon && s.Means.Delta == m.Delta && bytes.Equal(s.Means.Mechanism, m.Mechanism)
}

// Standing is where a subject stands in a window, and what it spent in all.
type Standing struct {
	Subject string
	Sums
	Lifetime Cost
}

// Sums are what a subject has been granted and has spent in a window.
type Sums struct{ Granted, Spent Cost }

// Check refuses sums with which counting would overflow.
func (s Sums) Check() (Sums, error) {
	if !s.Granted.Countable() || s.Spent.Epsilon < 0 || s.Spent.Delta < 0 || !s.Spent.Within(Cost{2 * maxCost, 2 * maxCost}) {
		return Sums{}, damaged("a sum is out of bounds")
	}
	return s, nil
}

// carried is what a ledger keeps of entries that were archived.
type carried struct {
	Head                  // of the last of them
	Budget, Secret *Entry // that were in force then; nil if there was none
	Digest         Digest // of all of it, which an entry names
	Sums           map[account]Sums
	Paid           map[name]struct{}
}

// account is one subject in one window.
type account struct {
	Subject string
	Window  int64
}

// payment is one key of one subject.
type payment struct {
	Subject string
	Key     Digest
}

// name is a digest of a payment. It is long enough that no two are found that
// have the same.
type name [16]byte

// Name returns the digest of a payment.
func (p payment) Name() (n name) {
	h := sha256.Sum256(append(p.Key[:], p.Subject...))
	copy(n[:], h[:])
	return n
}
