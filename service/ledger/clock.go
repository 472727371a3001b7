package ledger

import (
	"errors"
	"fmt"
	"time"
)

// This part of the package tells the time together with how long the machine has been
// running, so that a clock that was set can be told from time that has passed.
//
// It guards budgets that renew with time: whoever moves the clock forward would
// renew them. It is no source of time: it cannot say which of two clocks is
// right, only that one of them was moved.

// Moment is what the clocks of a machine said at once.
type Moment struct {
	Wall time.Time `json:"wall"`
	// Boot names the start of the machine since which the other clock counts.
	// Where machines have no name for it, it is the start of the process.
	Boot  string        `json:"boot,omitempty"`
	Since time.Duration `json:"since_boot,omitempty"` // in nanoseconds, sleep included where the machine counts it
}

// Steady returns moments of a clock that is taken as right whatever it says, as
// tests have.
func Steady(clock func() time.Time) func() Moment {
	return func() Moment {
		now := clock()
		return Moment{Wall: now, Boot: "steady", Since: time.Duration(now.UnixNano())}
	}
}

// ErrJumped is wrapped by the errors of a clock that was moved too far.
var ErrJumped = errors.New("the clock has jumped")

// ClockLimits bound how far a clock may be off what it should say. The zero value
// uses the defaults.
type ClockLimits struct {
	// Jump is how far it may be moved, in all, since it was last taken to be
	// right; 0 means an hour.
	Jump time.Duration
	// Away is for how long a machine may have been off; 0 means a week. Only a
	// moment of another boot is held against it: nothing has counted since.
	Away time.Duration
}

// Defaults of [Limits].
const (
	DefaultJump = time.Hour
	DefaultAway = 7 * 24 * time.Hour
)

// Fill returns l with its defaults.
func (l ClockLimits) Fill() ClockLimits {
	if l.Jump == 0 {
		l.Jump = DefaultJump
	}
	if l.Away == 0 {
		l.Away = DefaultAway
	}
	return l
}

// Validate reports limits that bound nothing.
func (l ClockLimits) Validate() error {
	if l = l.Fill(); l.Jump < time.Second || l.Away < l.Jump {
		return fmt.Errorf("clock: a jump may be of %v and an absence of %v, must be at least a second, and no less than the jump", l.Jump, l.Away)
	}
	return nil
}

// Check refuses a moment that cannot follow an earlier one at which the clock
// was right. Jumps do not hide by being small: what counts is the sum of them.
func (l ClockLimits) Check(right, now Moment) error {
	l = l.Fill()
	passed := now.Wall.Sub(right.Wall)
	if now.Boot == right.Boot && now.Boot != "" {
		switch off := passed - (now.Since - right.Since); {
		case off > l.Jump:
			return fmt.Errorf("%w forward by %v, to %s; at most %v is taken for granted", ErrJumped, off.Round(time.Second), now.Wall.UTC().Format(time.RFC3339), l.Jump)
		case off < -l.Jump:
			return fmt.Errorf("%w back by %v, to %s; at most %v is taken for granted", ErrJumped, (-off).Round(time.Second), now.Wall.UTC().Format(time.RFC3339), l.Jump)
		}
		return nil
	}
	switch {
	case passed > l.Away:
		return fmt.Errorf("%w forward, or the machine was off: it is %v since it was last seen right; at most %v is taken for granted", ErrJumped, passed.Round(time.Second), l.Away)
	case passed < -l.Jump:
		return fmt.Errorf("%w back: it is %v before it was last seen right; at most %v is taken for granted", ErrJumped, (-passed).Round(time.Second), l.Jump)
	}
	return nil
}

// Near reports whether a moment is consistent with one that somebody has called
// right: on the same boot by what has passed since, else by being about the same
// time.
func (l ClockLimits) Near(right, now Moment) bool {
	l = l.Fill()
	l.Away = l.Jump
	return l.Check(right, now) == nil
}
