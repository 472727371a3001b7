package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"sotto/dp"
)

// Request asks to pay for one release.
type Request struct {
	Subject string // who pays: at most 256 bytes
	// Key names the release among those of the subject. What was paid for under
	// a key is not paid for again.
	Key Digest
	// Check says what the key stands for. A request with the same key and
	// another check is refused with [ErrConflict].
	Check     Digest
	Guarantee dp.Guarantee
	Mechanism any // name and parameters, kept as JSON
}

// Receipt says that a release is paid for.
type Receipt struct {
	Seq      uint64 // the entry that paid
	Repeated bool   // it was paid for before, and cost nothing now
}

// Options of a ledger.
type Options struct {
	Budget Budget
	// Clock tells the time; nil means the system's. Time that goes back stands
	// still in the ledger until it is reached again, so that nothing renews
	// twice.
	Clock func() time.Time
	// ReadOnly opens for Balance, Entries and Verify alone, with the budget that
	// was recorded.
	ReadOnly bool
}

// Ledger is a book of spends. It is safe for concurrent use.
type Ledger struct {
	store  store
	budget Budget
	clock  func() time.Time

	mu     sync.Mutex // guards closed, and sending on calls
	closed bool
	calls  chan *call
	done   chan struct{} // closed when the writer has left
}

// call is work that waits to be written.
type call struct {
	ctx   context.Context
	apply func(p page, now time.Time) error
	err   error
	ready chan struct{}
}

// maxBatch is how many calls share one write to disk at most.
const maxBatch = 1024

// open starts a ledger on a store. A budget other than the recorded one is
// recorded.
func open(s store, o Options) (*Ledger, error) {
	l := &Ledger{store: s, budget: o.Budget, clock: o.Clock, calls: make(chan *call, maxBatch), done: make(chan struct{})}
	if l.clock == nil {
		l.clock = time.Now
	}
	if o.ReadOnly {
		l.closed = true
		close(l.done)
		err := s.view(context.Background(), func(p page) error {
			b, err := p.budget()
			if err == nil && b != nil {
				l.budget = *b
			}
			return err
		})
		return l, err
	}
	if err := o.Budget.Validate(); err != nil {
		return nil, err
	}
	go l.write()
	return l, l.do(context.Background(), func(p page, now time.Time) error { return recordBudget(p, now, o.Budget) })
}

// Spend pays for releases, for all or for none, and returns when that is on
// disk. Only then may the noise be drawn. The error is an [*OverBudget] if the
// budget does not allow it, and wraps one of this package's errors otherwise.
func (l *Ledger) Spend(ctx context.Context, requests ...Request) ([]Receipt, error) {
	prepared := make([]spend, len(requests))
	for i, r := range requests {
		var err error
		if prepared[i], err = prepare(r, l.budget.Unit); err != nil {
			return nil, err
		}
	}
	var receipts []Receipt
	err := l.do(ctx, func(p page, now time.Time) (err error) {
		receipts, err = pay(p, now, l.budget, prepared)
		return err
	})
	if err != nil {
		return nil, err
	}
	return receipts, nil
}

// Grant gives a subject more, in the current window alone.
func (l *Ledger) Grant(ctx context.Context, subject string, epsilon, delta float64, reason string) error {
	if err := checkSubject(subject); err != nil {
		return err
	}
	if !(epsilon >= 0) || !(delta >= 0) || !(delta < 1) || !(epsilon+delta > 0) || !(epsilon*epsilonUnits <= maxCost) {
		return fmt.Errorf("ledger: the grant is ε = %v and δ = %v, must be positive and finite", epsilon, delta)
	}
	return l.do(ctx, func(p page, now time.Time) error {
		return grant(p, now, l.budget, subject, floor(epsilon, delta), reason)
	})
}

// Balance says where a subject stands. One that never spent has all of it left.
func (l *Ledger) Balance(ctx context.Context, subject string) (Balance, error) {
	if err := checkSubject(subject); err != nil {
		return Balance{}, err
	}
	var b Balance
	err := l.store.view(ctx, func(p page) error {
		now, err := p.now(l.clock())
		if err != nil {
			return err
		}
		b, err = balance(p, now, l.budget, subject)
		return err
	})
	return b, err
}

// Budget returns the budget of all subjects.
func (l *Ledger) Budget() Budget { return l.budget }

// Entries calls yield with each entry of the log from a sequence number on, in
// order, until it returns an error.
func (l *Ledger) Entries(ctx context.Context, from uint64, yield func(*Entry) error) error {
	return l.store.view(ctx, func(p page) error { return p.entries(max(from, 1), yield) })
}

// Close ends the ledger when everything that waits has been written.
func (l *Ledger) Close() error {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.calls)
	}
	l.mu.Unlock()
	<-l.done
	return l.store.close()
}

// do lets the writer apply a change and waits until it is on disk.
func (l *Ledger) do(ctx context.Context, apply func(page, time.Time) error) error {
	c := &call{ctx: ctx, apply: apply, ready: make(chan struct{})}
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return fmt.Errorf("%w: it is closed, or open for reading alone", ErrUnavailable)
	}
	select {
	case l.calls <- c:
		l.mu.Unlock()
	default:
		l.mu.Unlock()
		return fmt.Errorf("%w: too much is waiting", ErrUnavailable)
	}
	<-c.ready // not ctx: whether it was spent must be known
	return c.err
}

// write takes what waits and writes it together: the longer the disk takes, the
// more share its next answer.
func (l *Ledger) write() {
	defer close(l.done)
	for first := range l.calls {
		batch := []*call{first}
		for more := true; more && len(batch) < maxBatch; {
			select {
			case c, ok := <-l.calls:
				if more = ok; ok {
					batch = append(batch, c)
				}
			default:
				more = false
			}
		}
		l.commit(batch)
	}
}

// commit applies the calls of a batch one after the other. A call that is
// refused has changed nothing; if the write fails, all of them fail.
func (l *Ledger) commit(batch []*call) {
	err := l.store.update(context.Background(), func(p page) error {
		now, err := p.now(l.clock())
		if err != nil {
			return err
		}
		for _, c := range batch {
			if c.err = c.ctx.Err(); c.err == nil {
				c.err = c.apply(p, now)
			}
			if errors.Is(c.err, ErrDamaged) || errors.Is(c.err, errStore) {
				return c.err // what was written of this call must not stay
			}
		}
		return nil
	})
	for _, c := range batch {
		if err != nil {
			c.err = fmt.Errorf("%w: %w", ErrUnavailable, err)
		}
		close(c.ready)
	}
}

// spend is a request that was checked.
type spend struct {
	Request
	cost      Cost
	mechanism json.RawMessage
}

func prepare(r Request, unit dp.Unit) (spend, error) {
	if err := checkSubject(r.Subject); err != nil {
		return spend{}, err
	}
	if r.Guarantee.Unit != unit {
		return spend{}, fmt.Errorf("%w: %s, must be %s", ErrUnit, r.Guarantee.Unit, unit)
	}
	cost, err := CostOf(r.Guarantee)
	if err != nil {
		return spend{}, err
	}
	mechanism, err := json.Marshal(r.Mechanism)
	if err != nil {
		return spend{}, fmt.Errorf("ledger: the mechanism cannot be written: %w", err)
	}
	return spend{r, cost, mechanism}, nil
}

const maxSubject = 256

func checkSubject(s string) error {
	if s == "" || len(s) > maxSubject {
		return fmt.Errorf("ledger: the subject has %d bytes, must have 1 to %d", len(s), maxSubject)
	}
	return nil
}
