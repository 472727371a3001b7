package ledger

import (
	"fmt"
	"math"
	"sync"
	"time"

	"sotto/promise/dp"
)

// Budget is what each subject may spend in each window of time. Windows are
// counted from 1970 in UTC, so that all hosts agree on them.
type Budget struct {
	Unit    dp.Unit       `json:"unit"`
	Epsilon float64       `json:"epsilon"`
	Delta   float64       `json:"delta,omitempty"`
	Window  time.Duration `json:"window"` // in nanoseconds; 0 means that nothing ever renews
	// Lifetime bounds the sum of ε over all windows; 0 means that nothing does,
	// so that k windows allow k times Epsilon.
	Lifetime float64 `json:"lifetime,omitempty"`
	// Each is the ε of every release, where all must be alike and have no δ. The
	// budget is then kept by optimal composition: a subject may make as many of
	// them as are together (Epsilon, Delta)-DP. 0 means that ε and δ add up.
	Each float64 `json:"each,omitempty"`
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
	case !(b.Lifetime >= 0) || !(b.Lifetime*epsilonUnits <= maxCost):
		return fmt.Errorf("ledger: the lifetime's ε is %v, must be positive and at most %.4g, or 0 for none", b.Lifetime, maxCost/epsilonUnits)
	case b.Each != 0 && (!(b.Each >= 1/epsilonUnits && b.Each*epsilonUnits <= maxCost) || !(b.Delta > 0) || b.Unit == dp.Metric):
		return fmt.Errorf("ledger: each release has ε = %v at a %s-level budget with δ = %v, must be positive, text-level or word-level with a positive δ, or 0 to add up", b.Each, b.Unit, b.Delta)
	case b.Window != 0 && (b.Window < time.Second || b.Window > maxWindow):
		return fmt.Errorf("ledger: the window is %v, must be from a second to %v, or 0 for ever", b.Window, maxWindow)
	}
	if b.Each != 0 && b.releases() == 0 {
		return fmt.Errorf("ledger: each release has ε = %v at a budget of ε = %v, must fit at least once", b.Each, b.Epsilon)
	}
	return nil
}

// Cost is what may be spent in a window, in the units in which spends add up.
func (b Budget) Cost() Cost {
	if b.Each != 0 {
		return Cost{Epsilon: int64(b.releases()) * b.EachCost().Epsilon}
	}
	return floor(b.Epsilon, b.Delta)
}

// EachCost is what every release must cost; zero if they need not be alike.
func (b Budget) EachCost() Cost {
	return Cost{Epsilon: int64(units(b.Each, epsilonUnits, math.Ceil))}
}

// composed remembers what releases has computed. A ledger knows few budgets.
var composed sync.Map // Budget → int

// maxReleases bounds the releases of one budget by optimal composition.
const maxReleases = 1_000_000

// releases returns how many releases of ε = Each are (Epsilon, Delta)-DP together.
func (b Budget) releases() int {
	b.Window, b.Lifetime = 0, 0
	if n, ok := composed.Load(b); ok {
		return n.(int)
	}
	fits := func(k int) bool {
		each := dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(b.EachCost().EpsilonValue())}
		g, err := dp.ComposeAt(b.Delta, dp.Repeated{Guarantee: each, Times: k})
		return err == nil && float64(g.Epsilon) <= b.Epsilon*(1+0x1p-40)
	}
	low, high := 0, 1 // low fits, and high does not
	for high <= maxReleases && fits(high) {
		low, high = high, 2*high
	}
	high = min(high, maxReleases+1)
	for high-low > 1 {
		if middle := (low + high) / 2; fits(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	composed.Store(b, low)
	return low
}

// More says what a later budget gives everybody that this one does not, "" if
// nothing.
func (b Budget) More(later Budget) string {
	lifetime := func(b Budget) string {
		if b.Lifetime == 0 {
			return "no limit"
		}
		return fmt.Sprintf("ε = %v", b.Lifetime)
	}
	switch {
	case later.Epsilon > b.Epsilon:
		return fmt.Sprintf("the budget would be raised from ε = %v to ε = %v", b.Epsilon, later.Epsilon)
	case later.Delta > b.Delta:
		return fmt.Sprintf("the budget would be raised from δ = %v to δ = %v", b.Delta, later.Delta)
	case later.Window != 0 && (later.Window < b.Window || b.Window == 0):
		return fmt.Sprintf("the window would be shortened from %v to %v", b.Window, later.Window)
	case b.Lifetime != 0 && (later.Lifetime == 0 || later.Lifetime > b.Lifetime):
		return fmt.Sprintf("the limit on all windows together would be raised from %s to %s", lifetime(b), lifetime(later))
	}
	return ""
}

// terms are the budget in force. A new length of windows waits until the window
// that runs has ended: no restart with another flag renews anything early.
type terms struct {
	Budget
	Since  time.Time     // when windows have the budget's length; zero if they always had
	Before time.Duration // their length until then
}

// length returns how long windows are at a moment.
func (t terms) length(at time.Time) time.Duration {
	if at.Before(t.Since) {
		return t.Before
	}
	return t.Window
}

// WindowAt returns the window that a moment lies in, named by its beginning in
// nanoseconds since 1970, and when it ends. One that lasts for ever is 0.
func (t terms) WindowAt(at time.Time) (begin int64, renews time.Time) {
	length := int64(t.length(at))
	if length == 0 {
		return 0, time.Time{}
	}
	begin = at.UnixNano() / length * length
	return begin, time.Unix(0, begin+length).UTC()
}

// Change returns the terms after a budget is set.
func (t terms) Change(b Budget, now time.Time) (terms, error) {
	running := t.length(now)
	switch {
	case b.Unit != t.Unit:
		return t, fmt.Errorf("%w: the budget is in %s, must be in %s as before", ErrUnit, b.Unit, t.Unit)
	case b.Each != t.Each:
		return t, fmt.Errorf("ledger: each release has ε = %v, must be %v as before: sums of unlike releases say nothing of their number; begin another ledger", b.Each, t.Each)
	case running == b.Window:
		return terms{Budget: b}, nil
	case running == 0:
		return t, fmt.Errorf("ledger: the window is %v, must be 0: this ledger's budgets never renew", b.Window)
	}
	_, end := t.WindowAt(now)
	return terms{b, end, running}, nil
}

// Equal reports whether two are the same.
func (t terms) Equal(u terms) bool {
	return t.Budget == u.Budget && t.Since.Equal(u.Since) && t.Before == u.Before
}

// Balance is where a subject stands in the current window.
type Balance struct {
	Budget  Budget    `json:"budget"`
	Granted Cost      `json:"granted"` // beyond the budget
	Spent   Cost      `json:"spent"`
	Left    Cost      `json:"left"`
	Renews  time.Time `json:"renews,omitzero"` // when the window ends; zero if never
	// Lifetime is what was spent in all windows together. A receipt has it only
	// where the budget bounds it.
	Lifetime Cost `json:"lifetime"`
}

// Releases returns how many releases were made and how many are left in this
// window, where the budget says what each costs; false otherwise.
func (b Balance) Releases() (made, left int64, ok bool) {
	each := b.Budget.EachCost().Epsilon
	if each == 0 {
		return 0, 0, false
	}
	return b.Spent.Epsilon / each, b.Left.Epsilon / each, true
}

// Together returns what the releases of this window promise together: the sum,
// or less where the budget is kept by optimal composition.
func (b Balance) Together() dp.Guarantee {
	g := dp.Guarantee{Unit: b.Budget.Unit, Epsilon: dp.Epsilon(b.Spent.EpsilonValue()), Delta: b.Spent.DeltaValue()}
	if made, _, ok := b.Releases(); ok && made > 0 {
		each := dp.Guarantee{Unit: b.Budget.Unit, Epsilon: dp.Epsilon(b.Budget.EachCost().EpsilonValue())}
		if composed, err := dp.ComposeAt(b.Budget.Delta, dp.Repeated{Guarantee: each, Times: int(made)}); err == nil {
			return composed
		}
	}
	return g
}
