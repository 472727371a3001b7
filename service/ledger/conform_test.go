package ledger_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sotto/promise/dp"
	"sotto/service/ledger"
)

// A budget that never renews holds from the first spend of a new ledger on, and for who
// opens it again.
func testNoWindows(t *testing.T, open opener) {
	once := ledger.Budget{Unit: dp.Text, Epsilon: 10}
	for life := range 2 {
		l := mustOpen(t, open, ledger.Options{Budget: once, Clock: newClock().now})
		for i := range 8 {
			_, err := l.Spend(t.Context(), request("alice", fmt.Sprint(life, i), 2))
			if want := life == 0 && i < 5; (err == nil) != want || !want && !errors.Is(err, dp.ErrBudget) {
				t.Errorf("life %d, spend %d: %v; want five in all", life, i, err)
			}
		}
		if b, err := l.Balance(t.Context(), "alice"); err != nil || b.Spent.EpsilonValue() != 10 || b.Left.EpsilonValue() != 0 {
			t.Errorf("life %d: %+v, %v; want all of it spent", life, b, err)
		}
		verify(t, l)
		l.Close()
	}
}

// A new length of windows waits for the end of the window that runs.
func testNewWindow(t *testing.T, open opener) {
	c := newClock() // noon
	hourly := daily
	hourly.Window = time.Hour
	spend := func(l *ledger.Ledger, text string) error {
		_, err := l.Spend(t.Context(), request("alice", text, 10))
		return err
	}
	first := mustOpen(t, open, ledger.Options{Budget: daily, Clock: c.now})
	if err := spend(first, "a"); err != nil {
		t.Fatal(err)
	}
	first.Close()
	l := mustOpen(t, open, ledger.Options{Budget: hourly, Raise: true, Clock: c.now})
	c.add(2 * time.Hour)
	var over *ledger.OverBudget
	if err := spend(l, "b"); !errors.As(err, &over) || over.Renews.Format(time.DateTime) != "2026-03-02 00:00:00" {
		t.Errorf("in the window that runs: %v, want it to renew at its end", err)
	}
	c.add(10 * time.Hour)
	if err := spend(l, "b"); err != nil {
		t.Errorf("in the first new window: %v", err)
	}
	if err := spend(l, "c"); !errors.As(err, &over) || over.Renews.Format(time.DateTime) != "2026-03-02 01:00:00" {
		t.Errorf("in the first new window: %v, want it to renew after an hour", err)
	}
	c.add(time.Hour)
	if err := spend(l, "c"); err != nil {
		t.Errorf("in the second new window: %v", err)
	}
	verify(t, l)
	l.Close()

	never := daily
	never.Window = 0
	last := mustOpen(t, open, ledger.Options{Budget: never, Clock: c.now})
	c.add(time.Hour)
	if err := spend(last, "d"); err != nil {
		t.Errorf("in the window that lasts for ever: %v", err)
	}
	c.add(1000 * time.Hour)
	if err := spend(last, "e"); !errors.As(err, &over) || !over.Renews.IsZero() {
		t.Errorf("in the window that lasts for ever: %v, want that it never renews", err)
	}
	verify(t, last)
	last.Close()
	if _, err := open(ledger.Options{Budget: daily, Clock: c.now}); err == nil {
		t.Error("budgets that never renew were made to")
	}
	metric := never
	metric.Unit = dp.Metric
	if _, err := open(ledger.Options{Budget: metric, Clock: c.now}); !errors.Is(err, ledger.ErrUnit) {
		t.Errorf("a budget in another unit: %v, want %v", err, ledger.ErrUnit)
	}
}

func testSecret(t *testing.T, open opener) {
	for _, step := range []struct {
		options ledger.Options
		want    error
		entries uint64
	}{
		{ledger.Options{Budget: daily, SecretID: "first"}, nil, 2},
		{ledger.Options{Budget: daily, SecretID: "first"}, nil, 2},
		{ledger.Options{Budget: daily, SecretID: "second"}, ledger.ErrSecret, 2},
		{ledger.Options{}, nil, 2}, // who makes no keys needs no secret, and takes the recorded budget
		{ledger.Options{SecretID: "second", Rotate: true}, nil, 3},
		{ledger.Options{SecretID: "first"}, ledger.ErrSecret, 3},
		{ledger.Options{SecretID: "second"}, nil, 3},
	} {
		l, err := open(step.options)
		if !errors.Is(err, step.want) {
			t.Fatalf("open with %+v: %v, want %v", step.options, err, step.want)
		}
		if err == nil {
			l.Close()
		}
		reader := mustOpen(t, open, ledger.Options{ReadOnly: true})
		if p := verify(t, reader); p.Entries != step.entries {
			t.Errorf("%d entries after %+v, want %d", p.Entries, step.options, step.entries)
		}
		reader.Close()
	}
}

// Whatever a subject or a reason holds, the ledger reads it back or refuses it,
// and nobody else notices.
func testHostile(t *testing.T, open opener) {
	l := mustOpen(t, open, ledger.Options{Budget: daily, Clock: newClock().now})
	allowed := []string{"'; DROP TABLE x; --", "ünï\u2028cödé \ufffd", "<script>&", `a\"b`, strings.Repeat("x", 256), "\u00a0", "a/b\\c"}
	refused := []string{"", "a\x00b", "bad \xff utf-8", "line\nbreak", "\x7f", strings.Repeat("x", 257)}
	for _, subject := range append(allowed, refused...) {
		_, err := l.Spend(t.Context(), request(subject, "a", 4))
		if want := slices.Contains(allowed, subject); (err == nil) != want {
			t.Errorf("Spend of subject %.20q: %v, want allowed to be %v", subject, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "bad") {
			t.Errorf("the error quotes the subject: %v", err)
		}
		if err = l.Grant(t.Context(), ledger.Grant{Subject: "alice", Epsilon: 1, Who: "root", Reason: subject}); (err == nil) != (slices.Contains(allowed, subject) || len(subject) == 257) {
			t.Errorf("Grant with reason %.20q: %v", subject, err)
		}
		if err = l.Grant(t.Context(), ledger.Grant{Subject: "alice", Epsilon: 1, Who: subject, Reason: "asked"}); (err == nil) != slices.Contains(allowed, subject) {
			t.Errorf("Grant by %.20q: %v", subject, err)
		}
	}
	for _, subject := range allowed {
		if got := left(t, l, subject); got != 6 {
			t.Errorf("left of %.20q is %v, want 6", subject, got)
		}
	}
	bad := request("alice", "b", 1)
	bad.Mechanism = json.RawMessage("\"\xff\"")
	if _, err := l.Spend(t.Context(), bad); err == nil {
		t.Error("a mechanism that is not UTF-8 was written")
	}
	bad.Mechanism = nil
	if _, err := l.Spend(t.Context(), bad); err == nil {
		t.Error("a spend without a mechanism was written")
	}
	bad = request("alice", "b", 1)
	bad.Guarantee.Assumptions = []string{"bad \xff"}
	if _, err := l.Spend(t.Context(), bad); err == nil {
		t.Error("an assumption that is not UTF-8 was written")
	}
	verify(t, l)
}

// A key that was paid for at one price is not paid for at another.
func testOtherPrice(t *testing.T, open opener) {
	l := mustOpen(t, open, ledger.Options{Budget: daily, Clock: newClock().now})
	cheap := request("alice", "a", 1)
	if _, err := l.Spend(t.Context(), cheap); err != nil {
		t.Fatal(err)
	}
	dear := request("alice", "a", 8)
	dear.Mechanism = cheap.Mechanism
	other := cheap
	other.Mechanism = map[string]any{"mechanism": "another"}
	for _, r := range []ledger.Request{dear, other} {
		if _, err := l.Spend(t.Context(), r); !errors.Is(err, ledger.ErrConflict) {
			t.Errorf("a paid key at ε = %v by %v: %v, want %v", r.Guarantee.Epsilon, r.Mechanism, err, ledger.ErrConflict)
		}
	}
	twice := request("alice", "b", 1)
	twice.Check = key("something else")
	if _, err := l.Spend(t.Context(), request("alice", "b", 1), twice); !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("one key for two things in a call: %v, want %v", err, ledger.ErrConflict)
	}
	if got := left(t, l, "alice"); got != 9 {
		t.Errorf("left is %v, want 9", got)
	}
}

func testBalances(t *testing.T, open opener) {
	c := newClock()
	l := mustOpen(t, open, ledger.Options{Budget: daily, Clock: c.now})
	r, err := l.Spend(t.Context(), request("alice", "a", 1), request("bob", "a", 2))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := r[0].Balance, r[1].Balance; a.Left.EpsilonValue() != 9 || b.Left.EpsilonValue() != 8 || b.Spent.EpsilonValue() != 2 {
		t.Errorf("the receipts say that %v and %v are left, want 9 and 8", a.Left, b.Left)
	}
	if r, err = l.Spend(t.Context(), request("bob", "a", 2)); err != nil || r[0].Balance.Left.EpsilonValue() != 8 {
		t.Errorf("a repetition leaves %+v, %v; want 8", r, err)
	}
	c.add(24 * time.Hour)
	if err = l.Grant(t.Context(), ledger.Grant{Subject: "carol", Epsilon: 5, Delta: 1e-6, Who: "root", Reason: "asked"}); err != nil {
		t.Fatal(err)
	}
	if err = l.Balances(t.Context(), func(subject string, b ledger.Balance) error {
		if subject != "carol" || b.Left.EpsilonValue() != 15 || b.Left.DeltaValue() != 1e-6 {
			t.Errorf("%s has %+v, want only carol with ε = 15 and δ = 1e-6 in a new window", subject, b)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	stop := errors.New("enough")
	if err = l.Balances(t.Context(), func(string, ledger.Balance) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("Balances returns %v, want the error of yield", err)
	}
	if err = l.Entries(t.Context(), 1, func(*ledger.Entry) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("Entries returns %v, want the error of yield", err)
	}
}

// An exported line is what was hashed, for others to check without this code.
func testExport(t *testing.T, open opener) {
	l := mustOpen(t, open, ledger.Options{Budget: daily, SecretID: "first", Clock: newClock().now})
	for _, text := range []string{"a", "b"} {
		if _, err := l.Spend(t.Context(), request("<alice> & \u2028", text, 0.1)); err != nil {
			t.Fatal(err)
		}
	}
	var prev ledger.Digest
	n := 0
	if err := l.Entries(t.Context(), 1, func(e *ledger.Entry) error {
		line, err := json.Marshal(e)
		if err != nil {
			return err
		}
		if got := ledger.Digest(sha256.Sum256(append(bytes.Clone(line[:len(line)-75]), '}'))); got != e.Hash || e.Prev != prev {
			t.Errorf("entry %d hashes to %v, want %v", e.Seq, got, e.Hash)
		}
		if _, err = ledger.ParseEntry(line); err != nil {
			t.Errorf("entry %d cannot be read back: %v", e.Seq, err)
		}
		prev = e.Hash
		n++
		return nil
	}); err != nil || n != 4 {
		t.Errorf("%d entries, %v; want 4", n, err)
	}
	if p, err := l.Verify(t.Context(), prev, ledger.Digest{}); err != nil || p.Head != prev || p.Spends != 2 {
		t.Errorf("Verify with the noted head: %+v, %v", p, err)
	}
	if _, err := l.Verify(t.Context(), prev, key("another")); !errors.Is(err, ledger.ErrDamaged) {
		t.Errorf("Verify with a head that never was: %v, want %v", err, ledger.ErrDamaged)
	}
}

// A context that is done spends nothing; Close lets finish what waits.
func testWaiting(t *testing.T, open opener) {
	budget := daily
	budget.Epsilon = 1e6
	l := mustOpen(t, open, ledger.Options{Budget: budget, Clock: newClock().now})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Spend(ctx, request("alice", "a", 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that is done: %v, want %v", err, context.Canceled)
	}
	if got := left(t, l, "alice"); got != 1e6 {
		t.Errorf("left is %v, want all", got)
	}
	var mu sync.Mutex
	paid := 0
	var group sync.WaitGroup
	for i := range 200 {
		group.Go(func() {
			_, err := l.Spend(context.Background(), request("alice", fmt.Sprint(i), 1))
			if err != nil && !errors.Is(err, ledger.ErrUnavailable) {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				paid++
			}
		})
	}
	for range 2 {
		group.Go(func() {
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if _, err := l.Balance(t.Context(), "alice"); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("the balance of a closed ledger: %v, want %v", err, ledger.ErrUnavailable)
	}
	reader := mustOpen(t, open, ledger.Options{ReadOnly: true})
	if p := verify(t, reader); p.Spends != uint64(paid) {
		t.Errorf("%d spends are written and %d were answered", p.Spends, paid)
	}
}

// A clock that makes no sense is no reason to renew.
func testClock(t *testing.T, open opener) {
	c := newClock()
	l := mustOpen(t, open, ledger.Options{Budget: daily, Clock: c.now})
	if _, err := l.Spend(t.Context(), request("alice", "a", 10)); err != nil {
		t.Fatal(err)
	}
	c.set(time.Date(2250, 1, 1, 0, 0, 0, 0, time.UTC))
	if _, err := l.Spend(t.Context(), request("alice", "b", 1)); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("in the year 2250: %v, want %v", err, ledger.ErrUnavailable)
	}
	c.set(time.Unix(0, 0)) // a host without a battery
	var over *ledger.OverBudget
	if _, err := l.Spend(t.Context(), request("alice", "b", 1)); !errors.As(err, &over) || over.Renews.Format(time.DateOnly) != "2026-03-02" {
		t.Errorf("in 1970: %v, want the window of the last entry", err)
	}
	verify(t, l)
}
