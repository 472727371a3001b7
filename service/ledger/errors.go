package ledger

import (
	"errors"
	"fmt"
	"time"

	"sotto/promise/dp"
)

// Errors that callers branch on.
var (
	// ErrConflict is returned by Spend when a key was paid for as something
	// else: another check, mechanism or guarantee.
	ErrConflict = errors.New("ledger: the key stands for something else")
	// ErrSecret is returned on opening with another secret than before, and by
	// whatever writes after somebody else has changed it.
	ErrSecret = errors.New("ledger: the keys in it were made with another secret")
	// ErrCrowded is returned by Spend for a subject that has spent nothing in this
	// window, when so many have begun to as [Options.Newcomers] allows.
	ErrCrowded = errors.New("ledger: as many subjects as there may be began to spend in this window")
	// ErrUnlike is returned by Spend for a release that does not cost what every
	// release must, under a budget that is kept by optimal composition.
	ErrUnlike = errors.New("ledger: the release is not like those that the budget counts")
	// ErrRaise is returned on opening with a budget that gives everybody more
	// than the recorded one, unless [Options.Raise] is set.
	ErrRaise = errors.New("ledger: everybody would get more")
)

// OverBudget is the error of a spend that the budget does not allow. Nothing was
// spent. It wraps [dp.ErrBudget].
type OverBudget struct {
	Asked  Cost      // by the whole call, for this subject
	Left   Cost      // in this window, or of the lifetime
	Renews time.Time // zero if never
	// Lifetime says that the limit on all windows together is reached, which
	// does not renew.
	Lifetime bool
}

// Error implements error.
func (e *OverBudget) Error() string {
	when, what := "it does not renew", "over budget"
	if e.Lifetime {
		what = "over the lifetime limit"
	}
	if !e.Renews.IsZero() {
		when = "it renews at " + e.Renews.Format(time.RFC3339)
	}
	return fmt.Sprintf("ledger: %s: asked for %v, left is %v, %s", what, e.Asked, e.Left, when)
}

// Unwrap returns [dp.ErrBudget].
func (e *OverBudget) Unwrap() error { return dp.ErrBudget }
