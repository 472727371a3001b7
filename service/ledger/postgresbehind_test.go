package ledger_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sotto/service/ledger"
	"sotto/service/pgtest"
)

// older keeps the ledger's tables as they are, and restore puts them back.
func older(t *testing.T, s *pgtest.Server, schema string) (restore func()) {
	t.Helper()
	c := s.Connect(t, schema)
	run := func(format string, tables ...string) {
		for _, name := range tables {
			if _, err := c.Exec(t.Context(), fmt.Sprintf(format, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	all := []string{"head", "log", "sums"}
	run(`CREATE TABLE kept_%[1]s AS SELECT * FROM sotto_ledger_%[1]s`, all...)
	return func() {
		run(`DELETE FROM sotto_ledger_%[1]s`, all...)
		run(`INSERT INTO sotto_ledger_%[1]s SELECT * FROM kept_%[1]s`, all...)
	}
}

// A database that was restored to an older state is noticed by those who have it
// open at their next write, and by those who open it.
func TestPostgresBehind(t *testing.T) {
	t.Parallel()
	s := pgtest.Shared(t)
	for name, harm := range map[string]func(t *testing.T, schema string, restore func()){
		"older": func(_ *testing.T, _ string, restore func()) { restore() },
		"dropped": func(t *testing.T, schema string, _ func()) {
			if _, err := s.Connect(t, "public").Exec(t.Context(), "DROP SCHEMA "+schema+" CASCADE; CREATE SCHEMA "+schema); err != nil {
				t.Fatal(err)
			}
		},
	} {
		schema := s.Schema(t)
		open := postgresOpener(s, schema)
		one := mustOpen(t, open, ledger.Options{Budget: daily})
		if err := spendSoon(t, one, "first"); err != nil {
			t.Fatal(err)
		}
		restore := older(t, s, schema)
		if err := spendSoon(t, one, "second"); err != nil {
			t.Fatal(err)
		}
		harm(t, schema, restore)
		for _, text := range []string{"second", "third"} {
			if err := spendSoon(t, one, text); !errors.Is(err, ledger.ErrDamaged) && !errors.Is(err, ledger.ErrUnavailable) {
				t.Errorf("%s: the one who has it open: %v, want it to be refused", name, err)
			}
		}
		one.Close()
		for _, o := range []ledger.Options{{Budget: daily}, {Budget: daily, Existing: true}} {
			if _, err := open(o); !errors.Is(err, ledger.ErrBehind) {
				t.Errorf("%s: who opens it: %v, want %v", name, err, ledger.ErrBehind)
			}
		}
		if name != "older" {
			continue
		}
		if l, err := open(ledger.Options{Accept: &ledger.HeadAcceptance{Who: "carol", Reason: "restored"}}); err != nil {
			t.Errorf("to accept it: %v", err)
		} else {
			l.Close()
		}
		if err := spendSoon(t, mustOpen(t, open, ledger.Options{Budget: daily, Existing: true}), "third"); err != nil {
			t.Errorf("after it was accepted: %v", err)
		}
	}
}

// A database that went back is noticed also when others have since written more
// to it than was lost.
func TestPostgresOvertaken(t *testing.T) {
	t.Parallel()
	s := pgtest.Shared(t)
	schema := s.Schema(t)
	open := postgresOpener(s, schema)
	one := mustOpen(t, open, ledger.Options{Budget: daily})
	if err := spendSoon(t, one, "first"); err != nil {
		t.Fatal(err)
	}
	restore := older(t, s, schema)
	if err := spendSoon(t, one, "second"); err != nil {
		t.Fatal(err)
	}
	restore()
	other := mustOpen(t, open, ledger.Options{Budget: daily, Head: ledger.NoHead}) // who knows nothing
	for _, text := range []string{"third", "fourth", "fifth"} {
		if err := spendSoon(t, other, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := spendSoon(t, one, "sixth"); !errors.Is(err, ledger.ErrBehind) {
		t.Errorf("a spend: %v, want %v", err, ledger.ErrBehind)
	}
}

// A gateway whose clock differs from the database's would renew budgets for
// all.
func TestPostgresClock(t *testing.T) {
	t.Parallel()
	s := pgtest.Shared(t)
	open := postgresOpener(s, s.Schema(t))
	for _, off := range []time.Duration{2 * time.Hour, -2 * time.Hour} {
		ahead := func() ledger.Moment { m := ledger.MachineNow(); m.Wall = m.Wall.Add(off); return m }
		if _, err := open(ledger.Options{Budget: daily, Moment: ahead}); !errors.Is(err, ledger.ErrClock) {
			t.Errorf("a clock that is %v off: %v, want %v", off, err, ledger.ErrClock)
		}
	}
	l := mustOpen(t, open, ledger.Options{Budget: daily})
	if err := spendSoon(t, l, "a"); err != nil {
		t.Error(err)
	}
}

// A gateway that only looks on follows what others write, so that it does not
// note an older head than they do.
func TestPostgresFollows(t *testing.T) {
	t.Parallel()
	s := pgtest.Shared(t)
	open := postgresOpener(s, s.Schema(t))
	head := filepath.Join(t.TempDir(), "head")
	one := mustOpen(t, open, ledger.Options{Budget: daily, Head: head})
	other := mustOpen(t, open, ledger.Options{Budget: daily, Head: ledger.NoHead})
	for i := range 3 {
		if err := spendSoon(t, other, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	for range 600 {
		if h, err := ledger.HeadFile(head).Head(t.Context()); err != nil || h.Seq == 4 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if h, err := ledger.HeadFile(head).Head(t.Context()); err != nil || h.Seq != 4 {
		t.Errorf("the head is %+v, %v; want entry 4, which another wrote", h, err)
	}
	one.Close()
}

// Whoever notes a head at the same time as others waits for them, whatever the server's
// default is, and the latest counts. It is on disk then: the server forgets what it only
// said to be written when it crashes.
func TestPostgresHeads(t *testing.T) {
	t.Parallel()
	s := pgtest.Alone(t)
	const gateways, each = 8, 12
	tap, name := s.Tap(t), s.Schema(t) // which nobody else has
	tap.Hard = true
	places := make([]ledger.HeadPlace, gateways)
	for i := range places {
		w, err := ledger.OpenHead(tap.URL("public"), name, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Close() })
		places[i] = w
	}
	var group sync.WaitGroup
	for i, w := range places {
		group.Go(func() {
			for n := range each {
				h := ledger.NotedHead{NotedEntry: ledger.NotedEntry{Seq: uint64(n*gateways + i + 1), Hash: strings.Repeat("0a", 32), At: time.Unix(1e9, 0).UTC()}}
				if err := w.SetHead(t.Context(), h); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	last := ledger.NotedHead{NotedEntry: ledger.NotedEntry{Seq: gateways*each + 1, Hash: strings.Repeat("0b", 32), At: time.Unix(1e9, 0).UTC()}}
	if h, err := places[0].Head(t.Context()); err != nil || h.Seq != last.Seq-1 {
		t.Errorf("the head is %+v, %v; want that with number %d", h, err, last.Seq-1)
	}
	if err := places[0].SetHead(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	var crash sync.Once
	tap.Judge(func(string) (f pgtest.Fate) {
		crash.Do(func() { f = pgtest.KillIt })
		return f
	})
	h, err := places[0].Head(t.Context())
	tap.Settle()
	for began := time.Now(); err != nil && time.Since(began) < patience; time.Sleep(10 * time.Millisecond) {
		h, err = places[0].Head(t.Context())
	}
	if err != nil || h == nil || h.Seq != last.Seq {
		t.Errorf("after a crash the head is %+v, %v; want that with number %d", h, err, last.Seq)
	}
	for _, setting := range []string{"off", "on"} {
		if err = errors.Join(s.Exec("public", "ALTER SYSTEM SET fsync = "+setting), s.Exec("public", "SELECT pg_reload_conf()")); err != nil {
			t.Fatal(err)
		}
		refused := setting == "off"
		last.Seq++
		for began := time.Now(); time.Since(began) < patience; time.Sleep(10 * time.Millisecond) { // the server takes it up soon
			if err = places[0].SetHead(t.Context(), last); (err != nil) == refused {
				break
			}
		}
		if (err != nil) != refused || refused && !strings.Contains(err.Error(), "fsync off") {
			t.Errorf("with fsync %s: %v", setting, err)
		}
	}
}
