package ledger

import (
	"bytes"
	"errors"
	"fmt"
)

// errClock is the error of a host whose clock is not set.
var errClock = errors.New("ledger: the clock is before 1971 or after 2200")

// recordBudget sets the budget of all subjects, unless it is set already. Zero
// leaves it as it is.
func recordBudget(s *sheet, b Budget, raise bool) error {
	old := s.terms
	switch {
	case b == Budget{} && old.Budget == b:
		return errors.New("ledger: the ledger has no budget yet, one must be given")
	case b == Budget{} || old.Budget == b:
		return nil
	}
	next := terms{Budget: b}
	if (old.Budget != Budget{}) {
		var err error
		if next, err = old.change(b, s.now); err != nil {
			return err
		}
		if what := old.more(b); what != "" && !raise {
			return fmt.Errorf("%w: %s", ErrRaise, what)
		}
	}
	s.setTerms(next)
	return s.add(&Entry{Kind: KindBudget, Budget: &b, Since: next.since, Before: next.before})
}

// recordSecret names the secret that keys are made with.
func recordSecret(s *sheet, id string, rotate bool) error {
	switch {
	case id == "" || s.secret == id:
		return nil
	case s.secret != "" && !rotate:
		return fmt.Errorf("%w: %s, not %s", ErrSecret, s.secret, id)
	}
	s.secret = id
	return s.add(&Entry{Kind: KindSecret, SecretID: id})
}

// invoice is what a call has to pay.
type invoice struct {
	receipts []Receipt
	first    map[payment]int // who pays first for a key within the call
	subjects []string
	asked    map[string]Cost
}

// pay pays for all spends or, with an error that is no fault of the store, for
// none: everything is checked before anything is written.
func pay(s *sheet, spends []spend) ([]Receipt, error) {
	in, err := reckon(s, spends)
	if err != nil {
		return nil, err
	}
	after := map[string]sums{}
	for _, subject := range in.subjects {
		sum, err := s.sums(account{subject, s.window})
		if err != nil {
			return nil, err
		}
		asked := in.asked[subject]
		if asked != (Cost{}) && !asked.within(s.left(sum)) {
			b := s.balance(sum)
			return nil, &OverBudget{Asked: asked, Left: b.Left, Renews: b.Renews}
		}
		if err := s.withinLifetime(subject, asked); err != nil {
			return nil, err
		}
		sum.spent = sum.spent.plus(asked)
		after[subject] = sum
	}
	return in.receipts, settle(s, spends, in, after)
}

// reckon finds out what was paid for before.
func reckon(s *sheet, spends []spend) (*invoice, error) {
	in := &invoice{receipts: make([]Receipt, len(spends)), first: map[payment]int{}, asked: map[string]Cost{}}
	for i, r := range spends {
		if each := s.terms.each(); s.terms.Each != 0 && r.cost != each {
			return nil, fmt.Errorf("%w: it costs %v, must be %v", ErrUnlike, r.cost, each)
		}
		if _, seen := in.asked[r.Subject]; !seen {
			in.subjects = append(in.subjects, r.Subject)
			in.asked[r.Subject] = Cost{}
		}
		e, err := s.paid(r.payment())
		if err != nil {
			return nil, err
		}
		if e != nil {
			if !r.sameAs(e) {
				return nil, ErrConflict
			}
			in.receipts[i] = Receipt{Seq: e.Seq, Repeated: true}
			continue
		}
		if j, twice := in.first[r.payment()]; twice {
			if !r.sameAs(spends[j].entry()) {
				return nil, ErrConflict
			}
			continue
		}
		in.first[r.payment()] = i
		sum := in.asked[r.Subject].plus(r.cost)
		if !sum.countable() {
			return nil, fmt.Errorf("ledger: one request asks for more than any budget, %v", sum)
		}
		in.asked[r.Subject] = sum
	}
	return in, nil
}

// settle writes what pay has allowed.
func settle(s *sheet, spends []spend, in *invoice, after map[string]sums) error {
	for i, r := range spends {
		receipt := &in.receipts[i]
		receipt.Balance = s.balance(after[r.Subject])
		if s.terms.Lifetime != 0 {
			receipt.Balance.Lifetime = s.lifetimes[r.Subject].plus(in.asked[r.Subject])
		}
		if receipt.Repeated {
			continue
		}
		if j := in.first[r.payment()]; j != i {
			receipt.Seq, receipt.Repeated = in.receipts[j].Seq, true
			continue
		}
		e := r.entry()
		e.Window = s.window
		if err := s.add(e); err != nil {
			return err
		}
		receipt.Seq = e.Seq
	}
	for _, subject := range in.subjects {
		if (in.asked[subject] == Cost{}) {
			continue // its sums are as they were
		}
		if err := s.setSums(account{subject, s.window}, after[subject]); err != nil {
			return err
		}
		if s.terms.Lifetime != 0 {
			s.lifetimes[subject] = s.lifetimes[subject].plus(in.asked[subject])
		}
	}
	return nil
}

func (r spend) payment() payment { return payment{r.Subject, r.Key} }

// entry is the entry of a spend, without its place in the log.
func (r spend) entry() *Entry {
	g := r.Guarantee
	return &Entry{
		Kind: KindSpend, Subject: r.Subject, Key: r.Key, Check: r.Check,
		Mechanism: r.mechanism, Guarantee: &g, Epsilon: r.cost.Epsilon, Delta: r.cost.Delta,
	}
}

// sameAs reports whether an entry has paid for this very release. A key that was
// paid for at a smaller ε, before the mechanism changed, has not.
func (r spend) sameAs(e *Entry) bool {
	return e.Check == r.Check && e.cost() == r.cost && bytes.Equal(e.Mechanism, r.mechanism)
}

func grant(s *sheet, g Grant) error {
	at, more := account{g.Subject, s.window}, floor(g.Epsilon, g.Delta)
	sum, err := s.sums(at)
	if err != nil {
		return err
	}
	sum.granted = sum.granted.plus(more)
	if !sum.granted.countable() {
		return errors.New("ledger: the grants of this window are more than can be counted")
	}
	e := &Entry{Kind: KindGrant, Subject: g.Subject, Window: s.window, Epsilon: more.Epsilon, Delta: more.Delta, Reason: g.Reason, Who: g.Who}
	if err := s.add(e); err != nil {
		return err
	}
	return s.setSums(at, sum)
}
