package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"sotto/service/ledger/disk"
)

// tick is between two looks at the ledger while nobody writes.
const tick = time.Second

// NoHead is the name of no place: nothing is noted outside of the ledger.
const NoHead = "none"

// OpenWitness opens the place where the head of a ledger is noted, which is named
// as in [Options.Head].
func OpenWitness(ctx context.Context, ledger, head string) (HeadPlace, error) {
	if !InDatabase(ledger) {
		return OpenHead(cmp.Or(head, beside(ledger)), filepath.Base(ledger), nil)
	}
	s, err := connectDatabase(ctx, ledger, databaseSettings{Timeout: defaultTimeout})
	if err != nil {
		return nil, err
	}
	defer s.Close() //nolint:errcheck // only its name was asked for
	return OpenHead(cmp.Or(head, ledger), s.Name(), nil)
}

// beside names the file in which the head of a ledger's is noted.
func beside(path string) string { return path + ".head" }

// apart refuses a head that would be written over the ledger.
func apart(path, head string, on disk.Disk) error {
	if head == "" || head == NoHead || InDatabase(head) {
		return nil
	}
	a, err := filepath.Abs(path)
	b, failed := filepath.Abs(head)
	there, missing := on.Stat(path)
	other, none := on.Stat(head)
	if err != nil || failed != nil || a == b || missing == nil && none == nil && on.Same(there, other) {
		return fmt.Errorf("ledger: the head is to be noted in %s, must be another file than the ledger's", head)
	}
	return nil
}

// watcher holds a ledger against what was noted outside of it.
type watcher struct {
	HeadKeeper
	every      time.Duration // after which the head is logged; 0 for never
	looking    atomic.Bool   // somebody looks, and may not come back
	quit, gone chan struct{}
	scrubbed   chan struct{}
	inside     bool // the head is in the ledger's database
}

// newWatcher reads what was noted of a ledger of a name, at a place unless the
// options name another.
func newWatcher(ctx context.Context, o Options, place, name string) (*watcher, error) {
	w := &watcher{every: o.LogHead, quit: make(chan struct{}), gone: make(chan struct{}), scrubbed: make(chan struct{})}
	w.Limits, w.Read, w.Log, w.Accept = o.Clocks, o.Moment, o.Log, o.Accept
	if o.Moment == nil && o.Clock != nil {
		w.Read, w.Trusted = Steady(o.Clock), true
	}
	var err error
	if o.Head != NoHead {
		if w.Place, err = OpenHead(cmp.Or(o.Head, place), name, o.Disk); err != nil {
			return nil, err
		}
	}
	if err = w.Begin(ctx); err != nil {
		w.Close()
		return nil, unavailable(err)
	}
	return w, nil
}

// admit says whether a ledger that is there, or is not, may be opened. What is to
// be accepted must be there.
func (w *watcher) admit(there bool, o Options) error {
	if o.ReadOnly && o.Accept == nil {
		return nil
	}
	return judged(w.Admit(there, o.Existing))
}

// judged makes a verdict of the witness one of the ledger.
func judged(err error) error {
	switch {
	case errors.Is(err, ErrBehind):
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case errors.Is(err, ErrNone), errors.Is(err, ErrClock):
		return unavailable(err)
	}
	return err
}

// continues refuses a log that does not go on from what is known of it.
func (w *watcher) continues(p Page) error {
	last, err := p.Head()
	if err != nil {
		return err
	}
	return judged(w.Continues(pointOf(last), func(seq uint64) (NotedEntry, error) {
		hash, err := p.HashOf(seq)
		if err != nil || hash == (Digest{}) {
			return NotedEntry{}, err
		}
		return NotedEntry{Seq: seq, Hash: hash.String()}, nil
	}))
}

// inTime refuses a moment that cannot be right by a log and what is known of it.
func (w *watcher) inTime(p Page, now Moment) error {
	last, err := p.Head()
	if err != nil {
		return err
	}
	return judged(w.InTime(now, pointOf(last).At))
}

func pointOf(h Head) NotedEntry {
	if h.Seq == 0 {
		return NotedEntry{}
	}
	return NotedEntry{Seq: h.Seq, Hash: h.Hash.String(), At: h.At}
}

// compare holds the clock against that of a store which has one.
func (w *watcher) compare(ctx context.Context, s Store) error {
	other, ok := s.(interface {
		Now(ctx context.Context) (time.Time, error)
	})
	if !ok || w.Trusted {
		return nil
	}
	theirs, err := other.Now(ctx)
	if err == nil {
		w.Compare(theirs)
	}
	return err
}

// watch looks after a ledger that is open until it is closed: it notes the head,
// and logs what is wrong, also while nobody writes.
func (l *Ledger) watch() {
	w := l.watcher
	defer close(w.gone)
	beat := time.NewTicker(tick)
	defer beat.Stop()
	var gone, unnoted bool
	reported := time.Now()
	for {
		select {
		case <-w.quit:
			return
		case <-beat.C:
		}
		err := l.look()
		if errors.Is(err, ErrClock) && l.confirmed() {
			err = l.look()
		}
		switch {
		case err != nil && !gone:
			w.Log.Error("the ledger is not available", "reason", err.Error())
		case err == nil && gone:
			w.Log.Info("the ledger is available again")
		}
		gone = err != nil
		if !gone || errors.Is(err, ErrClock) { // which is no fault of the ledger
			if err = l.noteIdle(); err != nil && !unnoted {
				w.Log.Error("the head of the ledger cannot be noted", "reason", err.Error())
			}
			unnoted = err != nil
		}
		if w.every > 0 && time.Since(reported) >= w.every {
			w.Report()
			reported = time.Now()
		}
	}
}

// look holds ledger and clock against what is known of them. It does not wait
// for a look that does not come back.
func (l *Ledger) look() error {
	if d := l.stuck(); d > 0 {
		return fmt.Errorf("%w: a write has not ended for %v", ErrUnavailable, d.Round(time.Second))
	}
	if err := l.damaged(); err != nil {
		return err
	}
	w := l.watcher
	if !w.looking.CompareAndSwap(false, true) {
		return fmt.Errorf("%w: it does not answer", ErrUnavailable)
	}
	return Within(l.timeout, func() error {
		defer w.looking.Store(false)
		ctx, stop := context.WithTimeout(context.Background(), l.timeout)
		defer stop()
		if err := w.compare(ctx, l.store); err != nil {
			return err
		}
		return l.store.View(ctx, func(p Page) error {
			return l.seen(p)
		})
	})
}

// seen holds a page against what is known, and remembers where it ends, though
// it was others who wrote it.
func (l *Ledger) seen(p Page) error {
	w := l.watcher
	if err := w.continues(p); err != nil {
		return err
	}
	last, err := p.Head()
	if err != nil {
		return err
	}
	w.Advance(pointOf(last))
	return w.inTime(p, w.Read())
}

// accept notes the head of a ledger as it is. It writes nothing to the ledger, so
// that it needs no secret. A clock that cannot be right is not accepted with it.
func (l *Ledger) accept(ctx context.Context) error {
	if err := l.store.View(ctx, l.seen); err != nil && !errors.Is(err, ErrClock) {
		return err
	}
	return l.noteFirst()
}

// noteFirst notes the head when a ledger is opened, without which it is not.
func (l *Ledger) noteFirst() error {
	l.watcher.Settle()
	if err := l.within(l.watcher.NoteNow); err != nil {
		return fmt.Errorf("%w: its head cannot be noted in %s, must be a place that can be written: %w", ErrUnavailable, l.watcher.Place, err)
	}
	return nil
}

// confirmed reports whether somebody has called the clock right, and goes by it
// from then on.
func (l *Ledger) confirmed() bool {
	ctx, stop := context.WithTimeout(context.Background(), l.timeout)
	defer stop()
	return l.watcher.Confirmed(ctx)
}

// noteIdle writes the head to its place while nobody writes to the ledger: whoever
// does notes it anyway. Of what is on disk, one thing alone is being written at a
// time, so that a machine that stops leaves one thing unfinished.
func (l *Ledger) noteIdle() error {
	if !l.turn.TryLock() {
		return nil
	}
	defer l.turn.Unlock()
	return l.within(l.watcher.Note)
}

// within does something at the place of the head, without waiting for ever.
func (l *Ledger) within(do func(context.Context) error) error {
	return Within(l.timeout, func() error {
		ctx, stop := context.WithTimeout(context.Background(), l.timeout)
		defer stop()
		return do(ctx)
	})
}

// cover makes sure that the head, or the ledger itself where none is kept, says on
// disk that all of the log was answered. Before that nothing of it is.
func (l *Ledger) cover() error {
	if l.watcher.Place == nil {
		if s, ok := l.store.(interface{ Confirm() error }); ok {
			return s.Confirm()
		}
		return nil
	}
	if l.watcher.Covered() {
		return nil
	}
	ctx, stop := context.WithTimeout(context.Background(), l.timeout)
	defer stop()
	if err := l.watcher.Note(ctx); err != nil {
		return fmt.Errorf("%w: the head cannot be noted in %s: %w", ErrUnavailable, l.watcher.Place, err)
	}
	return nil
}

// coverWith notes the head in the transaction that writes what it covers, where it is
// in the same database, and returns what to call when that is committed.
func (l *Ledger) coverWith(p Page, last Head) (committed func()) {
	to, ok := p.(interface {
		Beside(statement string, args ...any) bool
	})
	if !ok || !l.watcher.inside {
		return nil
	}
	statement, args, committed := l.watcher.Ahead(pointOf(last))
	if committed == nil || !to.Beside(statement, args...) {
		return nil
	}
	return committed
}

// tell logs what was found unfinished when the ledger was opened.
func (l *Ledger) tell() {
	s, ok := l.store.(interface {
		Unfinished() (bytes int64, entry uint64)
	})
	if !ok {
		return
	}
	if bytes, entry := s.Unfinished(); bytes > 0 {
		l.watcher.Log.Warn("what was being written when the ledger was left was never answered, and is dropped", "entry", entry, "bytes", bytes)
	}
}

// leave ends the watch, and notes the head a last time.
func (l *Ledger) leave() {
	w := l.watcher
	defer w.Close()
	if !l.watched {
		return
	}
	close(w.quit)
	late := time.NewTimer(l.timeout)
	defer late.Stop()
	for _, ended := range []chan struct{}{w.gone, w.scrubbed} {
		select {
		case <-ended:
		case <-late.C:
			return // it waits for a disk or a database
		}
	}
	if err := l.noteIdle(); err != nil {
		w.Log.Error("the head of the ledger cannot be noted", "reason", err.Error())
	}
	w.Report()
}
