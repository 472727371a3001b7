package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

const (
	maxBatch   = 1024    // how many calls share one write to disk at most
	maxWaiting = 1 << 14 // how many wait for it
)

// call is work that waits to be written.
type call struct {
	ctx    context.Context
	spends []spend // that it will ask for
	apply  func(*sheet) error
	err    error
	ready  chan struct{}
}

// Close ends the ledger when everything that waits has been written.
func (l *Ledger) Close() error {
	l.stop()
	return l.end()
}

// stop ends the writer.
func (l *Ledger) stop() {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.calls)
	}
	l.mu.Unlock()
	<-l.done
}

// do lets the writer apply a change and waits until it is on disk.
func (l *Ledger) do(ctx context.Context, spends []spend, apply func(*sheet) error) error {
	c := &call{ctx: ctx, spends: spends, apply: apply, ready: make(chan struct{})}
	if err := l.send(c); err != nil {
		return err
	}
	<-c.ready // not ctx: whether it was spent must be known
	return c.err
}

func (l *Ledger) send(c *call) error {
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
		batch := []*call{first}
		for range min(len(l.calls), maxBatch-1) { // nobody else takes any
			batch = append(batch, <-l.calls)
		}
		l.commit(batch)
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
	err = l.store.update(context.Background(), func(p page) error {
		s, failed := newSheet(p, l.clock())
		if failed != nil {
			return failed
		}
		if failed = l.allowed(s); failed != nil {
			return failed
		}
		if failed = s.fetch(wanted(batch, s.window)); failed != nil {
			return failed
		}
		for i, c := range batch {
			if c.err = c.ctx.Err(); c.err == nil {
				c.err = c.apply(s)
			}
			if errors.Is(c.err, ErrDamaged) || errors.Is(c.err, ErrUnavailable) {
				faulty = i
				return c.err
			}
		}
		l.see(s)
		return nil
	})
	return faulty, err
}

// allowed refuses to write for a secret that is no longer the ledger's.
func (l *Ledger) allowed(s *sheet) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.secret != "" && l.secret != s.secret {
		return fmt.Errorf("%w: it is %s now, not %s", ErrSecret, s.secret, l.secret)
	}
	return nil
}

// wanted lists what the calls of a batch will look up.
func wanted(batch []*call, window int64) (names []payment, at []account) {
	for _, c := range batch {
		for _, r := range c.spends {
			names = append(names, r.payment())
			at = append(at, account{r.Subject, window})
		}
	}
	return names, at
}
