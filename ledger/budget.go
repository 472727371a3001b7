package ledger

import (
	"fmt"
	"time"

	"sotto/dp"
)

// Budget is what each subject may spend in each window of time. Windows are
// counted from 1970 in UTC, so that all hosts agree on them.
type Budget struct {
	Unit    dp.Unit       `json:"unit"`
	Epsilon float64       `json:"epsilon"`
	Delta   float64       `json:"delta,omitempty"`
	Window  time.Duration `json:"window"` // in nanoseconds; 0 means that nothing ever renews
}

// maxWindow keeps the end of every window within 64 bits of nanoseconds.
const maxWindow = 3660 * 24 * time.Hour

// Validate reports a budget that cannot be kept.
func (b Budget) Validate() error {
	switch {
	case !b.Unit.Valid():
		return fmt.Errorf("ledger: the budget's unit is %.20q, must be text, word or metric", string(b.Unit))
	case !(b.Epsilon >= 1/epsilonUnits) || !(b.Epsilon*epsilonUnits <= maxCost):
		return fmt.Errorf("ledger: the budget's ε is %v, must be at least 1e-09 and at most %.4g", b.Epsilon, maxCost/epsilonUnits)
	case !(b.Delta >= 0) || !(b.Delta < 1):
		return fmt.Errorf("ledger: the budget's δ is %v, must be from 0 to below 1", b.Delta)
	case b.Window != 0 && (b.Window < time.Second || b.Window > maxWindow):
		return fmt.Errorf("ledger: the window is %v, must be from a second to %v, or 0 for ever", b.Window, maxWindow)
	}
	return nil
}

func (b Budget) cost() Cost { return floor(b.Epsilon, b.Delta) }

// terms are the budget in force. A new length of windows waits until the window
// that runs has ended: no restart with another flag renews anything early.
type terms struct {
	Budget
	since  time.Time     // when windows have the budget's length; zero if they always had
	before time.Duration // their length until then
}

// length returns how long windows are at a moment.
func (t terms) length(at time.Time) time.Duration {
	if at.Before(t.since) {
		return t.before
	}
	return t.Window
}

// window returns the window that a moment lies in, named by its beginning in
// nanoseconds since 1970, and when it ends. One that lasts for ever is 0.
func (t terms) window(at time.Time) (begin int64, renews time.Time) {
	length := int64(t.length(at))
	if length == 0 {
		return 0, time.Time{}
	}
	begin = at.UnixNano() / length * length
	return begin, time.Unix(0, begin+length).UTC()
}

// change returns the terms after a budget is set.
func (t terms) change(b Budget, now time.Time) (terms, error) {
	running := t.length(now)
	switch {
	case b.Unit != t.Unit:
		return t, fmt.Errorf("%w: the budget is in %s, must be in %s as before", ErrUnit, b.Unit, t.Unit)
	case running == b.Window:
		return terms{Budget: b}, nil
	case running == 0:
		return t, fmt.Errorf("ledger: the window is %v, must be 0: this ledger's budgets never renew", b.Window)
	}
	_, end := t.window(now)
	return terms{b, end, running}, nil
}

func (t terms) equal(u terms) bool {
	return t.Budget == u.Budget && t.since.Equal(u.since) && t.before == u.before
}

// Balance is where a subject stands in the current window.
type Balance struct {
	Budget  Budget    `json:"budget"`
	Granted Cost      `json:"granted"` // beyond the budget
	Spent   Cost      `json:"spent"`
	Left    Cost      `json:"left"`
	Renews  time.Time `json:"renews,omitzero"` // when the window ends; zero if never
}
