package ledger

import (
	"context"
	"errors"
	"time"
)

const (
	scrubRate  = 20 << 20        // bytes a second: a gigabyte in less than a minute
	scrubPause = 5 * time.Second // before each time
)

// scrub reads what a store holds once more, again and again while the ledger is open,
// so that what is damaged is found before somebody needs it. Nothing is spent from a
// ledger that was found to be.
func (l *Ledger) scrub() {
	w := l.watcher
	defer close(w.scrubbed)
	s, ok := l.store.(interface {
		Scrub(on func(bytes int) bool) error
	})
	beat := time.NewTimer(scrubPause)
	defer beat.Stop()
	rest := func(d time.Duration) bool {
		beat.Reset(d)
		select {
		case <-w.quit:
			return false
		case <-beat.C:
			return true
		}
	}
	failed, pause := false, scrubPause
	for rest(pause) {
		var err error
		began := time.Now()
		switch {
		case ok:
			err = s.Scrub(func(bytes int) bool {
				return rest(time.Duration(bytes) * time.Second / scrubRate)
			})
		case l.tally != nil:
			err = l.checkSums()
			pause = max(scrubPause, 20*time.Since(began)) // they are all read at once
		}
		switch {
		case errors.Is(err, ErrDamaged):
			l.damage.Store(&err)
			w.Log.Error("the ledger was damaged while it was open, and nothing is spent from it", "reason", err.Error())
			return
		case err != nil && !failed:
			w.Log.Error("the ledger cannot be read through", "reason", err.Error())
		}
		failed = err != nil
	}
}

// damaged returns what scrub has found, nil for nothing.
func (l *Ledger) damaged() error {
	if err := l.damage.Load(); err != nil {
		return *err
	}
	return nil
}

// count counts the whole log of a store that keeps sums beside it, and proves those.
func (l *Ledger) count() error {
	if _, ok := l.store.(*databaseStore); !ok {
		return nil
	}
	l.tally = NewTally()
	if err := l.store.View(context.Background(), l.tally.Follow); err != nil {
		return err
	}
	return l.checkSums()
}

// checkSums proves the sums of the window that runs.
func (l *Ledger) checkSums() error {
	return l.store.View(context.Background(), func(p Page) error {
		s, err := newSheet(p, l.watcher.Read().Wall)
		if err != nil || (s.terms.Budget == Budget{}) {
			return err
		}
		return l.tally.Check(p, s.window)
	})
}
