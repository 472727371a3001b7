package ledger

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// refresh is after how long a head is noted again though it is the same, so that
// it says when the clock was last seen.
const refresh = time.Minute

// Errors of a ledger that is held against its witness.
var (
	// ErrBehind says that a ledger does not go on from its head: it is missing,
	// cut off, an older copy, or another one.
	ErrBehind = errors.New("it does not go on from its head")
	// ErrLost says, with ErrBehind, that there is no ledger any more.
	ErrLost = fmt.Errorf("%w: it is missing or empty", ErrBehind)
	// ErrNone says that there is no ledger where there must be one.
	ErrNone = errors.New("there is no ledger, and none is made here")
	// ErrClock says that the clock is further off than is allowed.
	ErrClock = errors.New("the clock cannot be right")
)

// HeadAcceptance says who takes a ledger that does not go on from its head, and why.
type HeadAcceptance struct{ Who, Reason string }

// HeadKeeper notes the end of a log outside of the ledger, and holds ledger and
// clock against what was noted. It is safe for concurrent use.
type HeadKeeper struct {
	// Place is where it is noted; nil for nowhere.
	Place  HeadPlace
	Limits ClockLimits
	Read   func() Moment // nil means the machine's clocks
	// Trusted says that the clock is taken as right whatever it says.
	Trusted bool
	Log     *slog.Logger // nil for none
	// Accept takes the ledger as it is, until that is noted; nil for nobody.
	Accept *HeadAcceptance

	noting sync.Mutex // who writes to Place; one at a time, so that no head is followed by an older one

	mu      sync.Mutex // guards what follows, and Accept
	head    NotedHead  // what is known of the log; Seq is 0 if nothing is
	noted   NotedHead  // as it was last written
	skew    error      // by which another clock differs
	doubted bool       // the clock was not in time when it was last asked for
}

// Begin reads what was noted.
func (k *HeadKeeper) Begin(ctx context.Context) error {
	if err := k.Limits.Validate(); err != nil {
		return err
	}
	k.Limits = k.Limits.Fill()
	if k.Log == nil {
		k.Log = slog.New(slog.DiscardHandler)
	}
	if k.Read == nil {
		k.Read = MachineNow
	}
	if k.Place == nil {
		return nil
	}
	head, err := k.Place.Head(ctx)
	if head != nil {
		k.head, k.noted = *head, *head
	}
	return err
}

// Close lets go of the place.
func (k *HeadKeeper) Close() {
	if k.Place != nil {
		k.Place.Close() //nolint:errcheck // what is there is written
	}
}

// Admit says whether a ledger that is there, or is not, may be opened to write.
// With existing it must be there, and a head must have been noted of it.
func (k *HeadKeeper) Admit(there, existing bool) error {
	h, unknown := k.head, k.head.Seq == 0 && k.Place != nil && k.Accept == nil
	switch {
	case !there && h.Seq > 0:
		return fmt.Errorf("%w, and had %d entries at %s, by %s", ErrLost, h.Seq, h.At.Format(time.RFC3339), k.Place)
	case !there && existing:
		return ErrNone
	case !there:
		k.Log.Warn("a new ledger was made; every budget is unspent")
	case unknown && existing:
		return fmt.Errorf("%w: none was noted of it in %s, so that an older copy would not be noticed", ErrBehind, k.Place)
	case unknown:
		k.Log.Warn("no head was noted of this ledger; it is noted as it is")
	}
	if a := h.Accepted; a != nil { // at every start: who keeps the log must learn of it
		k.Log.Warn("the ledger was accepted as it was", "who", a.Who, "reason", a.Reason, "when", a.When, "was_seq", a.Seq, "was_hash", a.Hash)
	}
	return nil
}

// Continues refuses a log that does not go on from the head. It ends with last,
// of which Seq is 0 if it is empty, and at returns an entry of it, zero if it is
// not there.
func (k *HeadKeeper) Continues(last NotedEntry, at func(seq uint64) (NotedEntry, error)) error {
	k.mu.Lock()
	known, accepted := k.head, k.Accept != nil
	k.mu.Unlock()
	if known.Seq == 0 || accepted {
		return nil
	}
	found, what := last, ""
	switch {
	case last.Seq == 0:
		what = "it is empty"
	case last.Seq < known.Seq:
		what = fmt.Sprintf("it ends at entry %d", last.Seq)
	default:
		if last.Seq > known.Seq { // others have written
			var err error
			if found, err = at(known.Seq); err != nil {
				return err
			}
		}
		if found.Hash == known.Hash {
			return nil
		}
		what = fmt.Sprintf("its entry %d is another one", known.Seq)
	}
	return fmt.Errorf("%w: %s; it had %d entries, the last of %s with the hash %s", ErrBehind, what, known.Seq, known.At.Format(time.RFC3339), known.Hash)
}

// Advance remembers the end of a log that was found to continue.
func (k *HeadKeeper) Advance(last NotedEntry) {
	k.mu.Lock()
	defer k.mu.Unlock()
	// Two who look at once may come back in another order.
	if last.Seq > 0 && (last.Seq >= k.head.Seq || k.Accept != nil) {
		k.head.NotedEntry = last
	}
}

// InTime refuses a moment that cannot be right, by what was noted, and by the
// time of the last entry, zero if there is none: what renews with time must not
// be renewed by a clock that is set.
func (k *HeadKeeper) InTime(now Moment, last time.Time) error {
	if k.Trusted {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	known := k.head
	if !last.IsZero() {
		known.At = last
	}
	err := CheckClock(k.Limits, &known, now)
	if err == nil {
		err = k.skew
	}
	k.doubted = err != nil
	return err
}

// CheckClock returns an [ErrClock] if a clock cannot be right by what is known of
// a ledger; nil means that nothing is.
func CheckClock(limits ClockLimits, known *NotedHead, now Moment) error {
	if known == nil {
		return nil
	}
	limits = limits.Fill()
	right := known.Right
	if right.Boot != now.Boot { // nothing has counted since
		right = Moment{Wall: known.Seen}
	}
	if right.Wall.IsZero() { // nothing was noted
		right.Wall = known.At
	}
	if !right.Wall.IsZero() {
		if err := limits.Check(right, now); err != nil {
			return fmt.Errorf("%w: %w", ErrClock, err)
		}
	}
	if ahead := known.At.Sub(now.Wall); ahead > limits.Jump && known.At.After(known.Until) {
		return fmt.Errorf("%w: the last entry is of %s, %v ahead of it", ErrClock, known.At.Format(time.RFC3339), ahead.Round(time.Second))
	}
	return nil
}

// Compare holds the clock against another one, such as the database's, of which
// no two gateways have two: one that is ahead would renew budgets for all of
// them.
func (k *HeadKeeper) Compare(theirs time.Time) {
	off := k.Read().Wall.Sub(theirs)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.skew = nil; off.Abs() > k.Limits.Jump {
		k.skew = fmt.Errorf("%w: it is %v off the database's, at most %v is taken for granted", ErrClock, off.Round(time.Second), k.Limits.Jump)
	}
}

// Settle takes the clock for right where nothing has counted before on this
// start of the machine. It was found in time.
func (k *HeadKeeper) Settle() {
	now := k.Read()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.head.Right.Boot != now.Boot {
		k.head.Right = now
	}
}

// Confirmed reports whether somebody has called the clock right as it is now,
// and goes by it from then on.
func (k *HeadKeeper) Confirmed(ctx context.Context) bool {
	if k.Place == nil {
		return false
	}
	now := k.Read()
	said, err := k.Place.Clock(ctx)
	if err != nil || said == nil || !k.Limits.Near(said.Right, now) {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.head.Right == said.Right && k.head.Until.Equal(said.Until) {
		return false // it is known, and does not help
	}
	k.head.Right, k.head.Until = said.Right, said.Until
	if said.Right.Boot != now.Boot {
		k.head.Right = now
	}
	k.Log.Warn("the clock was accepted", "who", said.Who, "reason", said.Reason, "clock", now.Wall.UTC())
	return true
}

// Covered reports whether what was noted is the end of the log, so that all of it may
// be answered.
func (k *HeadKeeper) Covered() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.Place == nil || k.same()
}

// same reports whether the head is as it was noted.
func (k *HeadKeeper) same() bool {
	h, before := k.head, k.noted
	return h.Seq == before.Seq && h.Hash == before.Hash && h.Until.Equal(before.Until) && h.Right == before.Right && k.Accept == nil
}

// Note writes the head to its place, if it has changed or was not written for
// long.
func (k *HeadKeeper) Note(ctx context.Context) error { return k.note(ctx, refresh) }

// NoteNow writes the head to its place.
func (k *HeadKeeper) NoteNow(ctx context.Context) error { return k.note(ctx, 0) }

func (k *HeadKeeper) note(ctx context.Context, every time.Duration) error {
	k.noting.Lock()
	defer k.noting.Unlock()
	now := k.Read().Wall.UTC()
	k.mu.Lock()
	h, before, accept, same := k.head, k.noted, k.Accept, k.same()
	if !k.doubted {
		h.Seen = now
	}
	k.mu.Unlock()
	if accept != nil {
		h.Accepted = &AcceptedHead{Who: accept.Who, Reason: accept.Reason, When: h.Seen, Seq: before.Seq, Hash: before.Hash}
	}
	if k.Place == nil || h.Seq == 0 || same && now.Sub(before.Seen).Abs() < every {
		return nil
	}
	h.Doubtful = false
	if err := k.Place.SetHead(ctx, h); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.noted, k.Accept, k.head.Seen, k.head.Accepted, k.head.Doubtful = h, nil, h.Seen, h.Accepted, false
	return nil
}

// Ahead returns the statement that notes the end of a log in the transaction which
// writes it, and what to call when that is committed; "" if it cannot be noted so, or
// somebody takes the log as it is. Nobody else may note anything meanwhile.
func (k *HeadKeeper) Ahead(last NotedEntry) (statement string, args []any, committed func()) {
	place, ok := k.Place.(interface {
		Statement(h NotedHead) (string, []any)
	})
	now := k.Read().Wall.UTC()
	k.mu.Lock()
	defer k.mu.Unlock()
	if !ok || k.noted.Seq == 0 || k.Accept != nil || last.Seq <= k.noted.Seq {
		return "", nil, nil
	}
	h := k.head
	h.NotedEntry = last
	if !k.doubted {
		h.Seen = now
	}
	statement, args = place.Statement(h)
	return statement, args, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.noted, k.head.Seen = h, h.Seen
	}
}

// Known returns what was noted of the log when it was begun, unless somebody takes
// the log as it is.
func (k *HeadKeeper) Known() (seq uint64, doubtful bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.Accept != nil {
		return 0, false
	}
	return k.head.Seq, k.head.Doubtful
}

// Report logs the head.
func (k *HeadKeeper) Report() {
	k.mu.Lock()
	h := k.head
	k.mu.Unlock()
	k.Log.Info("ledger head", "seq", h.Seq, "hash", h.Hash, "at", h.At)
}
