package ledger

import (
	"fmt"
	"time"
)

// sheet is a page at a moment, with what is in force then.
type sheet struct {
	Page
	now    time.Time
	terms  terms
	secret string
	window int64
	renews time.Time
	// lifetimes are the sums over all windows of subjects that were asked for,
	// where there is a limit to them.
	lifetimes map[string]Cost
	// joined counts the subjects that began to spend in the window, of which there may be
	// so many as most, if that is not 0.
	joined, most int
}

// The clock must lie between these, so that time counts in 64 bits.
var (
	firstMoment = time.Date(1971, 1, 1, 0, 0, 0, 0, time.UTC)
	lastMoment  = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)
)

// newSheet reads what is in force. Time never goes back behind the last entry.
func newSheet(p Page, clock time.Time) (*sheet, error) {
	s := &sheet{Page: p, now: clock.UTC().Round(0), lifetimes: map[string]Cost{}}
	last, err := p.Head()
	if err != nil {
		return nil, err
	}
	if s.now.Before(last.At) {
		s.now = last.At
	}
	if s.now.Before(firstMoment) || s.now.After(lastMoment) {
		return nil, unavailable(errClock)
	}
	var t terms
	if t, s.secret, err = latest(p); err != nil {
		return nil, err
	}
	if last.Seq != 0 && (t.Budget == Budget{}) {
		return nil, damaged("entry %d was written without a budget", last.Seq)
	}
	s.setTerms(t)
	return s, nil
}

// latest returns the budget and the secret in force, zero if there are none.
func latest(p Page) (t terms, secret string, err error) {
	for _, k := range []Kind{KindBudget, KindSecret} {
		switch e, err := p.Latest(k); {
		case err != nil:
			return t, "", err
		case e == nil:
		case e.Kind != k || k == KindBudget && e.Budget == nil:
			return t, "", damaged("entry %d should be a %s", e.Seq, k)
		case k == KindBudget:
			t = e.Terms()
		default:
			secret = e.SecretID
		}
	}
	return t, secret, nil
}

// prove goes by a page that is the same, and proved.
func (s *sheet) prove(p Page) error {
	t, secret, err := latest(p)
	if err == nil {
		s.Page, s.secret = p, secret
		s.setTerms(t)
	}
	return err
}

func (s *sheet) setTerms(t terms) {
	s.terms = t
	s.window, s.renews = t.WindowAt(s.now)
}

// add writes an entry behind the last one.
func (s *sheet) add(e *Entry) error {
	e.At = s.now
	return s.Append(e)
}

func (s *sheet) balance(sum Sums) Balance {
	left := s.left(sum)
	return Balance{
		Budget: s.terms.Budget, Granted: sum.Granted, Spent: sum.Spent,
		Left: Cost{Epsilon: max(left.Epsilon, 0), Delta: max(left.Delta, 0)}, Renews: s.renews,
	}
}

// lifetime returns what a subject has spent in all windows.
func (s *sheet) lifetime(subject string) (Cost, error) {
	if sum, ok := s.lifetimes[subject]; ok {
		return sum, nil
	}
	total, err := s.Lifetime(subject)
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

// join refuses newcomers beyond the bound.
func (s *sheet) join(n int) error {
	if n > 0 && s.most > 0 && s.joined+n > s.most {
		return fmt.Errorf("%w: %d", ErrCrowded, s.most)
	}
	s.joined += n
	return nil
}

// left is below zero where a budget was lowered after it was spent.
func (s *sheet) left(sum Sums) Cost { return s.terms.Cost().Plus(sum.Granted).Minus(sum.Spent) }
