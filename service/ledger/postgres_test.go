package ledger_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"sotto/promise/dp"
	"sotto/service/ledger"
	"sotto/service/pgtest"
)

func TestMain(m *testing.M) {
	flag.Parse()
	// Most of the time a test waits for a disk or a server.
	if err := flag.Set("test.parallel", "16"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	pgtest.End()
	os.Exit(code)
}

func postgresOpener(s *pgtest.Server, schema string) opener {
	return func(o ledger.Options) (*ledger.Ledger, error) {
		return ledger.OpenPostgres(context.Background(), s.URL(schema), o)
	}
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	s := pgtest.Shared(t)
	conform(t, func(t *testing.T) opener { return postgresOpener(s, s.Schema(t)) })
}

// Two gateways on one database never overspend a subject together.
func TestPostgresTwoGateways(t *testing.T) {
	t.Parallel()
	s := pgtest.Shared(t)
	open := postgresOpener(s, s.Schema(t))
	var books [2]*ledger.Ledger
	var starting sync.WaitGroup
	for i := range books { // together, so that both find no tables
		starting.Go(func() {
			var err error
			if books[i], err = open(ledger.Options{Budget: daily, SecretID: "first", Clock: newClock().now}); err != nil {
				t.Error(err)
			}
		})
	}
	starting.Wait()
	if t.Failed() {
		return
	}
	var paid, repeated atomic.Int64
	var group sync.WaitGroup
	for c := range 60 {
		group.Go(func() {
			for i := range 10 {
				// Both are asked for the same texts, in a different order.
				r, err := books[c%2].Spend(t.Context(), request(fmt.Sprint("subject ", c%3), fmt.Sprint((i+c)%15), 1))
				var over *ledger.OverBudget
				switch {
				case err == nil && r[0].Repeated:
					repeated.Add(1)
				case err == nil:
					paid.Add(1)
				case !errors.As(err, &over):
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if paid.Load() != 30 {
		t.Errorf("%d spends were allowed, want 30: ten for each of three subjects", paid.Load())
	}
	t.Logf("%d paid, %d repeated, of 600", paid.Load(), repeated.Load())
	if a, b := verify(t, books[0]), verify(t, books[1]); a != b || a.Spends != 30 {
		t.Errorf("the proofs are %+v and %+v, want the same with 30 spends", a, b)
	}
	for _, l := range books {
		l.Close()
	}
}

// What one gateway sets holds for the other at once.
func TestPostgresSharedTerms(t *testing.T) {
	t.Parallel()
	s := pgtest.Shared(t)
	open := postgresOpener(s, s.Schema(t))
	c := newClock()
	old := mustOpen(t, open, ledger.Options{Budget: daily, SecretID: "first", Clock: c.now})
	if _, err := old.Spend(t.Context(), request("alice", "a", 4)); err != nil {
		t.Fatal(err)
	}
	smaller := daily
	smaller.Epsilon = 5
	next := mustOpen(t, open, ledger.Options{Budget: smaller, SecretID: "first", Clock: c.now})
	var over *ledger.OverBudget
	if _, err := old.Spend(t.Context(), request("alice", "b", 4)); !errors.As(err, &over) || over.Left.EpsilonValue() != 1 {
		t.Errorf("after another has lowered the budget: %v", err)
	}
	if old.Budget() != smaller {
		t.Errorf("the budget is %+v, want the one that was set last", old.Budget())
	}
	mustOpen(t, open, ledger.Options{SecretID: "second", Rotate: true, Clock: c.now})
	if _, err := next.Spend(t.Context(), request("alice", "c", 1)); !errors.Is(err, ledger.ErrSecret) || !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("after another has changed the secret: %v, want %v", err, ledger.ErrSecret)
	}
	verify(t, old)
}

// A lost connection is opened again; a server that is gone is an error,
// and what was paid for before it crashed is there after it.
func TestPostgresCrash(t *testing.T) {
	t.Parallel()
	s := pgtest.Alone(t)
	schema := s.Schema(t)
	budget := ledger.Budget{Unit: dp.Text, Epsilon: 1e6}
	l := mustOpen(t, postgresOpener(s, schema), ledger.Options{Budget: budget})
	if _, err := l.Balance(t.Context(), "alice"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Connect(t, "public").Exec(t.Context(),
		`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'`); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Spend(t.Context(), request("alice", "after a lost connection", 1)); err != nil {
		t.Errorf("after a lost connection: %v", err)
	}
	if _, err := l.Balance(t.Context(), "alice"); err != nil {
		t.Errorf("after a lost connection: %v", err)
	}

	var mu sync.Mutex
	var released []string
	enough, ended := make(chan struct{}), make(chan struct{})
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := 0; ; i++ {
				text := fmt.Sprint(worker, " ", i)
				if _, err := l.Spend(context.Background(), request("alice", text, 1)); err != nil {
					if !errors.Is(err, ledger.ErrUnavailable) {
						t.Error(err)
					}
					return
				}
				mu.Lock()
				if released = append(released, text); len(released) == 100 {
					close(enough)
				}
				mu.Unlock()
			}
		})
	}
	go func() { group.Wait(); close(ended) }()
	select {
	case <-enough:
	case <-ended:
		t.Fatalf("%d releases without a crash, want more", len(released))
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	<-ended
	if _, err := l.Spend(t.Context(), request("alice", "while it is down", 1)); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("while the server is down: %v, want %v", err, ledger.ErrUnavailable)
	}
	if _, err := l.Balance(t.Context(), "alice"); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("the balance while the server is down: %v, want %v", err, ledger.ErrUnavailable)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	paid := map[ledger.Digest]int{}
	if err := l.Entries(t.Context(), 1, func(e *ledger.Entry) error { paid[e.Key]++; return nil }); err != nil {
		t.Fatal(err)
	}
	for _, text := range released {
		if paid[key(text)] != 1 {
			t.Errorf("release %q was paid %d times, want once", text, paid[key(text)])
		}
	}
	t.Logf("%d releases before the crash", len(released))
	if _, err := l.Spend(t.Context(), request("alice", "after the crash", 1)); err != nil {
		t.Errorf("after the crash: %v", err)
	}
	verify(t, l)
}

// Somebody who holds the head makes a spend fail, not wait for ever.
func TestPostgresTimeout(t *testing.T) {
	t.Parallel()
	s := pgtest.Shared(t)
	schema := s.Schema(t)
	l := mustOpen(t, postgresOpener(s, schema), ledger.Options{Budget: daily})
	tx, err := s.Connect(t, schema).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err = tx.Exec(t.Context(), "SELECT * FROM sotto_ledger_head FOR UPDATE"); err != nil {
		t.Fatal(err)
	}
	if _, err = l.Spend(t.Context(), request("alice", "a", 1)); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("while another holds the head: %v, want %v", err, ledger.ErrUnavailable)
	}
	if err = tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r, err := l.Spend(t.Context(), request("alice", "a", 1)); err != nil || r[0].Repeated {
		t.Errorf("afterwards: %+v, %v; want a first spend", r, err)
	}
	verify(t, l)
}

// Whatever is changed in the tables is found.
func TestPostgresDamage(t *testing.T) {
	t.Parallel()
	s := pgtest.Shared(t)
	for _, change := range []string{
		"UPDATE sotto_ledger_log SET entry = set_byte(entry, 20, get_byte(entry, 20) # 1) WHERE seq = 3",
		"UPDATE sotto_ledger_log SET name = 'mallory' WHERE seq = 3",
		"UPDATE sotto_ledger_log SET name = NULL WHERE seq = 3",
		"UPDATE sotto_ledger_log SET name = 'mallory' WHERE seq = 1",
		"UPDATE sotto_ledger_log SET seq = 9 WHERE seq = 4",
		"UPDATE sotto_ledger_log SET hash = 'x' WHERE seq = 3",
		"UPDATE sotto_ledger_log SET hash = 'x' WHERE seq = 1",
		"DELETE FROM sotto_ledger_log WHERE seq = 3",
		"DELETE FROM sotto_ledger_log WHERE seq = 4",
		"UPDATE sotto_ledger_head SET seq = 3",
		"UPDATE sotto_ledger_head SET budget = 2",
		"UPDATE sotto_ledger_head SET secret = 0",
		"UPDATE sotto_ledger_head SET spends = 1",
		"UPDATE sotto_ledger_head SET at = at + 1",
		"UPDATE sotto_ledger_head SET means = 0",
		"UPDATE sotto_ledger_head SET means = 2",
		"UPDATE sotto_ledger_head SET hash = set_byte(hash, 20, get_byte(hash, 20) # 1)",
		"UPDATE sotto_ledger_head SET mac = set_byte(mac, 3, get_byte(mac, 3) # 1)",
		"UPDATE sotto_ledger_head SET mac = 'short'",
		"UPDATE sotto_ledger_means SET content = set_byte(content, 9, get_byte(content, 9) # 1)",
		"UPDATE sotto_ledger_means SET id = 2",
		"DELETE FROM sotto_ledger_means",
		"DELETE FROM sotto_ledger_head",
		"INSERT INTO sotto_ledger_log SELECT -1, NULL, NULL, entry FROM sotto_ledger_log WHERE seq = 1",
		"INSERT INTO sotto_ledger_log SELECT 5, NULL, NULL, entry FROM sotto_ledger_log WHERE seq = 1",
		"UPDATE sotto_ledger_sums SET spent_epsilon = 0",
		"UPDATE sotto_ledger_sums SET granted_epsilon = 1000000000",
		"UPDATE sotto_ledger_sums SET begins = begins + 1",
		"DELETE FROM sotto_ledger_sums",
		"INSERT INTO sotto_ledger_sums VALUES ('bob', 0, 5, 0, 0, 0)",
	} {
		t.Run(change, func(t *testing.T) {
			t.Parallel()
			harmedTables(t, s, change)
		})
	}
}

// harmedTables changes tables of a ledger, which must be noticed.
func harmedTables(t *testing.T, s *pgtest.Server, change string) {
	schema := s.Schema(t)
	options := ledger.Options{Budget: daily, SecretID: "first", ChainKey: chainKey(1), Clock: newClock().now}
	l := mustOpen(t, postgresOpener(s, schema), options)
	for _, text := range []string{"a", "b"} {
		if _, err := l.Spend(t.Context(), request("alice", text, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if p := verify(t, l); p.Entries != 4 {
		t.Fatalf("%d entries, want 4", p.Entries)
	}
	if tag, err := s.Connect(t, schema).Exec(t.Context(), change); err != nil || tag.RowsAffected() == 0 {
		t.Fatalf("%s: %v, %v", change, tag, err)
	}
	// Who has it open keeps in mind what never changes, and who opens it does not.
	other, err := postgresOpener(s, schema)(ledger.Options{ReadOnly: true, ChainKey: chainKey(1), SecretID: "first"})
	if err == nil {
		_, err = other.Verify(t.Context())
		other.Close()
	}
	l.Close()
	if !errors.Is(err, ledger.ErrDamaged) {
		t.Errorf("%s: Verify says %v, want %v", change, err, ledger.ErrDamaged)
	}
}

func TestPostgresRefuses(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	for _, url := range []string{"postgres://x:" + secret + "@[::1", "postgres://x:" + secret + "@127.0.0.1:1/none?connect_timeout=2"} {
		if _, err := ledger.OpenPostgres(t.Context(), url, ledger.Options{Budget: daily}); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("opening a wrong address: %v, want an error without the password", err)
		}
	}
	s := pgtest.Shared(t)
	schema := s.Schema(t)
	if _, err := postgresOpener(s, schema)(ledger.Options{ReadOnly: true}); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("reading where nothing is: %v, want %v", err, ledger.ErrUnavailable)
	}
	mustOpen(t, postgresOpener(s, schema), ledger.Options{Budget: daily}).Close()
	if _, err := s.Connect(t, schema).Exec(t.Context(), "UPDATE sotto_ledger_head SET format = 'sotto-ledger-9'"); err != nil {
		t.Fatal(err)
	}
	if _, err := postgresOpener(s, schema)(ledger.Options{Budget: daily}); !errors.Is(err, ledger.ErrDamaged) {
		t.Errorf("opening another version: %v, want %v", err, ledger.ErrDamaged)
	}
}

func BenchmarkSpendPostgres(b *testing.B) {
	s := pgtest.Shared(b)
	benchmarkSpend(b, postgresOpener(s, s.Schema(b)))
}

// BenchmarkSpendTwoGateways spends through two ledgers on one database, as two
// gateways do.
func BenchmarkSpendTwoGateways(b *testing.B) {
	s := pgtest.Shared(b)
	open := postgresOpener(s, s.Schema(b))
	budget := daily
	budget.Epsilon = 1e9
	var books [2]*ledger.Ledger
	for i := range books {
		books[i] = mustOpen(b, open, ledger.Options{Budget: budget, SecretID: "first", ChainKey: chainKey(1)})
	}
	var n atomic.Int64
	b.SetParallelism(500) // a thousand clients of two cores
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := n.Add(1)
			if _, err := books[i%2].Spend(context.Background(), request(fmt.Sprint("user ", i%1000), fmt.Sprint("text ", i), 1)); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(n.Load())/b.Elapsed().Seconds(), "spends/s")
}
