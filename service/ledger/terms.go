package ledger

import (
	"errors"
	"fmt"
)

// This part of the package holds what a ledger and the stores that keep it have in common:
// entries and the chain that they form, costs and budgets, and what a store must
// be able to do. Package ledger is the one to use, which has the same names.

// Errors that callers branch on.
var (
	// ErrUnavailable is returned when the ledger cannot be read or written.
	// Nothing was spent, or it is not known to be: release nothing.
	ErrUnavailable = errors.New("ledger: not available")
	// ErrLocked is returned on opening, with ErrUnavailable, while another
	// process has the file open.
	ErrLocked = errors.New("the file is open in another process")
	// ErrDamaged is returned when the ledger is not what was written.
	ErrDamaged = errors.New("ledger: damaged")
	// ErrUnit is returned for a guarantee or a budget of another unit than the
	// budget before.
	ErrUnit = errors.New("ledger: the guarantee has another unit than the budget")
	// ErrFormat1 is returned on opening a ledger of the form that was written before
	// version 0.1.0, which nothing reads any more.
	ErrFormat1 = errors.New("ledger: it has the form from before version 0.1.0, sotto-ledger-1, which this version does not read")
)

// unavailable makes err an ErrUnavailable.
func unavailable(err error) error {
	if err == nil || errors.Is(err, ErrUnavailable) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

// medium makes everything an ErrUnavailable that is not an ErrDamaged.
func medium(err error) error {
	if errors.Is(err, ErrDamaged) {
		return err
	}
	return unavailable(err)
}

// damaged makes an ErrDamaged.
func damaged(format string, a ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrDamaged}, a...)...)
}
