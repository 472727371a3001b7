package ledger_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sotto/service/ledger"
)

// history makes a ledger with spends, and returns its file as it was before the
// last of them.
func history(t *testing.T) (path string, older []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "ledger.db")
	for _, text := range []string{"first", "second"} {
		l, err := ledger.OpenFile(path, ledger.Options{Budget: daily})
		if err != nil {
			t.Fatal(err)
		}
		if err = spendSoon(t, l, text); err != nil {
			t.Fatal(err)
		}
		if err = l.Close(); err != nil {
			t.Fatal(err)
		}
		if older == nil {
			if older, err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	return path, older
}

// A ledger that has gone back is refused, to write and to read, and left as it
// is.
func TestBehind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		harm func(path string, older []byte) error
	}{
		{"missing", func(path string, _ []byte) error { return os.Remove(path) }},
		{"empty", func(path string, _ []byte) error { return os.Truncate(path, 0) }},
		{"older", func(path string, older []byte) error { return os.WriteFile(path, older, 0o600) }},
		{"another", func(path string, _ []byte) error {
			l, err := ledger.OpenFile(path+".other", ledger.Options{Budget: daily})
			if err != nil {
				return err
			}
			for i := range 5 {
				if _, err := l.Spend(context.Background(), request("bob", fmt.Sprint(i), 1)); err != nil {
					return err
				}
			}
			return errors.Join(l.Close(), os.Rename(path+".other", path))
		}},
	} {
		path, older := history(t)
		if err := tt.harm(path, older); err != nil {
			t.Fatal(err)
		}
		before, _ := os.ReadFile(path)
		for _, o := range []ledger.Options{{Budget: daily}, {}, {Budget: daily, Existing: true}, {Budget: daily, New: true}} {
			if _, err := ledger.OpenFile(path, o); !errors.Is(err, ledger.ErrBehind) || !errors.Is(err, ledger.ErrDamaged) {
				t.Errorf("%s, opened with %+v: %v, want %v", tt.name, o, err, ledger.ErrBehind)
			}
		}
		if _, err := ledger.OpenFile(path, ledger.Options{ReadOnly: true}); err == nil {
			t.Errorf("%s: it can be read", tt.name)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) && tt.name != "another" && tt.name != "older" {
			t.Errorf("%s: the file was changed, from %d to %d bytes", tt.name, len(before), len(after))
		}
	}
}

// A ledger that went back can be taken as it is, and who did is noted.
func TestAccept(t *testing.T) {
	path, older := history(t)
	if err := os.WriteFile(path, older, 0o600); err != nil {
		t.Fatal(err)
	}
	was, err := ledger.HeadFile(path + ".head").Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.OpenFile(path, ledger.Options{Accept: &ledger.HeadAcceptance{Who: "carol", Reason: "restored"}})
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if l, err = ledger.OpenFile(path, ledger.Options{Budget: daily, Existing: true}); err != nil {
		t.Fatalf("after it was accepted: %v", err)
	}
	if err = spendSoon(t, l, "third"); err != nil {
		t.Error(err)
	}
	l.Close()
	h, err := ledger.HeadFile(path + ".head").Head(t.Context())
	if err != nil || h.Accepted == nil || h.Accepted.Who != "carol" || h.Accepted.Reason != "restored" || h.Accepted.Seq != was.Seq || h.Accepted.Hash != was.Hash {
		t.Errorf("the head is %+v, %v; want who accepted it, and what was before", h, err)
	}
}

// A crash between a spend and its head leaves the ledger ahead, which is no
// fault; a head that cannot be read is one.
func TestAhead(t *testing.T) {
	path, _ := history(t)
	head, err := os.ReadFile(path + ".head")
	if err != nil {
		t.Fatal(err)
	}
	l, err := ledger.OpenFile(path, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err = spendSoon(t, l, "third"); err != nil {
		t.Fatal(err)
	}
	l.Close()
	if err = os.WriteFile(path+".head", head, 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err = ledger.OpenFile(path, ledger.Options{}); err != nil {
		t.Fatalf("with an older head: %v", err)
	}
	l.Close()
	for _, bad := range []string{"", "{}", "x", string(head) + string(head)} {
		if err = os.WriteFile(path+".head", []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err = ledger.OpenFile(path, ledger.Options{}); !errors.Is(err, ledger.ErrUnavailable) {
			t.Errorf("with the head %.20q: %v, want %v", bad, err, ledger.ErrUnavailable)
		}
	}
	if err = os.Remove(path + ".head"); err != nil {
		t.Fatal(err)
	}
	if _, err = ledger.OpenFile(path, ledger.Options{Existing: true}); !errors.Is(err, ledger.ErrBehind) {
		t.Errorf("without a head where there must be one: %v, want %v", err, ledger.ErrBehind)
	}
	if l, err = ledger.OpenFile(path, ledger.Options{}); err != nil {
		t.Fatalf("without a head: %v", err)
	}
	l.Close()
	if _, err := os.Stat(path + ".head"); err != nil {
		t.Errorf("it was not noted: %v", err)
	}
}

// Where there must be a ledger, none is made; where there must be none, none is
// used.
func TestNewExisting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	if _, err := ledger.OpenFile(path, ledger.Options{Budget: daily, Existing: true}); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("a ledger that must be there: %v, want %v", err, ledger.ErrUnavailable)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it was made")
	}
	l, err := ledger.OpenFile(path, ledger.Options{Budget: daily, New: true})
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, err = ledger.OpenFile(path, ledger.Options{Budget: daily, New: true}); err == nil {
		t.Error("a ledger was begun twice")
	}
	if l, err = ledger.OpenFile(path, ledger.Options{Budget: daily, Existing: true}); err != nil {
		t.Error(err)
	}
	l.Close()
}

// An older state under a running ledger, in the same file, is found at once.
func TestOverwritten(t *testing.T) {
	path, older := history(t)
	l, err := ledger.OpenFile(path, ledger.Options{Timeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0) // neither cut off nor replaced
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(older, 0); err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, text := range []string{"second", "third"} {
		if err := spendSoon(t, l, text); !errors.Is(err, ledger.ErrDamaged) && !errors.Is(err, ledger.ErrUnavailable) {
			t.Errorf("%s: %v, want it to be refused", text, err)
		}
	}
	soon(t, "closing", l.Close) //nolint:errcheck // that it ends is enough
}

// lines is a log that a test reads.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) wait(t *testing.T, what string) {
	t.Helper()
	for range 600 {
		l.mu.Lock()
		found := strings.Contains(l.text.String(), what)
		l.mu.Unlock()
		if found {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("the log has no %q:\n%s", what, l.text.String())
}

func (l *lines) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// While nobody writes, the log says what becomes of the ledger, and what its
// head is.
func TestWatch(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	var log lines
	l, err := ledger.OpenFile(path, ledger.Options{Budget: daily, Log: log.logger(), LogHead: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	log.wait(t, "a new ledger was made")
	log.wait(t, `msg="ledger head" seq=1`)
	if err := spendSoon(t, l, "a"); err != nil {
		t.Fatal(err)
	}
	log.wait(t, `msg="ledger head" seq=2`)
	if h, err := ledger.HeadFile(path + ".head").Head(t.Context()); err != nil || h.Seq != 2 {
		t.Errorf("the head that was noted is %+v, %v; want entry 2", h, err)
	}
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	log.wait(t, "was deleted while it was open")
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
	log.wait(t, "the ledger is available again")
	if err := spendSoon(t, l, "b"); err != nil {
		t.Error(err)
	}
	l.Close()
	log.wait(t, `msg="ledger head" seq=3`)
}

// hands are clocks that a test sets apart from each other.
type hands struct {
	mu sync.Mutex
	at ledger.Moment
}

func newHands() *hands {
	return &hands{at: ledger.Moment{Wall: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Boot: "first", Since: time.Hour}}
}

func (h *hands) read() ledger.Moment {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *hands) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at.Wall, h.at.Since = h.at.Wall.Add(d), h.at.Since+d
}

func (h *hands) jump(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at.Wall = h.at.Wall.Add(d)
}

func (h *hands) reboot(boot string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at.Boot, h.at.Since = boot, time.Minute
}

// Whoever moves the clock renews nothing, while the ledger is open and before it
// is.
func TestJump(t *testing.T) {
	path, h := filepath.Join(t.TempDir(), "ledger.db"), newHands()
	open := func() (*ledger.Ledger, error) {
		return ledger.OpenFile(path, ledger.Options{Budget: daily, Moment: h.read})
	}
	l, err := open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err = l.Spend(t.Context(), request("alice", "all of it", 10)); err != nil {
		t.Fatal(err)
	}
	spend := func() error { _, failed := l.Spend(t.Context(), request("alice", "more", 10)); return failed }
	for _, d := range []time.Duration{25 * time.Hour, -25 * time.Hour} {
		h.jump(d)
		if err = spend(); !errors.Is(err, ledger.ErrClock) {
			t.Errorf("after a jump of %v: %v, want %v", d, err, ledger.ErrClock)
		}
		if _, err = ledger.OpenFile(path+"2", ledger.Options{Budget: daily, Moment: h.read}); err != nil {
			t.Errorf("a new ledger: %v", err) // that knows of no jump
		}
		h.jump(-d)
		var over *ledger.OverBudget
		if err = spend(); !errors.As(err, &over) {
			t.Errorf("when it is right again: %v, want that it is over budget", err)
		}
		os.Remove(path + "2")
		os.Remove(path + "2.head")
	}
	// Small steps add up, also over starts of the process.
	for range 3 {
		h.jump(25 * time.Minute)
		l.Close()
		if l, err = open(); err != nil {
			break
		}
	}
	if !errors.Is(err, ledger.ErrClock) {
		t.Fatalf("after three steps of 25 minutes: %v, want %v", err, ledger.ErrClock)
	}
	h.jump(-75 * time.Minute)

	// Time that passes is no jump, nor is a machine that was off for a day.
	h.pass(24 * time.Hour)
	if l, err = open(); err != nil {
		t.Fatal(err)
	}
	if err = spend(); err != nil {
		t.Errorf("in the next window: %v", err)
	}
	l.Close()
	h.reboot("second")
	h.jump(48 * time.Hour)
	if l, err = open(); err != nil {
		t.Fatalf("after two days: %v", err)
	}
	l.Close()
	for _, d := range []time.Duration{30 * 24 * time.Hour, -3 * time.Hour} {
		h.reboot(fmt.Sprint("third ", d))
		h.jump(d)
		if _, err = open(); !errors.Is(err, ledger.ErrClock) {
			t.Errorf("after a start of the machine, %v later: %v, want %v", d, err, ledger.ErrClock)
		}
		h.jump(-d)
	}
}

// A clock that somebody has called right is gone by, without a start.
func TestAcceptClock(t *testing.T) {
	t.Parallel()
	path, h := filepath.Join(t.TempDir(), "ledger.db"), newHands()
	var log lines
	open := func() (*ledger.Ledger, error) {
		return ledger.OpenFile(path, ledger.Options{Budget: daily, Moment: h.read, Log: log.logger()})
	}
	l, err := open()
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range []time.Duration{30 * 24 * time.Hour, -2 * time.Hour} {
		h.jump(d)
		if err = spendSoon(t, l, fmt.Sprint("jumped ", d)); !errors.Is(err, ledger.ErrClock) {
			t.Errorf("after a jump of %v: %v, want %v", d, err, ledger.ErrClock)
		}
		head, failed := ledger.HeadFile(path + ".head").Head(t.Context())
		for ; failed == nil && head.Seq < uint64(i+1); head, failed = ledger.HeadFile(path + ".head").Head(t.Context()) {
			time.Sleep(100 * time.Millisecond) // a spend is noted within a second
		}
		if failed != nil {
			t.Fatal(failed)
		}
		if err = ledger.HeadFile(path+".head").SetClock(t.Context(), ledger.NotedClock{Right: h.read(), Until: head.At, Who: "carol", Reason: fmt.Sprint("it was ", d)}); err != nil {
			t.Fatal(err)
		}
		log.wait(t, fmt.Sprint("it was ", d))
		if err = spendSoon(t, l, fmt.Sprint("accepted ", d)); err != nil {
			t.Errorf("after a jump of %v was accepted: %v", d, err)
		}
	}
	verify(t, l)
	l.Close()
	if l, err = open(); err != nil {
		t.Fatalf("after a start: %v", err)
	}
	l.Close()
	// What was accepted is no licence for the next jump.
	h.jump(26 * time.Hour)
	if _, err = open(); !errors.Is(err, ledger.ErrClock) {
		t.Errorf("another jump: %v, want %v", err, ledger.ErrClock)
	}
}

// Giving everybody more needs a word, giving less none.
func TestRaise(t *testing.T) {
	open := fileOpener(t)
	start := daily
	start.Delta, start.Lifetime = 1e-6, 100
	if l, err := open(ledger.Options{Budget: start}); err != nil {
		t.Fatal(err)
	} else {
		l.Close()
	}
	for name, change := range map[string]func(*ledger.Budget){
		"ε":                 func(b *ledger.Budget) { b.Epsilon = 11 },
		"δ":                 func(b *ledger.Budget) { b.Delta = 1e-5 },
		"a shorter window":  func(b *ledger.Budget) { b.Window = time.Hour },
		"a higher lifetime": func(b *ledger.Budget) { b.Lifetime = 101 },
		"no lifetime":       func(b *ledger.Budget) { b.Lifetime = 0 },
	} {
		b := start
		change(&b)
		if _, err := open(ledger.Options{Budget: b}); !errors.Is(err, ledger.ErrRaise) {
			t.Errorf("%s: %v, want %v", name, err, ledger.ErrRaise)
		}
	}
	less := start
	less.Epsilon, less.Delta, less.Window, less.Lifetime = 9, 0, 48*time.Hour, 50
	for _, o := range []ledger.Options{{Budget: less}, {Budget: start, Raise: true}, {}} {
		l, err := open(o)
		if err != nil {
			t.Errorf("%+v: %v", o, err)
			continue
		}
		l.Close()
	}
}

// Who accepts a ledger writes nothing to it, and so needs no key of it.
func TestAcceptSigned(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	signed := ledger.Options{Budget: daily, SecretID: "first", ChainKey: bytes.Repeat([]byte("k"), 32)}
	var older []byte
	for _, text := range []string{"first", "second"} {
		l, err := ledger.OpenFile(path, signed)
		if err != nil {
			t.Fatal(err)
		}
		if err = spendSoon(t, l, text); err != nil {
			t.Fatal(err)
		}
		l.Close()
		if older == nil {
			if older, err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(path, older, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := ledger.OpenFile(path, ledger.Options{ReadOnly: true, Existing: true, Accept: &ledger.HeadAcceptance{Who: "carol", Reason: "restored"}})
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if after, failed := os.ReadFile(path); failed != nil || !bytes.Equal(after, older) {
		t.Errorf("accepting it changed it: %v", failed)
	}
	if l, err = ledger.OpenFile(path, signed); err != nil {
		t.Fatalf("after it was accepted: %v", err)
	}
	l.Close()
}

// A head is never written over its ledger, and one that cannot be written is said
// when the ledger is opened.
func TestHeadPlace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	if _, err := ledger.OpenFile(path, ledger.Options{Budget: daily, Head: filepath.Join(dir, ".", "x", "..", "ledger.db")}); err == nil || !strings.Contains(err.Error(), "another file") {
		t.Errorf("the ledger as its own head: %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it was made")
	}
	if _, err := ledger.OpenFile(path, ledger.Options{Budget: daily, Head: filepath.Join(dir, "no", "head")}); !errors.Is(err, ledger.ErrUnavailable) || !strings.Contains(err.Error(), "head cannot be noted") {
		t.Errorf("a head in no folder: %v, want %v", err, ledger.ErrUnavailable)
	}
	// Root, who accepts something, leaves the file to the gateway.
	head := ledger.HeadFile(filepath.Join(dir, "head"))
	h := ledger.NotedHead{NotedEntry: ledger.NotedEntry{Seq: 1, Hash: strings.Repeat("0", 64)}}
	if err := head.SetHead(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	if os.Chown(head.String(), 12345, 23456) != nil {
		t.Skip("only root may give a file away")
	}
	if err := head.SetHead(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(head.String()); err != nil || !strings.Contains(fmt.Sprintf("%+v", info.Sys()), "Uid:12345 Gid:23456") {
		t.Errorf("the head belongs to %+v, %v; want whom it belonged to", info.Sys(), err)
	}
}
