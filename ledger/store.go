package ledger

import (
	"context"
	"time"
)

// store keeps the pages of a ledger. Its errors wrap [ErrUnavailable] or
// [ErrDamaged], unless they are those of the function that it was given.
type store interface {
	// update runs change in a transaction, alone, and returns when it is on
	// disk. If change fails, nothing has changed; if the medium fails, nothing
	// has or it is not known.
	update(ctx context.Context, change func(page) error) error
	view(ctx context.Context, read func(page) error) error
	close() error
}

// page is a transaction on a store. Its errors wrap [ErrUnavailable] or
// [ErrDamaged].
type page interface {
	head() (*Entry, error)                                         // the last entry, nil if there is none
	latest(k Kind) (*Entry, error)                                 // the last budget or secret, nil if there is none
	append(e *Entry, line []byte) error                            // as the last entry
	paid(name payment) (*Entry, error)                             // the spend under a key, nil if there is none
	sums(a account) (sums, error)                                  // zero if there are none
	setSums(a account, s sums) error                               //
	fetch(p []payment, a []account) error                          // what will be asked for, so that it can be read at once
	eachSum(subject string, yield func(account, sums) error) error // in all windows; "" for those of all subjects
	// entries yields the log in order, from 0 for all there is, and refuses a
	// row that says other than its entry, or an entry that its key does not lead
	// to.
	entries(from uint64, yield func(*Entry) error) error
	payments() (uint64, error) // how many keys there are
}

// sums are what a subject has been granted and has spent in a window.
type sums struct{ granted, spent Cost }

// account is one subject in one window.
type account struct {
	subject string
	window  int64
}

// payment is one key of one subject.
type payment struct {
	subject string
	key     Digest
}

// sheet is a page at a moment, with what is in force then.
type sheet struct {
	page
	now    time.Time
	terms  terms
	secret string
	window int64
	renews time.Time
	// lifetimes are the sums over all windows of subjects that were asked for,
	// where there is a limit to them.
	lifetimes map[string]Cost
}

// The clock must lie between these, so that time counts in 64 bits.
var (
	firstMoment = time.Date(1971, 1, 1, 0, 0, 0, 0, time.UTC)
	lastMoment  = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// newSheet reads what is in force. Time never goes back behind the last entry.
func newSheet(p page, clock time.Time) (*sheet, error) {
	s := &sheet{page: p, now: clock.UTC().Round(0), lifetimes: map[string]Cost{}}
	last, err := p.head()
	if err != nil {
		return nil, err
	}
	if last != nil && s.now.Before(last.At) {
		s.now = last.At
	}
	if s.now.Before(firstMoment) || s.now.After(lastMoment) {
		return nil, unavailable(errClock)
	}
	var t terms
	if t, s.secret, err = latest(p); err != nil {
		return nil, err
	}
	if last != nil && (t.Budget == Budget{}) {
		return nil, damaged("entry %d was written without a budget", last.Seq)
	}
	s.setTerms(t)
	return s, nil
}

// latest returns the budget and the secret in force, zero if there are none.
func latest(p page) (t terms, secret string, err error) {
	for _, k := range []Kind{KindBudget, KindSecret} {
		switch e, err := p.latest(k); {
		case err != nil:
			return t, "", err
		case e == nil:
		case e.Kind != k || k == KindBudget && e.Budget == nil:
			return t, "", damaged("entry %d should be a %s", e.Seq, k)
		case k == KindBudget:
			t = e.terms()
		default:
			secret = e.SecretID
		}
	}
	return t, secret, nil
}

func (s *sheet) setTerms(t terms) {
	s.terms = t
	s.window, s.renews = t.window(s.now)
}

// add writes an entry behind the last one.
func (s *sheet) add(e *Entry) error {
	last, err := s.head()
	if err != nil {
		return err
	}
	e.Seq, e.At, e.Prev = 1, s.now, Digest{}
	if last != nil {
		e.Seq, e.Prev = last.Seq+1, last.Hash
	}
	line, err := e.seal()
	if err != nil {
		return unavailable(err) // of the entries of a call, all or none are written
	}
	return s.append(e, line)
}

func (s *sheet) balance(sum sums) Balance {
	left := s.left(sum)
	return Balance{
		Budget: s.terms.Budget, Granted: sum.granted, Spent: sum.spent,
		Left: Cost{max(left.Epsilon, 0), max(left.Delta, 0)}, Renews: s.renews,
	}
}

// lifetime returns what a subject has spent in all windows.
func (s *sheet) lifetime(subject string) (Cost, error) {
	if sum, ok := s.lifetimes[subject]; ok {
		return sum, nil
	}
	var total Cost
	err := s.eachSum(subject, func(_ account, sum sums) error {
		if total = total.plus(sum.spent); !total.within(Cost{2 * maxCost, 2 * maxCost}) {
			return damaged("the sums of a subject are out of bounds")
		}
		return nil
	})
	if err == nil {
		s.lifetimes[subject] = total
	}
	return total, err
}

// withinLifetime refuses a spend beyond the limit on all windows together. A
// grant does not raise it.
func (s *sheet) withinLifetime(subject string, asked Cost) error {
	if s.terms.Lifetime == 0 {
		return nil
	}
	spent, err := s.lifetime(subject)
	if err != nil {
		return err
	}
	left := floor(s.terms.Lifetime, 0).Epsilon - spent.Epsilon
	if asked.Epsilon > left {
		return &OverBudget{Asked: asked, Left: Cost{Epsilon: max(left, 0)}, Lifetime: true}
	}
	return nil
}

// left is below zero where a budget was lowered after it was spent.
func (s *sheet) left(sum sums) Cost { return s.terms.cost().plus(sum.granted).minus(sum.spent) }
