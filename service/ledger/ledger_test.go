package ledger_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sotto/promise/dp"
	"sotto/service/ledger"
)

var daily = ledger.Budget{Unit: dp.Text, Epsilon: 10, Window: 24 * time.Hour}

// clock is a clock that a test sets.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time      { return time.Unix(0, c.at.Load()) }
func (c *clock) set(t time.Time)     { c.at.Store(t.UnixNano()) }
func (c *clock) add(d time.Duration) { c.at.Add(int64(d)) }

func newClock() *clock {
	c := new(clock)
	c.set(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	return c
}

// opener opens the same ledger again and again.
type opener func(o ledger.Options) (*ledger.Ledger, error)

func fileOpener(t testing.TB) opener {
	path := filepath.Join(t.TempDir(), "ledger.db")
	return func(o ledger.Options) (*ledger.Ledger, error) { return ledger.OpenFile(path, o) }
}

func mustOpen(t testing.TB, open opener, o ledger.Options) *ledger.Ledger {
	t.Helper()
	l, err := open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// chainKey is a key of a log's MAC.
func chainKey(n byte) []byte { return bytes.Repeat([]byte{n}, 32) }

func key(s string) ledger.Digest { return sha256.Sum256([]byte(s)) }

func request(subject, text string, epsilon float64) ledger.Request {
	return ledger.Request{
		Subject: subject, Key: key(text), Check: key("check " + text), Mechanism: map[string]any{"mechanism": "laplace-l1", "epsilon": epsilon},
		Guarantee: dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(epsilon)},
	}
}

func left(t *testing.T, l *ledger.Ledger, subject string) float64 {
	t.Helper()
	b, err := l.Balance(t.Context(), subject)
	if err != nil {
		t.Fatal(err)
	}
	return b.Left.EpsilonValue()
}

func verify(t *testing.T, l *ledger.Ledger) ledger.Proof {
	t.Helper()
	p, err := l.Verify(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// soon fails a test whose step does not end. The time is no bound that is
// claimed, only long enough on a busy machine.
func soon(t *testing.T, what string, step func() error) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- step() }()
	select {
	case err := <-done:
		return err
	case <-time.After(time.Minute):
		t.Fatalf("%s hangs", what)
		return nil
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// patiently does a step until it succeeds: where a test needs a short time-out, a busy
// machine may let it pass while nothing is wrong yet.
func patiently(t *testing.T, what string, step func() error) {
	t.Helper()
	for tries := 0; ; tries++ {
		err := soon(t, what, step)
		if err == nil {
			return
		}
		if !errors.Is(err, ledger.ErrUnavailable) || tries == 100 {
			t.Fatalf("%s: %v", what, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func spendSoon(t *testing.T, l *ledger.Ledger, text string) error {
	t.Helper()
	return soon(t, "a spend", func() error {
		_, err := l.Spend(t.Context(), request("alice", text, 1))
		return err
	})
}

func TestFile(t *testing.T) {
	t.Parallel()
	conform(t, func(t *testing.T) opener { return fileOpener(t) })
}

// conform is what every store must do.
func conform(t *testing.T, fresh func(t *testing.T) opener) {
	for name, test := range map[string]func(t *testing.T, open opener){
		"spend":                 testSpend,
		"all or none":           testAllOrNone,
		"windows":               testWindows,
		"reopen":                testReopen,
		"grant":                 testGrant,
		"refuses":               testRefuses,
		"together":              testTogether,
		"new window":            testNewWindow,
		"no windows":            testNoWindows,
		"lifetime":              testLifetime,
		"optimal":               testOptimal,
		"secret":                testSecret,
		"hostile":               testHostile,
		"other price":           testOtherPrice,
		"balances":              testBalances,
		"export":                testExport,
		"waiting":               testWaiting,
		"keyed":                 testKeyed,
		"clock":                 testClock,
		"jobs":                  testJobs,
		"jobs at the limits":    testJobLimits,
		"jobs that are refused": testJobRefused,
		"jobs by many workers":  testJobWorkers,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, fresh(t))
		})
	}
}

func testSpend(t *testing.T, open opener) {
	l := mustOpen(t, open, ledger.Options{Budget: daily, Clock: newClock().now})
	first, err := l.Spend(t.Context(), request("alice", "hello", 4))
	if err != nil || first[0].Repeated {
		t.Fatalf("the first spend: %+v, %v", first, err)
	}
	again, err := l.Spend(t.Context(), request("alice", "hello", 4))
	if err != nil || !again[0].Repeated || again[0].Seq != first[0].Seq {
		t.Errorf("the same again: %+v, %v; want a repetition of entry %d", again, err, first[0].Seq)
	}
	if other, failed := l.Spend(t.Context(), request("bob", "hello", 4)); failed != nil || other[0].Repeated {
		t.Errorf("another subject: %+v, %v; want a spend of its own", other, failed)
	}
	if _, err = l.Spend(t.Context(), request("alice", "more", 6)); err != nil {
		t.Errorf("up to the budget: %v", err)
	}
	var over *ledger.OverBudget
	if _, err = l.Spend(t.Context(), request("alice", "too much", 1e-9)); !errors.As(err, &over) {
		t.Fatalf("beyond the budget: %v, want *OverBudget", err)
	}
	if over.Left.Epsilon != 0 || over.Asked.Epsilon != 1 || over.Renews.Format(time.DateOnly) != "2026-03-02" {
		t.Errorf("over budget: %+v", over)
	}
	if a, b := left(t, l, "alice"), left(t, l, "bob"); a != 0 || b != 6 || left(t, l, "nobody") != 10 {
		t.Errorf("left are %v and %v, want 0 and 6", a, b)
	}
	if p := verify(t, l); p.Entries != 4 || p.Subjects != 2 {
		t.Errorf("proof %+v, want 4 entries of 2 subjects", p)
	}
}

func testAllOrNone(t *testing.T, open opener) {
	l := mustOpen(t, open, ledger.Options{Budget: daily, Clock: newClock().now})
	_, err := l.Spend(t.Context(), request("alice", "a", 6), request("alice", "b", 6))
	var over *ledger.OverBudget
	if !errors.As(err, &over) || over.Asked.EpsilonValue() != 12 {
		t.Fatalf("two that are too much together: %v", err)
	}
	if got := left(t, l, "alice"); got != 10 {
		t.Errorf("left after a refusal is %v, want 10", got)
	}
	r, err := l.Spend(t.Context(), request("alice", "a", 6), request("alice", "a", 6), request("bob", "a", 6))
	if err != nil || r[0].Repeated || !r[1].Repeated || r[0].Seq != r[1].Seq || r[2].Repeated {
		t.Errorf("the same text twice in a call: %+v, %v", r, err)
	}
	if got := left(t, l, "alice"); got != 4 {
		t.Errorf("left is %v, want 4", got)
	}
	verify(t, l)
}

func testWindows(t *testing.T, open opener) {
	c := newClock()
	l := mustOpen(t, open, ledger.Options{Budget: daily, Clock: c.now})
	spend := func(text string) error {
		_, err := l.Spend(t.Context(), request("alice", text, 10))
		return err
	}
	if err := spend("a"); err != nil {
		t.Fatal(err)
	}
	c.add(11*time.Hour + 59*time.Minute)
	var over *ledger.OverBudget
	if err := spend("b"); !errors.As(err, &over) {
		t.Errorf("in the same window: %v", err)
	}
	c.add(time.Minute)
	if err := spend("b"); err != nil {
		t.Errorf("in the next window: %v", err)
	}
	if err := spend("a"); err != nil {
		t.Errorf("what was paid in an earlier window: %v", err)
	}
	c.add(-48 * time.Hour) // a clock set back renews nothing
	if err := spend("c"); !errors.As(err, &over) {
		t.Errorf("with the clock set back: %v", err)
	}
	verify(t, l)
}

func testReopen(t *testing.T, open opener) {
	c := newClock()
	l := mustOpen(t, open, ledger.Options{Budget: daily, Clock: c.now})
	if _, err := l.Spend(t.Context(), request("alice", "a", 7)); err != nil {
		t.Fatal(err)
	}
	before := verify(t, l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Spend(t.Context(), request("alice", "b", 1)); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("a closed ledger: %v, want %v", err, ledger.ErrUnavailable)
	}
	reader := mustOpen(t, open, ledger.Options{ReadOnly: true, Clock: c.now})
	if got := left(t, reader, "alice"); got != 3 || verify(t, reader) != before {
		t.Errorf("left is %v, want 3, and the proof the same", got)
	}
	if _, err := reader.Spend(t.Context(), request("alice", "b", 1)); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("a spend from a reader: %v", err)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	smaller := daily
	smaller.Epsilon = 5
	again := mustOpen(t, open, ledger.Options{Budget: smaller, Clock: c.now})
	var over *ledger.OverBudget
	if _, err := again.Spend(t.Context(), request("alice", "b", 1)); !errors.As(err, &over) {
		t.Errorf("beyond a smaller budget: %v", err)
	}
	if over != nil && over.Left.Epsilon != 0 {
		t.Errorf("left is %v, want 0", over.Left)
	}
	verify(t, again)
}

func testGrant(t *testing.T, open opener) {
	l := mustOpen(t, open, ledger.Options{Budget: daily, Clock: newClock().now})
	if err := l.Grant(t.Context(), ledger.Grant{Subject: "alice", Epsilon: 5, Who: "root", Reason: "asked nicely"}); err != nil {
		t.Fatal(err)
	}
	if got := left(t, l, "alice"); got != 15 {
		t.Errorf("left is %v, want 15", got)
	}
	if _, err := l.Spend(t.Context(), request("alice", "a", 15)); err != nil {
		t.Error(err)
	}
	for _, bad := range []float64{-1, 0, 1e300} {
		if err := l.Grant(t.Context(), ledger.Grant{Subject: "alice", Epsilon: bad, Who: "root", Reason: "asked"}); err == nil {
			t.Errorf("a grant of %v was given", bad)
		}
	}
	var by, why string
	if err := l.Entries(t.Context(), 1, func(e *ledger.Entry) error {
		by, why = by+e.Who, why+e.Reason
		return nil
	}); err != nil || by != "root" || why != "asked nicely" {
		t.Errorf("the log says that %q granted for %q (%v), want root, asked nicely", by, why, err)
	}
	verify(t, l)
}

func testRefuses(t *testing.T, open opener) {
	l := mustOpen(t, open, ledger.Options{Budget: daily, Clock: newClock().now})
	other := request("alice", "a", 1)
	if _, err := l.Spend(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	other.Check = key("something else")
	if _, err := l.Spend(t.Context(), other); !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("a key for something else: %v, want %v", err, ledger.ErrConflict)
	}
	metric := request("alice", "b", 1)
	metric.Guarantee.Unit = dp.Metric
	if _, err := l.Spend(t.Context(), metric); !errors.Is(err, ledger.ErrUnit) {
		t.Errorf("another unit: %v, want %v", err, ledger.ErrUnit)
	}
	infinite := request("alice", "c", 1)
	infinite.Guarantee.Epsilon = dp.Infinite
	if _, err := l.Spend(t.Context(), infinite); err == nil {
		t.Error("an infinite ε was paid for")
	}
	if _, err := l.Spend(t.Context(), request("", "d", 1)); err == nil {
		t.Error("nobody paid")
	}
	if got := left(t, l, "alice"); got != 9 {
		t.Errorf("left is %v, want 9", got)
	}
	verify(t, l)
}

// Many spend at the same time, and not a bit more than there is.
func testTogether(t *testing.T, open opener) {
	l := mustOpen(t, open, ledger.Options{Budget: daily, Clock: newClock().now})
	const clients, each = 50, 20
	var paid atomic.Int64
	var group sync.WaitGroup
	for c := range clients {
		group.Go(func() {
			for i := range each {
				_, err := l.Spend(t.Context(), request(fmt.Sprint("subject ", c%5), fmt.Sprint(c, " ", i), 1))
				var over *ledger.OverBudget
				if err == nil {
					paid.Add(1)
				} else if !errors.As(err, &over) {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if paid.Load() != 50 {
		t.Errorf("%d spends were allowed, want 50: ten for each of five subjects", paid.Load())
	}
	verify(t, l)
}

func BenchmarkSpend(b *testing.B) { benchmarkSpend(b, fileOpener(b)) }

func benchmarkSpend(b *testing.B, open opener) {
	big := daily
	big.Epsilon = 1e9
	l := mustOpen(b, open, ledger.Options{Budget: big})
	var n atomic.Int64
	b.SetParallelism(128)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := n.Add(1)
			if _, err := l.Spend(context.Background(), request(fmt.Sprint("user ", i%100), fmt.Sprint("text ", i), 1)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.ReportMetric(float64(n.Load())/b.Elapsed().Seconds(), "spends/s")
}

// Who begins to spend takes memory, so there is a bound to them, in each window; those who
// are known go on, and who was refused has spent nothing.
func TestNewcomers(t *testing.T) {
	t.Parallel()
	clock, open := newClock(), fileOpener(t)
	o := ledger.Options{Budget: daily, SecretID: "first", ChainKey: chainKey(1), Clock: clock.now, Newcomers: 3}
	l := mustOpen(t, open, o)
	var paid atomic.Int64
	pay := func(subjects ...string) error {
		var all []ledger.Request
		for _, s := range subjects {
			all = append(all, request(s, fmt.Sprint(paid.Add(1)), 1))
		}
		_, err := l.Spend(t.Context(), all...)
		return err
	}
	for _, s := range []string{"a", "b"} {
		if err := pay(s, s); err != nil {
			t.Fatal(err)
		}
	}
	if err := pay("a", "c", "d"); !errors.Is(err, ledger.ErrCrowded) || left(t, l, "a") != 8 || left(t, l, "c") != 10 {
		t.Errorf("two more where there is room for one: %v; a has %v left and c %v, want 8 and 10", err, left(t, l, "a"), left(t, l, "c"))
	}
	if err := pay("c"); err != nil {
		t.Errorf("the last one: %v", err)
	}
	if err := pay("d"); !errors.Is(err, ledger.ErrCrowded) {
		t.Errorf("one too many: %v, want %v", err, ledger.ErrCrowded)
	}
	if err := pay("b", "a"); err != nil {
		t.Errorf("who is known: %v", err)
	}
	clock.add(24 * time.Hour)
	if err := pay("d", "e", "f"); err != nil {
		t.Errorf("in the next window: %v", err)
	}
	if err := pay("a"); !errors.Is(err, ledger.ErrCrowded) {
		t.Errorf("who spent in the window before takes memory in this one, too: %v", err)
	}
}
