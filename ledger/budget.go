package ledger

import (
	"errors"
	"fmt"
	"time"

	"sotto/dp"
)

// Budget is what each subject may spend in each window of time.
type Budget struct {
	Unit    dp.Unit       `json:"unit"`
	Epsilon float64       `json:"epsilon"`
	Delta   float64       `json:"delta,omitempty"`
	Window  time.Duration `json:"window"` // in nanoseconds; 0 means that nothing ever renews
}

// Validate reports a budget that cannot be kept.
func (b Budget) Validate() error {
	switch {
	case b.Unit != dp.Text && b.Unit != dp.Word && b.Unit != dp.Metric:
		return fmt.Errorf("ledger: the budget's unit is %.20q, must be text, word or metric", string(b.Unit))
	case !(b.Epsilon > 0) || !(b.Epsilon*epsilonUnits <= maxCost):
		return fmt.Errorf("ledger: the budget's ε is %v, must be positive and at most %.4g", b.Epsilon, maxCost/epsilonUnits)
	case !(b.Delta >= 0) || !(b.Delta < 1):
		return fmt.Errorf("ledger: the budget's δ is %v, must be from 0 to below 1", b.Delta)
	case b.Window < 0 || b.Window > 0 && b.Window < time.Second:
		return fmt.Errorf("ledger: the window is %v, must be at least a second, or 0 for ever", b.Window)
	}
	return nil
}

func (b Budget) cost() Cost { return floor(b.Epsilon, b.Delta) }

// window returns the number of the window that a moment lies in, and when that
// window ends. Windows are counted from 1970 in UTC, so that all hosts agree.
func (b Budget) window(at time.Time) (number int64, renews time.Time) {
	if b.Window == 0 {
		return 0, time.Time{}
	}
	number = at.UnixNano() / int64(b.Window)
	return number, time.Unix(0, (number+1)*int64(b.Window)).UTC()
}

// Balance is where a subject stands in the current window.
type Balance struct {
	Budget  Budget
	Granted Cost // beyond the budget
	Spent   Cost
	Left    Cost
	Renews  time.Time // when the window ends; zero if never
}

// OverBudget is the error of a spend that the budget does not allow. Nothing was
// spent.
type OverBudget struct {
	Asked  Cost
	Left   Cost
	Renews time.Time // zero if never
}

// Error implements error.
func (e *OverBudget) Error() string {
	when := "it does not renew"
	if !e.Renews.IsZero() {
		when = "it renews at " + e.Renews.Format(time.RFC3339)
	}
	return fmt.Sprintf("ledger: over budget: asked for %v, left is %v, %s", e.Asked, e.Left, when)
}

// Errors of a spend.
var (
	// ErrConflict: the key was paid for with something else.
	ErrConflict = errors.New("ledger: the key stands for something else")
	// ErrUnit: the guarantee has another unit than the budget.
	ErrUnit = errors.New("ledger: the guarantee has another unit than the budget")
	// ErrUnavailable: the ledger cannot be written; nothing was spent, or it is
	// not known to be.
	ErrUnavailable = errors.New("ledger: not available")
	// ErrDamaged: the ledger is not what was written.
	ErrDamaged = errors.New("ledger: damaged")
)
