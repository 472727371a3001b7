package ledger

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"
)

const (
	maxBatch   = 1024    // how many calls share one write to disk at most
	maxSpends  = 1 << 13 // after how many spends no more calls join it
	maxWaiting = 1 << 14 // how many wait for it
)

// call is work that waits to be written.
type call struct {
	ctx    context.Context
	spends []spend // that it will ask for
	apply  func(*sheet) error
	err    error
	ready  chan struct{}
	state  atomic.Int32 // waiting, taken or dropped
}

// What becomes of a call: it is the writer's to apply, or its caller has gone.
const (
	waiting int32 = iota
	taken
	dropped
)

// take reports whether the writer may apply a call.
func (c *call) take() bool { return c.state.CompareAndSwap(waiting, taken) || c.state.Load() == taken }

// Close ends the ledger when everything that waits has been written. A writer
// that does not come back, from a disk or a database that does not answer, is
// left alone after a while, with an error: a process must be able to end.
func (l *Ledger) Close() error {
	if err := l.stop(); err != nil {
		return err
	}
	return l.end()
}

// stop ends the writer.
func (l *Ledger) stop() error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.calls)
	}
	l.mu.Unlock()
	limit := time.NewTimer(2 * l.timeout) // when all who waited have given up
	defer limit.Stop()
	select {
	case <-l.done:
		return nil
	case <-limit.C:
		return fmt.Errorf("%w: the last write did not end within %v and is left alone", ErrUnavailable, 2*l.timeout)
	}
}

// do lets the writer apply a change and waits until it is on disk. It waits no
// longer than twice the time-out: whether it was written is not known then,
// unless the writer had not begun with it.
func (l *Ledger) do(ctx context.Context, spends []spend, apply func(*sheet) error) error {
	c := &call{ctx: ctx, spends: spends, apply: apply, ready: make(chan struct{})}
	if err := l.send(c); err != nil {
		return err
	}
	limit := time.NewTimer(2 * l.timeout)
	defer limit.Stop()
	select { // not ctx: whether it was spent should be known
	case <-c.ready:
		return c.err
	case <-limit.C:
	}
	if c.state.CompareAndSwap(waiting, dropped) {
		return fmt.Errorf("%w: it did not come to this write within %v; nothing was spent", ErrUnavailable, 2*l.timeout)
	}
	return fmt.Errorf("%w: no answer within %v; whether it was written is not known", ErrUnavailable, 2*l.timeout)
}

// stuck returns for how long the writer has been at a write that takes too long,
// zero if it is not.
func (l *Ledger) stuck() time.Duration {
	if began := l.began.Load(); began != nil {
		if d := time.Since(*began); d > l.timeout {
			return d
		}
	}
	return 0
}

func (l *Ledger) send(c *call) error {
	if d := l.stuck(); d > 0 { // do not let everybody wait behind it
		return fmt.Errorf("%w: a write has not ended for %v", ErrUnavailable, d.Round(time.Second))
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return fmt.Errorf("%w: it is closed, or open for reading alone", ErrUnavailable)
	}
	select {
	case l.calls <- c:
		return nil
	default:
		return fmt.Errorf("%w: %d calls are waiting", ErrUnavailable, maxWaiting)
	}
}

// write takes what waits and writes it together: the longer the disk takes, the
// more share its next answer.
func (l *Ledger) write() {
	defer close(l.done)
	for first := range l.calls {
		// Whoever is about to send goes first, so that a busy machine writes seldom
		// and much; an idle one loses nothing by it.
		runtime.Gosched()
		batch, spends := []*call{first}, len(first.spends)
		for range min(len(l.calls), maxBatch-1) { // nobody else takes any
			if spends >= maxSpends {
				break
			}
			next := <-l.calls
			batch, spends = append(batch, next), spends+len(next.spends)
		}
		now := time.Now()
		l.began.Store(&now)
		l.commit(batch)
		l.began.Store(nil)
	}
}

// commit writes the calls of a batch. A call that is refused has changed
// nothing. One at which the store fails is taken out, and the others tried
// again without what was written of it. If the transaction fails, all fail.
func (l *Ledger) commit(batch []*call) {
	for len(batch) > 0 {
		faulty, err := l.try(batch)
		if faulty >= 0 {
			batch[faulty].err = unavailable(err)
			close(batch[faulty].ready)
			batch = slices.Delete(batch, faulty, faulty+1)
			continue
		}
		for _, c := range batch {
			if err != nil {
				c.err = unavailable(err)
			}
			close(c.ready)
		}
		return
	}
}

// try applies calls one after the other in a transaction. It returns which one
// the store failed at, −1 if at none.
func (l *Ledger) try(batch []*call) (faulty int, err error) {
	faulty = -1
	if err = l.damaged(); err != nil {
		return faulty, err
	}
	l.turn.Lock()
	defer l.turn.Unlock()
	if l.behind { // it is not written any further than it can be answered
		if err = l.cover(); err != nil {
			return faulty, err
		}
		l.behind = false
	}
	var last Head
	var joined int
	var window int64
	var proven *proven
	var noted func()
	err = l.store.Update(context.Background(), func(p Page) error {
		now := l.watcher.Read()
		s, failed := newSheet(p, now.Wall)
		if failed != nil {
			return failed
		}
		if failed = l.allowed(s, now); failed != nil {
			return failed
		}
		if l.tally != nil {
			if failed = l.tally.Follow(p); failed != nil {
				return failed
			}
			proven = l.tally.Page(p)
			if failed = s.prove(proven); failed != nil {
				return failed
			}
		}
		if failed = s.Fetch(wanted(batch, s.window)); failed != nil {
			return failed
		}
		if s.most = l.newcomers; l.window == s.window {
			s.joined = l.joined
		}
		for i, c := range batch {
			if c.err = c.ctx.Err(); c.err == nil && c.take() {
				c.err = c.apply(s)
			}
			if errors.Is(c.err, ErrDamaged) || errors.Is(c.err, ErrUnavailable) {
				faulty = i
				return c.err
			}
		}
		joined, window = s.joined, s.window
		l.see(s)
		if last, failed = l.sign(s); failed == nil {
			noted = l.coverWith(p, last)
		}
		return failed
	})
	if err == nil {
		l.joined, l.window = joined, window
		if proven != nil {
			proven.Keep()
		}
		l.watcher.Advance(pointOf(last))
		if noted != nil {
			noted()
		}
		err = l.cover()
		l.behind = err != nil
	}
	if faulty < 0 && slices.ContainsFunc(batch, func(c *call) bool { return len(c.spends) > 0 }) {
		l.full = err != nil
	} else if err == nil && l.full {
		err = l.room()
	}
	return faulty, err
}

// room tries whether something can be written again, after a spend could not be:
// a transaction that changes nothing fits on a disk that is full.
func (l *Ledger) room() error {
	if s, ok := l.store.(interface{ Room() error }); ok {
		if err := s.Room(); err != nil {
			return err
		}
	}
	l.full = false
	return nil
}

// allowed refuses to write to a ledger that does not go on from what is known of
// it, by a clock that cannot be right, for a secret that is no longer the
// ledger's, behind an entry that was written without its key, and without a key
// where there was one.
func (l *Ledger) allowed(s *sheet, now Moment) error {
	if err := l.watcher.continues(s); err != nil {
		return err
	}
	if err := l.watcher.inTime(s, now); err != nil {
		return err
	}
	l.mu.Lock()
	opened := l.opened
	l.mu.Unlock()
	last, err := s.Head()
	switch other := l.secret != "" && s.secret != "" && l.secret != s.secret; {
	case err != nil:
		return err
	case other && opened:
		return fmt.Errorf("%w: it is %s now, not %s", ErrSecret, s.secret, l.secret)
	case other:
		return nil // refused, or the new secret recorded, in the next step
	case l.key == nil && last.MAC != MAC{}:
		return fmt.Errorf("%w: the log is signed with a key of secret %s, which must be given to write", ErrSecret, s.secret)
	case l.key == nil:
		return nil
	}
	return last.Check(l.key, s.secret)
}

// sign signs what a batch has written, if there is a key, and returns where the
// log ends then.
func (l *Ledger) sign(s *sheet) (Head, error) {
	last, err := s.Head()
	if err == nil && l.key != nil {
		s.Sign(last.Sign(l.key))
	}
	return last, err
}

// wanted lists what the calls of a batch will look up.
func wanted(batch []*call, window int64) (names []payment, at []account) {
	for _, c := range batch {
		for _, r := range c.spends {
			names = append(names, r.payment())
			at = append(at, account{Subject: r.Subject, Window: window})
		}
	}
	return names, at
}
