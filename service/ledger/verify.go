package ledger

import (
	"context"
	"errors"
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
	// Archived is how many of the entries are in archives that were not read.
	Archived uint64 `json:"archived,omitempty"`
	// MAC says what is known of the MAC of the head.
	MAC MACState `json:"mac"`
}

// MACState says what is known of the MAC of a head.
type MACState string

// What is known of the MAC of a head.
const (
	MACAbsent    MACState = "absent"      // the last entry was written without a key
	MACUnchecked MACState = "not checked" // no key was given to check it with
	MACChecked   MACState = "checked"     // whoever wrote the log had the key
)

// auditor reads a log from its beginning.
type auditor struct {
	page   Page
	proof  Proof
	sums   map[account]Sums
	terms  terms
	part   *part // nil if it is none
	secret string
	who    map[string]Cost   // what each has spent in all windows
	paid   map[name]struct{} // the keys that were paid for
	noted  []Digest          // not found yet
	// archives are the entries that name some, by the last entry in each.
	archives map[uint64]*Entry
}

func newAuditor(p Page) *auditor {
	return &auditor{page: p, sums: map[account]Sums{}, who: map[string]Cost{}, paid: map[name]struct{}{}, archives: map[uint64]*Entry{}}
}

// Verify reads the whole log and proves that no entry is missing before the
// last, changed or out of order, that no key was paid twice, that no window was
// overspent, and that what the ledger counts with is what the log says. It
// proves that the log still goes on from every hash that was noted of it before;
// without one it cannot tell a log that was cut off at its end, or made anew.
// The error wraps [ErrDamaged] and names the first entry that is wrong. It is
// [ErrUnavailable] where the ledger cannot be read.
func (l *Ledger) Verify(ctx context.Context, noted ...Digest) (Proof, error) {
	return l.VerifyWith(ctx, nil, noted...)
}

// VerifyWith verifies a ledger together with the archives of its entries, from
// the oldest on. Without them it takes what the ledger keeps of those entries
// from the entry that names it by its hash.
func (l *Ledger) VerifyWith(ctx context.Context, archives []string, noted ...Digest) (Proof, error) {
	var proof Proof
	a := newAuditor(nil)
	a.noted = slices.Clone(noted)
	a.find(Digest{}) // the head of an empty ledger
	before := &past{auditor: a, keep: newKeep()}
	for _, path := range archives {
		if err := before.archive(ctx, path); err != nil {
			return proof, fmt.Errorf("%s: %w", path, err)
		}
	}
	err := l.store.View(ctx, func(p Page) error {
		a.page = p
		kept, err := before.kept(p)
		if err != nil {
			return err
		}
		if err = a.all(ctx, p, nil); err != nil {
			return err
		}
		if err = before.named(kept); err != nil {
			return err
		}
		a.proof.Subjects = len(a.who)
		if err = a.compare(); err != nil {
			return err
		}
		if a.proof.MAC, err = l.checkMAC(p); err == nil {
			proof = a.proof
		}
		return err
	})
	return proof, err
}

// all reads the entries of a page, and gives each to more, if there is any.
func (a *auditor) all(ctx context.Context, p Page, more func(*Entry) error) error {
	return p.Entries(0, func(e *Entry) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := a.read(e); err != nil || more == nil {
			return err
		}
		return more(e)
	})
}

// checkMAC says what is known of the MAC of a page's head.
func (l *Ledger) checkMAC(p Page) (MACState, error) {
	last, err := p.Head()
	_, secret, failed := latest(p)
	switch {
	case errors.Join(err, failed) != nil:
		return "", errors.Join(err, failed)
	case l.key != nil && l.secret != "" && secret != "" && l.secret != secret:
		return "", fmt.Errorf("%w: %s, not %s", ErrSecret, secret, l.secret)
	case l.key != nil:
		if err := last.Check(l.key, secret); err != nil {
			return "", err
		}
	}
	switch {
	case last.MAC == MAC{}:
		return MACAbsent, nil
	case l.key == nil:
		return MACUnchecked, nil
	}
	return MACChecked, nil
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
	case KindPart:
		if a.part = e.Part; a.part == nil || !a.part.Valid() {
			what = "it names no part"
		}
	case KindArchive:
		if e.Through == 0 || e.Through >= e.Seq || e.Archive == (Digest{}) || e.Carried == (Digest{}) {
			what = "it names no archive"
		}
		a.archives[e.Through] = e
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
		if next, err = a.terms.Change(*e.Budget, e.At); err != nil {
			return "it sets a budget that cannot follow the one before it"
		}
	}
	if !next.Since.Equal(e.Since) || next.Before != e.Before {
		return "its windows begin at another time than they must"
	}
	a.terms = next
	return ""
}

// count checks an entry that spends or grants, and says what is wrong with it.
func (a *auditor) count(e *Entry) string {
	if (a.terms.Budget == Budget{}) || checkText("subject", e.Subject, maxSubject) != nil || !e.Cost().Countable() {
		return "it cannot be counted"
	}
	if window, _ := a.terms.WindowAt(e.At); window != e.Window {
		return "it counts in another window than its own"
	}
	life := a.who[e.Subject]
	if e.Kind == KindGrant || releases(e.Mechanism) > 0 { // the mark of a job is no subject
		a.who[e.Subject] = life
	}
	at := account{Subject: e.Subject, Window: e.Window}
	s := a.sums[at]
	if e.Kind == KindGrant {
		if s.Granted = s.Granted.Plus(e.Cost()); !s.Granted.Countable() {
			return "it grants more than can be counted"
		}
		a.sums[at] = s
		return ""
	}
	a.proof.Spends++
	key := payment{Subject: e.Subject, Key: e.Key}.Name()
	if _, twice := a.paid[key]; twice {
		return "its key was paid for before"
	}
	a.paid[key] = struct{}{}
	if e.Guarantee == nil || e.Guarantee.Unit != a.terms.Unit {
		return "its guarantee is not of the budget's unit"
	}
	if cost, err := CostOf(*e.Guarantee); err != nil || cost != e.Cost() {
		return "it costs something else than its guarantee"
	}
	if a.terms.Each != 0 && !a.alike(e) {
		return "it does not cost what every release must"
	}
	s.Spent, life = s.Spent.Plus(e.Cost()), life.Plus(e.Cost())
	if e.Cost() != (Cost{}) && a.terms.Lifetime != 0 && life.Epsilon > floor(a.terms.Lifetime, 0).Epsilon {
		return "it overspends the lifetime limit"
	}
	if life != (Cost{}) {
		a.who[e.Subject] = life
	}
	if e.Cost() != (Cost{}) && !s.Spent.Within(a.terms.Cost().Plus(s.Granted)) {
		return "it overspends"
	}
	a.sums[at] = s
	return ""
}

// alike reports whether a spend costs what its releases must under a budget that
// is kept by optimal composition.
func (a *auditor) alike(e *Entry) bool {
	each, n := a.terms.EachCost(), releases(e.Mechanism)
	if n > maxCost/each.Epsilon {
		return false
	}
	return e.Cost() == Cost{Epsilon: n * each.Epsilon}
}

// compare holds what the ledger counts with against the log.
func (a *auditor) compare() error {
	if len(a.noted) > 0 && a.proof.Archived > 0 {
		return damaged("%d of the hashes that were noted are not in the log, unless they are in archives of its first %d entries, which must be given", len(a.noted), a.proof.Archived)
	}
	if len(a.noted) > 0 {
		return damaged("%d of the hashes that were noted are not in the log: entries were taken out, or all were made anew", len(a.noted))
	}
	if inForce, secret, err := latest(a.page); err != nil {
		return err
	} else if !inForce.Equal(a.terms) || secret != a.secret {
		return damaged("the budget or the secret in force is not that of the log")
	}
	if p := a.part; p != nil {
		for subject := range a.who {
			if PartOf(subject, p.Of) != p.Number {
				return damaged("a subject is in part %d of %d, which is another's", p.Number, p.Of)
			}
		}
	}
	if last, err := a.page.Head(); err != nil {
		return err
	} else if last.Seq != a.proof.Entries || last.Hash != a.proof.Head || last.Spends != a.proof.Spends || !last.At.Equal(a.proof.Last) {
		return damaged("entry %d should be the last", last.Seq)
	}
	return a.page.Compare(a.sums)
}
