package ledger

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Proof is what [Ledger.Verify] found a whole ledger to hold.
type Proof struct {
	Entries  uint64    `json:"entries"`
	Spends   uint64    `json:"spends"`
	Subjects int       `json:"subjects"`
	Head     Digest    `json:"head"` // the hash of the last entry: note it elsewhere
	Last     time.Time `json:"last"`
}

// auditor reads a log from its beginning.
type auditor struct {
	page   page
	proof  Proof
	sums   map[account]sums
	terms  terms
	secret string
	who    map[string]Cost // what each has spent in all windows
	noted  []Digest        // not found yet
}

// Verify reads the whole log and proves that no entry is missing before the
// last, changed or out of order, that no key was paid twice, that no window was
// overspent, and that what the ledger counts with is what the log says. It
// proves that the log still goes on from every hash that was noted of it before;
// without one it cannot tell a log that was cut off at its end, or made anew.
// The error wraps [ErrDamaged] and names the first entry that is wrong. It is
// [ErrUnavailable] where the ledger cannot be read.
func (l *Ledger) Verify(ctx context.Context, noted ...Digest) (Proof, error) {
	var proof Proof
	err := l.store.view(ctx, func(p page) error {
		a := &auditor{page: p, sums: map[account]sums{}, who: map[string]Cost{}, noted: slices.Clone(noted)}
		a.find(Digest{}) // the head of an empty ledger
		if err := p.entries(0, func(e *Entry) error {
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

// find crosses a hash off those that were noted.
func (a *auditor) find(hash Digest) {
	a.noted = slices.DeleteFunc(a.noted, func(d Digest) bool { return d == hash })
}

func (a *auditor) read(e *Entry) error {
	wrong := func(what string) error { return damaged("entry %d: %s", e.Seq, what) }
	switch {
	case e.Seq != a.proof.Entries+1:
		return wrong(fmt.Sprintf("it follows entry %d", a.proof.Entries))
	case e.Prev != a.proof.Head:
		return wrong("it does not follow the entry before it")
	case e.At.Before(a.proof.Last):
		return wrong("it is older than the entry before it")
	}
	a.proof.Entries, a.proof.Head, a.proof.Last = e.Seq, e.Hash, e.At
	a.find(e.Hash)
	var what string
	switch e.Kind {
	case KindBudget:
		what = a.budget(e)
	case KindSecret:
		if a.secret = e.SecretID; a.secret == "" {
			what = "it names no secret"
		}
	case KindGrant, KindSpend:
		what = a.count(e)
	default:
		what = "its kind is not known"
	}
	if what != "" {
		return wrong(what)
	}
	return nil
}

// budget checks an entry that sets the budget, and says what is wrong with it.
func (a *auditor) budget(e *Entry) string {
	if e.Budget == nil || e.Budget.Validate() != nil {
		return "it sets no budget"
	}
	next := terms{Budget: *e.Budget}
	if (a.terms.Budget != Budget{}) {
		var err error
		if next, err = a.terms.change(*e.Budget, e.At); err != nil {
			return "it sets a budget that cannot follow the one before it"
		}
	}
	if !next.since.Equal(e.Since) || next.before != e.Before {
		return "its windows begin at another time than they must"
	}
	a.terms = next
	return ""
}

// count checks an entry that spends or grants, and says what is wrong with it.
func (a *auditor) count(e *Entry) string {
	if (a.terms.Budget == Budget{}) || checkText("subject", e.Subject, maxSubject) != nil || !e.cost().countable() {
		return "it cannot be counted"
	}
	if window, _ := a.terms.window(e.At); window != e.Window {
		return "it counts in another window than its own"
	}
	life := a.who[e.Subject]
	a.who[e.Subject] = life
	at := account{e.Subject, e.Window}
	s := a.sums[at]
	if e.Kind == KindGrant {
		if s.granted = s.granted.plus(e.cost()); !s.granted.countable() {
			return "it grants more than can be counted"
		}
		a.sums[at] = s
		return ""
	}
	a.proof.Spends++
	if e.Guarantee == nil || e.Guarantee.Unit != a.terms.Unit {
		return "its guarantee is not of the budget's unit"
	}
	if cost, err := CostOf(*e.Guarantee); err != nil || cost != e.cost() {
		return "it costs something else than its guarantee"
	}
	if a.terms.Each != 0 && e.cost() != a.terms.each() {
		return "it does not cost what every release must"
	}
	s.spent, life = s.spent.plus(e.cost()), life.plus(e.cost())
	if e.cost() != (Cost{}) && a.terms.Lifetime != 0 && life.Epsilon > floor(a.terms.Lifetime, 0).Epsilon {
		return "it overspends the lifetime limit"
	}
	a.who[e.Subject] = life
	if e.cost() != (Cost{}) && !s.spent.within(a.terms.cost().plus(s.granted)) {
		return "it overspends"
	}
	a.sums[at] = s
	return ""
}

// compare holds what the ledger counts with against the log. That every key of
// the log leads to its entry, and so that none was paid twice, was seen while
// reading; here that there are no others.
func (a *auditor) compare() error {
	if len(a.noted) > 0 {
		return damaged("%d of the hashes that were noted are not in the log: entries were taken out, or all were made anew", len(a.noted))
	}
	if inForce, secret, err := latest(a.page); err != nil {
		return err
	} else if !inForce.equal(a.terms) || secret != a.secret {
		return damaged("the budget or the secret in force is not that of the log")
	}
	if last, err := a.page.head(); err != nil {
		return err
	} else if last != nil && (last.Seq != a.proof.Entries || last.Hash != a.proof.Head) {
		return damaged("entry %d should be the last", last.Seq)
	}
	if n, err := a.page.payments(); err != nil {
		return err
	} else if n != a.proof.Spends {
		return damaged("%d keys are paid for by %d entries", n, a.proof.Spends)
	}
	return a.compareSums()
}

func (a *auditor) compareSums() error {
	err := a.page.eachSum("", func(at account, got sums) error {
		if want, ok := a.sums[at]; !ok || got != want {
			return damaged("the sums of a subject are not those of the log")
		}
		delete(a.sums, at)
		return nil
	})
	if err != nil {
		return err
	}
	for _, want := range a.sums {
		if want != (sums{}) { // a spend of nothing leaves none
			return damaged("the sums of %d subjects are missing", len(a.sums))
		}
	}
	return nil
}
