package gateway

import (
	"context"
	"fmt"
	"sync"
	"time"

	"sotto/internal/fault"
	"sotto/service/ledger"
)

// patience is how long a question whether the gateway is ready waits for the
// ledger: whoever asks gives up in seconds, though a ledger that does not answer is
// awaited for longer where it is paid from.
const patience = 2 * time.Second

// lookout asks the ledger whether it can be written, for all who want to know at a
// time, so that questions do not queue behind one that is not answered.
type lookout struct {
	mu    sync.Mutex
	under *look // way; nil if none is
}

// look is one question to the ledger.
type look struct {
	ended chan struct{}
	err   error // when it has ended
}

// ask joins the question that is under way, or begins one, and waits for its
// answer within patience.
func (l *lookout) ask(ctx context.Context, ready func(context.Context) error) error {
	l.mu.Lock()
	at := l.under
	if at == nil {
		at = &look{ended: make(chan struct{})}
		l.under = at
		go func() { // it ends within the ledger's own time-out
			at.err = safely(context.WithoutCancel(ctx), ready)
			l.mu.Lock()
			l.under = nil
			l.mu.Unlock()
			close(at.ended)
		}()
	}
	l.mu.Unlock()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-at.ended:
		return at.err
	case <-late.C:
	case <-ctx.Done():
	}
	return fmt.Errorf("%w: it has not answered for %v", ledger.ErrUnavailable, patience)
}

// safely makes an error of a panic, which would end the process.
func safely(ctx context.Context, ready func(context.Context) error) (err error) {
	defer fault.Catch(&err)
	return ready(ctx)
}
