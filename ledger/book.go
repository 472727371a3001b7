package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// store keeps the pages of a ledger.
type store interface {
	// update runs change in a transaction, alone, and returns when it is on
	// disk. If change or the disk fails, nothing has changed.
	update(ctx context.Context, change func(page) error) error
	view(ctx context.Context, read func(page) error) error
	close() error
}

// page is a transaction on a store. Its errors wrap errStore or [ErrDamaged].
type page interface {
	head() (*Entry, error)                               // the last entry, nil if there is none
	append(e *Entry) error                               // as the last entry
	entries(from uint64, yield func(*Entry) error) error // in order
	paid(subject string, key Digest) (*Entry, error)     // the spend under a key, nil if there is none
	sums(subject string, window int64) (sums, error)     // zero if there are none
	setSums(subject string, window int64, s sums) error  //
	budget() (*Budget, error)                            // as recorded last, nil if never
	now(clock time.Time) (time.Time, error)              // clock, or the time of the last entry if that is later
}

// errStore is wrapped by errors of the medium.
var errStore = errors.New("ledger: the store failed")

// sums are what a subject has been granted and has spent in a window.
type sums struct{ granted, spent Cost }

// add writes an entry behind the last one.
func add(p page, now time.Time, e *Entry) error {
	last, err := p.head()
	if err != nil {
		return err
	}
	e.Seq, e.At = 1, now.UTC()
	if last != nil {
		e.Seq, e.Prev = last.Seq+1, last.Hash
	}
	if err := e.seal(); err != nil {
		return err
	}
	return p.append(e)
}

func recordBudget(p page, now time.Time, b Budget) error {
	old, err := p.budget()
	if err != nil || old != nil && *old == b {
		return err
	}
	return add(p, now, &Entry{Kind: KindBudget, Budget: &b})
}

// pay pays for all spends or, with an error that is no fault of the store, for
// none: everything is checked before anything is written.
func pay(p page, now time.Time, b Budget, spends []spend) ([]Receipt, error) {
	receipts := make([]Receipt, len(spends))
	window, renews := b.window(now)
	asked := map[string]Cost{}
	var subjects []string
	first := map[string]int{} // who pays first for a key within this call
	for i, s := range spends {
		e, err := p.paid(s.Subject, s.Key)
		if err != nil {
			return nil, err
		}
		name := s.Subject + string(s.Key[:])
		j, twice := first[name]
		switch {
		case e != nil && e.Check != s.Check, twice && spends[j].Check != s.Check:
			return nil, ErrConflict
		case e != nil:
			receipts[i] = Receipt{e.Seq, true}
			continue
		case twice:
			continue
		}
		first[name] = i
		if !slices.Contains(subjects, s.Subject) {
			subjects = append(subjects, s.Subject)
		}
		asked[s.Subject] = asked[s.Subject].plus(s.cost)
		if asked[s.Subject].Epsilon > maxCost || asked[s.Subject].Delta > maxCost {
			return nil, fmt.Errorf("ledger: one request asks for more than any budget, %v", asked[s.Subject])
		}
	}
	after := map[string]sums{}
	for _, subject := range subjects {
		s, err := p.sums(subject, window)
		if err != nil {
			return nil, err
		}
		left := b.cost().plus(s.granted).minus(s.spent)
		if !asked[subject].within(left) {
			return nil, &OverBudget{Asked: asked[subject], Left: Cost{max(left.Epsilon, 0), max(left.Delta, 0)}, Renews: renews}
		}
		s.spent = s.spent.plus(asked[subject])
		after[subject] = s
	}
	return receipts, settle(p, now, window, spends, receipts, first, after)
}

// settle writes what pay has allowed.
func settle(p page, now time.Time, window int64, spends []spend, receipts []Receipt, first map[string]int, after map[string]sums) error {
	for i, s := range spends {
		name := s.Subject + string(s.Key[:])
		if receipts[i].Repeated {
			continue
		}
		if j := first[name]; j != i {
			receipts[i] = Receipt{receipts[j].Seq, true}
			continue
		}
		g := s.Guarantee
		e := &Entry{
			Kind: KindSpend, Subject: s.Subject, Window: window, Key: s.Key, Check: s.Check,
			Mechanism: s.mechanism, Guarantee: &g, Epsilon: s.cost.Epsilon, Delta: s.cost.Delta,
		}
		if err := add(p, now, e); err != nil {
			return err
		}
		receipts[i].Seq = e.Seq
	}
	for subject, s := range after {
		if err := p.setSums(subject, window, s); err != nil {
			return err
		}
	}
	return nil
}

func grant(p page, now time.Time, b Budget, subject string, more Cost, reason string) error {
	window, _ := b.window(now)
	s, err := p.sums(subject, window)
	if err != nil {
		return err
	}
	s.granted = s.granted.plus(more)
	if s.granted.Epsilon > maxCost || s.granted.Delta > maxCost {
		return errors.New("ledger: the grants of this window are more than can be counted")
	}
	if err := add(p, now, &Entry{Kind: KindGrant, Subject: subject, Window: window, Epsilon: more.Epsilon, Delta: more.Delta, Reason: reason}); err != nil {
		return err
	}
	return p.setSums(subject, window, s)
}

func balance(p page, now time.Time, b Budget, subject string) (Balance, error) {
	window, renews := b.window(now)
	s, err := p.sums(subject, window)
	if err != nil {
		return Balance{}, err
	}
	left := b.cost().plus(s.granted).minus(s.spent)
	return Balance{Budget: b, Granted: s.granted, Spent: s.spent, Left: Cost{max(left.Epsilon, 0), max(left.Delta, 0)}, Renews: renews}, nil
}
