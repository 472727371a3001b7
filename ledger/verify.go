package ledger

import (
	"context"
	"fmt"
	"time"
)

// Proof is what [Ledger.Verify] found a whole ledger to hold.
type Proof struct {
	Entries  uint64    `json:"entries"`
	Subjects int       `json:"subjects"`
	Head     Digest    `json:"head"` // the hash of the last entry: note it elsewhere
	Last     time.Time `json:"last"`
}

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

// auditor reads a log from its beginning.
type auditor struct {
	page   page
	proof  Proof
	sums   map[account]sums
	paid   map[payment]bool
	budget *Budget
	who    map[string]bool
}

// Verify reads the whole log and proves that no entry is missing before the
// last, changed or out of order, that no key was paid twice, that no window was
// overspent, and that what the ledger counts with is what the log says. The
// error wraps [ErrDamaged] and names the first entry that is wrong.
func (l *Ledger) Verify(ctx context.Context) (Proof, error) {
	var proof Proof
	err := l.store.view(ctx, func(p page) error {
		a := &auditor{page: p, sums: map[account]sums{}, paid: map[payment]bool{}, who: map[string]bool{}}
		if err := p.entries(1, func(e *Entry) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return a.read(e)
		}); err != nil {
			return err
		}
		a.proof.Subjects = len(a.who)
		proof = a.proof
		return a.compare()
	})
	return proof, err
}

func (a *auditor) read(e *Entry) error {
	wrong := func(what string) error { return fmt.Errorf("%w: entry %d: %s", ErrDamaged, e.Seq, what) }
	switch {
	case e.Seq != a.proof.Entries+1:
		return wrong(fmt.Sprintf("it follows entry %d", a.proof.Entries))
	case e.Prev != a.proof.Head:
		return wrong("it does not follow the entry before it")
	case e.At.Before(a.proof.Last):
		return wrong("it is older than the entry before it")
	}
	a.proof.Entries, a.proof.Head, a.proof.Last = e.Seq, e.Hash, e.At
	if e.Kind == KindBudget {
		if e.Budget == nil || e.Budget.Validate() != nil {
			return wrong("it sets no budget")
		}
		a.budget = e.Budget
		return nil
	}
	if a.budget == nil || checkSubject(e.Subject) != nil || e.Epsilon < 0 || e.Delta < 0 || e.Epsilon > maxCost || e.Delta > maxCost {
		return wrong("it cannot be counted")
	}
	a.who[e.Subject] = true
	at := account{e.Subject, e.Window}
	s := a.sums[at]
	switch e.Kind {
	case KindGrant:
		s.granted = s.granted.plus(e.cost())
	case KindSpend:
		if err := a.spend(e, &s); err != nil {
			return wrong(err.Error())
		}
	default:
		return wrong("its kind is not known")
	}
	a.sums[at] = s
	return nil
}

// spend checks an entry that spends.
func (a *auditor) spend(e *Entry, s *sums) error {
	name := payment{e.Subject, e.Key}
	if a.paid[name] {
		return fmt.Errorf("its key was paid before")
	}
	a.paid[name] = true
	if e.Guarantee == nil || e.Guarantee.Unit != a.budget.Unit {
		return fmt.Errorf("its guarantee is not of the budget's unit")
	}
	if cost, err := CostOf(*e.Guarantee); err != nil || cost != e.cost() {
		return fmt.Errorf("it costs something else than its guarantee")
	}
	if window, _ := a.budget.window(e.At); window != e.Window {
		return fmt.Errorf("it counts in another window than its own")
	}
	s.spent = s.spent.plus(e.cost())
	if !s.spent.within(a.budget.cost().plus(s.granted)) {
		return fmt.Errorf("it overspends")
	}
	return nil
}

// compare holds what the ledger counts with against the log.
func (a *auditor) compare() error {
	for at, want := range a.sums {
		got, err := a.page.sums(at.subject, at.window)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("%w: the sums of a subject are not those of the log", ErrDamaged)
		}
	}
	for name := range a.paid {
		if e, err := a.page.paid(name.subject, name.key); err != nil {
			return err
		} else if e == nil {
			return fmt.Errorf("%w: a key of the log is not among those paid", ErrDamaged)
		}
	}
	return nil
}
