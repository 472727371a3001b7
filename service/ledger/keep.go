package ledger

import (
	"cmp"
	"crypto/sha256"
	"encoding"
	"encoding/json"
	"hash"
	"maps"
	"slices"
)

// keep makes of entries what a ledger keeps of them when they are archived. From
// the same entries it always makes the same, so that whoever has them can prove
// what was kept. Behind the spends, which come as they are read, stand names,
// sums, and where the archive ends.
type keep struct {
	coder          Coder
	last           uint64 // spend that was kept
	sum            hash.Hash
	head           Head
	sums           map[account]Sums
	budget, secret []byte
	scratch        []byte
	// write gets each record; nil if only its digest is wanted.
	write func(part []byte) error
}

// newKeep returns one that has kept nothing.
func newKeep() *keep { return &keep{sum: sha256.New(), sums: map[account]Sums{}} }

func (k *keep) emit(part []byte) error {
	k.sum.Write(part)
	if k.write == nil {
		return nil
	}
	return k.write(part)
}

// Add keeps what is kept of an entry.
func (k *keep) Add(e *Entry) error {
	r, err := e.Record()
	if err != nil {
		return unavailable(err)
	}
	k.scratch, _ = k.coder.Append(k.scratch[:0], &r)
	k.head.Seq, k.head.At, k.head.Hash = e.Seq, e.At, e.Hash
	at := account{Subject: e.Subject, Window: e.Window}
	s := k.sums[at]
	switch e.Kind {
	case KindBudget:
		k.budget, err = bare(e)
		return err
	case KindSecret:
		k.secret, err = bare(e)
		return err
	case KindGrant:
		s.Granted = s.Granted.Plus(e.Cost())
		k.sums[at] = s
	case KindSpend:
		s.Spent = s.Spent.Plus(e.Cost())
		k.sums[at] = s
		k.head.Spends++
		kept := paidRecord{Seq: e.Seq, Name: payment{Subject: e.Subject, Key: e.Key}.Name(), Seal: SealOf(&e.Check, r.Means)}
		k.scratch = appendPaid(k.scratch[:0], k.last, &kept)
		k.last = e.Seq
		return k.emit(k.scratch)
	case KindArchive, KindPart: // the next one says as much, and a file is no part
	}
	return nil
}

// bare is the line of an entry without its place in the chain.
func bare(e *Entry) ([]byte, error) {
	alone := *e
	alone.Prev, alone.Hash = Digest{}, Digest{}
	return json.Marshal(alone)
}

// add takes over what another ledger has kept.
func (k *keep) add(c carriedRecord, part []byte) error {
	switch {
	case c.Paid != nil:
		k.last = c.Paid.Seq
		return k.emit(part)
	case c.Sum != nil:
		k.sums[account{Subject: c.Sum.Subject, Window: c.Sum.Window}] = sumsOf(c.Sum)
	case c.Cut != nil:
		k.head, k.budget, k.secret = headOf(c.Cut), c.Cut.Budget, c.Cut.Secret
	}
	return nil
}

// rest yields what follows the spends, a part at a time.
func (k *keep) rest(yield func(part []byte) error) error {
	names := k.coder.AppendNames(nil)
	for len(names) > 0 { // one by one, so that frames stay small
		n, _, err := new(Coder).Next(names, new(Record))
		if err != nil {
			return err
		}
		if err := yield(names[:n]); err != nil {
			return err
		}
		names = names[n:]
	}
	accounts := slices.SortedFunc(maps.Keys(k.sums), func(a, b account) int {
		return cmp.Or(cmp.Compare(a.Window, b.Window), cmp.Compare(a.Subject, b.Subject))
	})
	for _, a := range accounts {
		s := k.sums[a]
		if err := yield(k.coder.AppendSum(nil, &sumRecord{
			Subject: a.Subject, Window: a.Window, GrantedEpsilon: s.Granted.Epsilon, GrantedDelta: s.Granted.Delta,
			SpentEpsilon: s.Spent.Epsilon, SpentDelta: s.Spent.Delta,
		})); err != nil {
			return err
		}
	}
	at, window := k.coder.At()
	return yield(appendCut(nil, &cutRecord{
		Seq: k.head.Seq, Spends: k.head.Spends, At: at, Window: window, Hash: k.head.Hash, Budget: k.budget, Secret: k.secret,
	}))
}

// Digest returns the SHA-256 of all that is kept.
func (k *keep) Digest() (d Digest, err error) {
	state, err := k.sum.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		return d, err
	}
	sum := sha256.New()
	if err = sum.(encoding.BinaryUnmarshaler).UnmarshalBinary(state); err != nil {
		return d, err
	}
	if err = k.rest(func(part []byte) error { sum.Write(part); return nil }); err != nil {
		return d, err
	}
	return Digest(sum.Sum(nil)), nil
}

func sumsOf(s *sumRecord) Sums {
	return Sums{
		Granted: Cost{Epsilon: s.GrantedEpsilon, Delta: s.GrantedDelta},
		Spent:   Cost{Epsilon: s.SpentEpsilon, Delta: s.SpentDelta},
	}
}

func headOf(c *cutRecord) Head {
	return Head{Seq: c.Seq, Spends: c.Spends, At: timeOf(c.At), Hash: c.Hash}
}
