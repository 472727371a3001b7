package ledger

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
)

// This part of the package keeps a ledger in parts, each of which is a whole ledger for its
// share of the subjects, by a hash of their names: they are written at the same
// time, and may lie on different servers.
//
// Nothing is counted across parts: a subject is in one of them, and so are all of
// its spends, grants and keys. A ledger in a file, or in a database and undivided, has
// one part, so that [Open] opens every ledger. The smallest use is
//
//	book, err := OpenAny(ctx, "postgres://sotto@db/sotto", ledger.Options{…})
//	receipts, err := book.Spend(ctx, ledger.Request{Subject: "alice", …})

// ErrApart is returned by Spend for subjects that are not all in one part: they
// cannot be paid for together.
var ErrApart = errors.New("part: the subjects are in different parts of the ledger, must be paid for by a call each")

// Divided is a ledger in one or more parts. It is safe for concurrent use.
type Divided struct{ parts []*Ledger }

const timeout = 10 * time.Second // for what is asked once

// PartPlaces returns where the parts of the ledger at a place are, in their order: the
// place itself if it is undivided, or a file.
func PartPlaces(ctx context.Context, place string) ([]string, error) {
	if !InDatabase(place) {
		return []string{place}, nil
	}
	return databasePlaces(ctx, place, timeout)
}

// BeginParts makes a ledger of so many parts in a database, with every budget unspent.
func BeginParts(ctx context.Context, place string, parts int, o Options) (*Divided, error) {
	if err := check(place, parts); err != nil {
		return nil, err
	}
	if err := o.Budget.Validate(); err != nil {
		return nil, err
	}
	if err := beginDatabase(ctx, place, parts, timeout); err != nil {
		return nil, err
	}
	o.New = true
	return OpenAny(ctx, place, o)
}

// DivideAt makes parts of the undivided ledger in a database; see [ledger.Divide].
func DivideAt(ctx context.Context, place string, parts int, s Signing) (Proof, error) {
	if err := check(place, parts); err != nil {
		return Proof{}, err
	}
	return Divide(ctx, place, parts, s)
}

func check(place string, parts int) error {
	if !InDatabase(place) {
		return errors.New("part: the ledger is a file, must be in a database to have parts")
	}
	if parts < 2 || parts > maxParts {
		return fmt.Errorf("part: the parts are %d, must be from 2 to %d", parts, maxParts)
	}
	return nil
}

// OpenAny opens the ledger at a place, as [ledger.Open] does. A head in a file is one
// for each part, whose number is behind its name.
func OpenAny(ctx context.Context, place string, o Options) (*Divided, error) {
	places, err := PartPlaces(ctx, place)
	if err != nil {
		return nil, err
	}
	l := &Divided{parts: make([]*Ledger, len(places))}
	if len(places) == 1 {
		l.parts[0], err = Open(ctx, places[0], o)
		if err != nil {
			return nil, err
		}
		return l, nil
	}
	var group errgroup.Group
	for i := range places {
		group.Go(func() error {
			p := o
			p.Newcomers = (o.Newcomers + len(places) - 1) / len(places)
			p.Part, p.Head = &part{Number: i, Of: len(places)}, PartHead(o.Head, i, len(places))
			opened, failed := Open(ctx, places[i], p)
			if failed != nil {
				return fmt.Errorf("part %d of %d: %w", i, len(places), failed)
			}
			l.parts[i] = opened
			return nil
		})
	}
	if err = group.Wait(); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// PartHead names where the head of a part is noted, if that of the ledger is at a place.
func PartHead(place string, part, of int) string {
	if of == 1 || place == "" || place == NoHead || InDatabase(place) {
		return place // where each has a name of its own
	}
	return fmt.Sprintf("%s.%d", place, part)
}

// Parts returns the parts, in their order.
func (l *Divided) Parts() []*Ledger { return l.parts }

// of returns the part that a subject is in.
func (l *Divided) of(subject string) *Ledger { return l.parts[PartOf(subject, len(l.parts))] }

// Spend pays for releases as [ledger.Ledger.Spend] does, of subjects in one part.
// Without requests it tries whether all parts can be written.
func (l *Divided) Spend(ctx context.Context, requests ...Request) ([]Receipt, error) {
	if len(requests) == 0 {
		return nil, l.each(func(_ int, p *Ledger) error { _, err := p.Spend(ctx); return err })
	}
	in := l.of(requests[0].Subject)
	for _, r := range requests[1:] {
		if l.of(r.Subject) != in {
			return nil, ErrApart
		}
	}
	return in.Spend(ctx, requests...)
}

// each does something with all parts at the same time.
func (l *Divided) each(do func(i int, p *Ledger) error) error {
	var group errgroup.Group
	for i, p := range l.parts {
		group.Go(func() error { return do(i, p) })
	}
	return group.Wait()
}

// Balance says where a subject stands.
func (l *Divided) Balance(ctx context.Context, subject string) (Balance, error) {
	return l.of(subject).Balance(ctx, subject)
}

// Grant gives a subject more, in the current window alone.
func (l *Divided) Grant(ctx context.Context, g Grant) error {
	return l.of(g.Subject).Grant(ctx, g)
}

// Balances calls yield with every subject that did something in the current window.
func (l *Divided) Balances(ctx context.Context, yield func(subject string, b Balance) error) error {
	for _, p := range l.parts {
		if err := p.Balances(ctx, yield); err != nil {
			return err
		}
	}
	return nil
}

// Budget returns the budget of all subjects, as it was last seen.
func (l *Divided) Budget() Budget { return l.parts[0].Budget() }

// Verify proves every part; see [ledger.Ledger.VerifyWith]. A hash that was noted
// must be in one of them.
func (l *Divided) Verify(ctx context.Context) ([]Proof, error) {
	proofs := make([]Proof, len(l.parts))
	err := l.each(func(i int, p *Ledger) (err error) {
		if proofs[i], err = p.Verify(ctx); err != nil && len(l.parts) > 1 {
			err = fmt.Errorf("part %d of %d: %w", i, len(l.parts), err)
		}
		return err
	})
	return proofs, err
}

// ProofOfParts sums proofs of parts up. The head is the hash of their heads, one after
// the other, and the MAC is known as far as that of the least known.
func ProofOfParts(proofs []Proof) Proof {
	if len(proofs) == 1 {
		return proofs[0]
	}
	all := Proof{MAC: MACChecked}
	heads := sha256.New()
	for _, p := range proofs {
		all.Entries, all.Spends, all.Subjects = all.Entries+p.Entries, all.Spends+p.Spends, all.Subjects+p.Subjects
		heads.Write(p.Head[:])
		if p.Last.After(all.Last) {
			all.Last = p.Last
		}
		if all.MAC == MACChecked || p.MAC == MACAbsent {
			all.MAC = p.MAC
		}
	}
	all.Head = Digest(heads.Sum(nil))
	return all
}

// Close closes all parts.
func (l *Divided) Close() error {
	var all error
	for _, p := range l.parts {
		if p != nil { // it was opened
			all = errors.Join(all, p.Close())
		}
	}
	return all
}
