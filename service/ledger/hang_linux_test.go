package ledger_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sotto/service/ledger"
	"sotto/service/pgtest"
)

// A file that is cut off in the middle of a write makes the library panic, in
// the write and again while it is undone, with its lock held.
func TestFault(t *testing.T) {
	for _, size := range []int64{0, 4096, 8192, 8300} {
		path := filepath.Join(t.TempDir(), "ledger.db")
		var cut atomic.Bool
		l, err := ledger.OpenFile(path, ledger.Options{Budget: daily, Clock: func() time.Time {
			if cut.Swap(false) {
				if err := os.Truncate(path, size); err != nil {
					t.Error(err)
				}
			}
			return time.Now()
		}})
		if err != nil {
			t.Fatal(err)
		}
		if err := spendSoon(t, l, "before"); err != nil {
			t.Fatal(err)
		}
		cut.Store(true)
		for _, text := range []string{"during", "after", "later"} {
			if err := spendSoon(t, l, text); !errors.Is(err, ledger.ErrDamaged) && !errors.Is(err, ledger.ErrUnavailable) {
				t.Errorf("cut off to %d bytes, %s: %v, want %v", size, text, err, ledger.ErrDamaged)
			}
		}
		if err := soon(t, "a balance", func() error { _, err := l.Balance(t.Context(), "alice"); return err }); err == nil {
			t.Errorf("cut off to %d bytes, a balance was read", size)
		}
		soon(t, "closing", l.Close) //nolint:errcheck // that it ends is enough
	}
}

// A disk that does not answer keeps nobody waiting for ever.
func TestStuck(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	var hold atomic.Bool
	var l *ledger.Ledger
	patiently(t, "opening", func() (err error) {
		l, err = ledger.OpenFile(filepath.Join(t.TempDir(), "ledger.db"), ledger.Options{
			Budget: daily, Timeout: 100 * time.Millisecond, Clock: func() time.Time {
				if hold.Load() {
					<-held
				}
				return time.Now()
			},
		})
		return err
	})
	hold.Store(true)
	for _, text := range []string{"first", "second"} {
		if err := spendSoon(t, l, text); !errors.Is(err, ledger.ErrUnavailable) {
			t.Errorf("the %s spend: %v, want %v", text, err, ledger.ErrUnavailable)
		}
	}
	if err := soon(t, "closing", l.Close); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("closing: %v, want %v", err, ledger.ErrUnavailable)
	}
	close(held)
}

// Who gave up before the writer came to it has spent nothing.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	var hold atomic.Bool
	entered := make(chan struct{}, 1)
	var l *ledger.Ledger
	patiently(t, "opening", func() (err error) {
		l, err = ledger.OpenFile(filepath.Join(t.TempDir(), "ledger.db"), ledger.Options{
			Budget: daily, Timeout: 2 * time.Second, Clock: func() time.Time {
				if hold.Swap(false) {
					entered <- struct{}{}
					<-held
				}
				return time.Now()
			},
		})
		return err
	})
	defer l.Close()
	hold.Store(true)
	first := make(chan error)
	go func() {
		_, err := l.Spend(t.Context(), request("alice", "first", 1))
		first <- err
	}()
	<-entered
	if err := spendSoon(t, l, "second"); !errors.Is(err, ledger.ErrUnavailable) || !strings.Contains(err.Error(), "nothing was spent") {
		t.Errorf("behind a write that hangs: %v, want that nothing was spent", err)
	}
	if err := <-first; !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("the write that hangs: %v, want %v", err, ledger.ErrUnavailable)
	}
	close(held)
	// The writer comes back, and what it had not begun with is not spent.
	for {
		if err := spendSoon(t, l, "third"); err == nil {
			break
		} else if !errors.Is(err, ledger.ErrUnavailable) {
			t.Fatal(err)
		}
	}
	if r, err := l.Spend(t.Context(), request("alice", "second", 1)); err != nil || r[0].Repeated {
		t.Errorf("the spend that was given up: %+v, %v; want a first one", r, err)
	}
	verify(t, l)
}

// A file that is deleted or replaced while it is open is written no more.
func TestReplacedFile(t *testing.T) {
	for _, tt := range []struct {
		name string
		harm func(path string) error
	}{
		{"deleted", os.Remove},
		{"moved", func(path string) error { return os.Rename(path, path+".old") }},
		{"replaced", func(path string) error { return os.Rename(path+".copy", path) }},
		{"overwritten", func(path string) error {
			old, err := os.ReadFile(path + ".copy")
			if err != nil {
				return err
			}
			return os.WriteFile(path, old[:len(old)/2], 0o600)
		}},
		{"cut off", func(path string) error { return os.Truncate(path, 4096) }},
		{"emptied", func(path string) error { return os.Truncate(path, 0) }},
	} {
		path := filepath.Join(t.TempDir(), "ledger.db")
		l, err := ledger.OpenFile(path, ledger.Options{Budget: daily})
		if err != nil {
			t.Fatal(err)
		}
		copied, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+".copy", copied, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := spendSoon(t, l, "before"); err != nil {
			t.Fatal(err)
		}
		if err := tt.harm(path); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"before", "after"} {
			if err := spendSoon(t, l, text); !errors.Is(err, ledger.ErrDamaged) && !errors.Is(err, ledger.ErrUnavailable) {
				t.Errorf("%s: %v, want it to be refused", tt.name, err)
			}
		}
		soon(t, "closing", l.Close) //nolint:errcheck // that it ends is enough
	}
}

// A database that is frozen answers nothing and closes nothing.
func TestFrozenDatabase(t *testing.T) {
	t.Parallel()
	s := pgtest.Alone(t)
	url := s.URL(s.Schema(t))
	const timeout = 300 * time.Millisecond
	var l *ledger.Ledger
	patiently(t, "opening", func() (err error) {
		l, err = ledger.OpenPostgres(t.Context(), url, ledger.Options{Budget: daily, Timeout: timeout})
		return err
	})
	patiently(t, "a spend", func() error { return spendSoon(t, l, "before") })
	balance := func() error { _, err := l.Balance(t.Context(), "alice"); return err }
	patiently(t, "a balance", balance) // on a connection that is kept
	freeze, resume := func() { must(t, s.Freeze()) }, func() { must(t, s.Resume()) }
	freeze()
	defer resume()
	if err := spendSoon(t, l, "frozen"); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("a spend: %v, want %v", err, ledger.ErrUnavailable)
	}
	if err := soon(t, "a balance", balance); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("a balance: %v, want %v", err, ledger.ErrUnavailable)
	}
	check := func() error { _, err := l.Verify(t.Context()); return err }
	if err := soon(t, "verify", check); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("verify: %v, want %v", err, ledger.ErrUnavailable)
	}
	if err := soon(t, "opening", func() error {
		_, failed := ledger.OpenPostgres(t.Context(), url, ledger.Options{Budget: daily, Timeout: timeout})
		return failed
	}); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("opening: %v, want %v", err, ledger.ErrUnavailable)
	}
	resume()
	patiently(t, "a spend after it was thawed", func() error { return spendSoon(t, l, "thawed") })
	patiently(t, "verify", check)
	freeze()
	soon(t, "closing", l.Close) //nolint:errcheck // that it ends is enough
}
