package ledger

import (
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
		if next, err = old.Change(b, s.now); err != nil {
			return err
		}
		if what := old.More(b); what != "" && !raise {
			return fmt.Errorf("%w: %s", ErrRaise, what)
		}
	}
	s.setTerms(next)
	return s.add(&Entry{Kind: KindBudget, Budget: &b, Since: next.Since, Before: next.Before})
}

// recordPart says which part a ledger is that is begun.
func recordPart(s *sheet, p *part) error {
	if last, err := s.Head(); err != nil || p == nil || last.Seq != 0 {
		return err
	}
	return s.add(&Entry{Kind: KindPart, Part: p})
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
	after, newcomers := map[string]Sums{}, 0
	for _, subject := range in.subjects {
		sum, failed := s.Sums(account{Subject: subject, Window: s.window})
		if failed != nil {
			return nil, failed
		}
		asked := in.asked[subject]
		if asked != (Cost{}) && !asked.Within(s.left(sum)) {
			b := s.balance(sum)
			return nil, &OverBudget{Asked: asked, Left: b.Left, Renews: b.Renews}
		}
		if failed = s.withinLifetime(subject, asked); failed != nil {
			return nil, failed
		}
		if sum == (Sums{}) && asked != (Cost{}) {
			newcomers++
		}
		sum.Spent = sum.Spent.Plus(asked)
		after[subject] = sum
	}
	if err = s.join(newcomers); err != nil {
		return nil, err
	}
	return in.receipts, settle(s, spends, in, after)
}

// reckon finds out what was paid for before.
func reckon(s *sheet, spends []spend) (*invoice, error) {
	in := &invoice{receipts: make([]Receipt, len(spends)), first: map[payment]int{}, asked: map[string]Cost{}}
	for i, r := range spends {
		if each := s.terms.EachCost(); s.terms.Each != 0 && r.cost != each {
			return nil, fmt.Errorf("%w: it costs %v, must be %v", ErrUnlike, r.cost, each)
		}
		if _, seen := in.asked[r.Subject]; !seen {
			in.subjects = append(in.subjects, r.Subject)
			in.asked[r.Subject] = Cost{}
		}
		e, err := s.Paid(r.payment())
		if err != nil {
			return nil, err
		}
		if e != nil {
			if !e.Is(&r.Check, r.means) {
				return nil, ErrConflict
			}
			in.receipts[i] = Receipt{Seq: e.Seq, Repeated: true}
			continue
		}
		if j, twice := in.first[r.payment()]; twice {
			if first := (settled{Check: spends[j].Check, Means: spends[j].means}); !first.Is(&r.Check, r.means) {
				return nil, ErrConflict
			}
			continue
		}
		in.first[r.payment()] = i
		sum := in.asked[r.Subject].Plus(r.cost)
		if !sum.Countable() {
			return nil, fmt.Errorf("ledger: one request asks for more than any budget, %v", sum)
		}
		in.asked[r.Subject] = sum
	}
	return in, nil
}

// settle writes what pay has allowed.
func settle(s *sheet, spends []spend, in *invoice, after map[string]Sums) error {
	for i, r := range spends {
		receipt := &in.receipts[i]
		receipt.Balance = s.balance(after[r.Subject])
		if s.terms.Lifetime != 0 {
			receipt.Balance.Lifetime = s.lifetimes[r.Subject].Plus(in.asked[r.Subject])
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
		if err := s.SetSums(account{Subject: subject, Window: s.window}, after[subject]); err != nil {
			return err
		}
		if s.terms.Lifetime != 0 {
			s.lifetimes[subject] = s.lifetimes[subject].Plus(in.asked[subject])
		}
	}
	return nil
}

func grant(s *sheet, g Grant) error {
	at, more := account{Subject: g.Subject, Window: s.window}, floor(g.Epsilon, g.Delta)
	sum, err := s.Sums(at)
	if err != nil {
		return err
	}
	sum.Granted = sum.Granted.Plus(more)
	if !sum.Granted.Countable() {
		return errors.New("ledger: the grants of this window are more than can be counted")
	}
	e := &Entry{Kind: KindGrant, Subject: g.Subject, Window: s.window, Epsilon: more.Epsilon, Delta: more.Delta, Reason: g.Reason, Who: g.Who}
	if err := s.add(e); err != nil {
		return err
	}
	return s.SetSums(at, sum)
}
