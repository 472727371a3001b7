package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"sotto/promise/dp"
	"sotto/service/ledger"
	"sotto/service/pgtest"
)

func partOptions() ledger.Options {
	return ledger.Options{Budget: daily, SecretID: "first", ChainKey: chainKey(1), Clock: newClock().now}
}

func openParts(t *testing.T, url string, o ledger.Options) *ledger.Divided {
	t.Helper()
	l, err := ledger.OpenAny(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func verifyParts(t *testing.T, l *ledger.Divided) ledger.Proof {
	t.Helper()
	proofs, err := l.Verify(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return ledger.ProofOfParts(proofs)
}

func leftIn(t *testing.T, l *ledger.Divided, subject string) float64 {
	t.Helper()
	b, err := l.Balance(t.Context(), subject)
	if err != nil {
		t.Fatal(err)
	}
	return b.Left.EpsilonValue()
}

// A ledger that is begun in parts counts as one does: by two gateways at the same
// time, for requests and for jobs.
func TestParts(t *testing.T) {
	t.Parallel()
	s := pgtest.Shared(t)
	url := s.URL(s.Schema(t))
	if _, err := ledger.BeginParts(t.Context(), url, 1, partOptions()); err == nil {
		t.Error("one part was begun")
	}
	first, err := ledger.BeginParts(t.Context(), url, 4, partOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { first.Close() })
	if _, err = ledger.BeginParts(t.Context(), url, 4, partOptions()); err == nil {
		t.Error("a ledger was begun twice")
	}
	if _, err = ledger.OpenPostgres(t.Context(), url, partOptions()); !errors.Is(err, ledger.ErrUnavailable) || !strings.Contains(err.Error(), "in parts") {
		t.Errorf("opened as one: %v, want it refused", err)
	}
	books := []*ledger.Divided{first, openParts(t, url, partOptions())}
	if n := len(books[1].Parts()); n != 4 {
		t.Fatalf("it has %d parts, want 4", n)
	}
	var paid atomic.Int64
	var group sync.WaitGroup
	for c := range 24 {
		group.Go(func() {
			for i := range 12 {
				r, failed := books[c%2].Spend(t.Context(), request(fmt.Sprint("user ", c%12), fmt.Sprint(i), 1))
				if failed == nil && !r[0].Repeated {
					paid.Add(1)
				} else if failed != nil && !errors.Is(failed, dp.ErrBudget) {
					t.Error(failed)
				}
			}
		})
	}
	group.Wait()
	if paid.Load() != 120 {
		t.Errorf("%d spends were allowed, want ten for each of twelve users", paid.Load())
	}
	if err = books[0].Grant(t.Context(), ledger.Grant{Subject: "user 3", Epsilon: 2, Who: "root", Reason: "asked"}); err != nil || leftIn(t, books[1], "user 3") != 2 {
		t.Errorf("a grant: %v; user 3 has %v left, want 2", err, leftIn(t, books[1], "user 3"))
	}
	subjects := 0
	if err = books[1].Balances(t.Context(), func(string, ledger.Balance) error { subjects++; return nil }); err != nil || subjects != 12 {
		t.Errorf("%d subjects, %v; want 12", subjects, err)
	}
	if p := verifyParts(t, books[0]); p.Spends != 120 || p.Subjects != 12 || p.MAC != ledger.MACChecked {
		t.Errorf("the proof is %+v", p)
	}
	var apart []ledger.Request
	for i := range 5 {
		apart = append(apart, request(fmt.Sprint("new ", i), "a", 1))
	}
	if _, err = books[0].Spend(t.Context(), apart...); !errors.Is(err, ledger.ErrApart) || leftIn(t, books[0], "new 0") != 10 {
		t.Errorf("subjects of several parts in one call: %v, want %v and nothing spent", err, ledger.ErrApart)
	}
	testPartJobs(t, books[0])
}

// testPartJobs pays for shards whose users are in several parts.
func testPartJobs(t *testing.T, l *ledger.Divided) {
	t.Helper()
	of := demand{}
	for i := range 20 {
		of[fmt.Sprint("worker ", i)] = int64(i%3 + 9) // of which a third is too much
	}
	s := shard("reviews", "0", 1, of)
	before := verifyParts(t, l)
	var over *ledger.Exhausted
	if _, err := l.ReserveAll(t.Context(), s); !errors.As(err, &over) || len(over.Subjects) != 6 {
		t.Errorf("a job that does not fit: %v", err)
	}
	if after := verifyParts(t, l); after != before {
		t.Errorf("a refused job has changed the ledger: %+v, was %+v", after, before)
	}
	r, err := l.Reserve(t.Context(), s)
	if err != nil || r[0].Paid != 14 || len(r[0].LeftOut) != 6 || r[0].Repeated || !slices.IsSorted(r[0].LeftOut) {
		t.Errorf("a job: %+v, %v", r, err)
	}
	again, err := l.Reserve(t.Context(), s)
	if r[0].Repeated = true; err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("again: %+v, %v; want %+v", again, err, r)
	}
	mark := shard("reviews", "files", 1, nil)
	mark.Whole = key("files")
	for range 2 {
		if m, failed := l.Reserve(t.Context(), mark); failed != nil || m[0].Paid != 0 || l.Affords(t.Context(), mark) != nil {
			t.Errorf("a mark: %+v, %v", m, failed)
		}
	}
	mark.Whole = key("other files")
	_, err = l.Reserve(t.Context(), mark)
	for _, err := range []error{err, l.Affords(t.Context(), mark), l.Affords(t.Context(), ledger.Shard{Job: s.Job, Name: s.Name, Guarantee: s.Guarantee, Mechanism: s.Mechanism, Whole: key("anything")})} {
		if !errors.Is(err, ledger.ErrConflict) {
			t.Errorf("a name that stands for something else: %v, want %v", err, ledger.ErrConflict)
		}
	}
	if p := verifyParts(t, l); p.Subjects != 26 {
		t.Errorf("%d subjects, want 12 and 14", p.Subjects)
	}
}

// said is what entries say, but for their places.
func said(t *testing.T, books ...*ledger.Ledger) []string {
	t.Helper()
	var all []string
	for _, l := range books {
		if err := l.Entries(t.Context(), 1, func(e *ledger.Entry) error {
			if e.Kind == ledger.KindSpend && !strings.HasPrefix(e.Subject, "job ") || e.Kind == ledger.KindGrant {
				all = append(all, fmt.Sprint(e.At, e.Kind, e.Subject, e.Window, e.Key, e.Check, string(e.Mechanism), e.Epsilon, e.Delta, e.Who, e.Reason))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(all)
	return all
}

// A ledger that is divided loses nothing, and whoever had it open, or knows no
// parts, is refused.
func TestDivide(t *testing.T) {
	t.Parallel()
	s := pgtest.Shared(t)
	schema := s.Schema(t)
	open := postgresOpener(s, schema)
	l := mustOpen(t, open, partOptions())
	for i := range 90 {
		if _, err := l.Spend(t.Context(), request(fmt.Sprint("user ", i%15), fmt.Sprint(i), 0.5)); err != nil {
			t.Fatal(err)
		}
	}
	job := shard("reviews", "0", 0.5, demand{"user 1": 3, "user 2": 40, "new": 1, "user 9": 2})
	reserved := reserve(t, l, job)
	if err := l.Grant(t.Context(), ledger.Grant{Subject: "user 7", Epsilon: 5, Who: "root", Reason: "asked"}); err != nil {
		t.Fatal(err)
	}
	want, proof := said(t, l), verify(t, l)
	balance := map[string]float64{}
	for i := range 15 {
		balance[fmt.Sprint("user ", i)] = left(t, l, fmt.Sprint("user ", i))
	}
	secret := ledger.Signing{SecretID: "first", ChainKey: chainKey(1)}
	for name, m := range map[string]ledger.Signing{"no secret": {}, "another key": {SecretID: "first", ChainKey: chainKey(2)}, "another secret": {SecretID: "second", ChainKey: chainKey(1)}} {
		if _, err := ledger.DivideAt(t.Context(), s.URL(schema), 3, m); err == nil {
			t.Fatalf("%s: it was divided", name)
		}
	}
	conn := s.Connect(t, schema)
	for _, harm := range [][2]string{
		{"UPDATE sotto_ledger_sums SET spent_epsilon = spent_epsilon + 1", "UPDATE sotto_ledger_sums SET spent_epsilon = spent_epsilon - 1"},
		{"UPDATE sotto_ledger_log SET name = NULL WHERE seq = 9", ""},
	} {
		tx, err := conn.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if harm[1] == "" { // it cannot be taken back but by a copy
			if _, err = tx.Exec(t.Context(), "CREATE TABLE kept AS SELECT * FROM sotto_ledger_log WHERE seq = 9"); err != nil {
				t.Fatal(err)
			}
			harm[1] = "UPDATE sotto_ledger_log SET name = (SELECT name FROM kept) WHERE seq = 9"
		}
		if _, err = tx.Exec(t.Context(), harm[0]); err == nil {
			err = tx.Commit(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err = ledger.DivideAt(t.Context(), s.URL(schema), 3, secret); !errors.Is(err, ledger.ErrDamaged) {
			t.Errorf("%s: %v, want %v", harm[0], err, ledger.ErrDamaged)
		}
		if _, err = conn.Exec(t.Context(), harm[1]); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := ledger.DivideAt(t.Context(), s.URL(schema), 3, secret); err != nil || p.Entries != proof.Entries || p.Spends != proof.Spends || p.Subjects != proof.Subjects {
		t.Fatalf("%+v, %v; want what it held, %+v", p, err, proof)
	}
	if _, err := l.Spend(t.Context(), request("user 1", "later", 0.5)); !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("who had it open: %v, want %v", err, ledger.ErrUnavailable)
	}
	var format string
	if err := conn.QueryRow(t.Context(), "SELECT format FROM sotto_ledger_head").Scan(&format); err != nil || format == "sotto-ledger-2" {
		t.Errorf("what versions without parts ask for is %q, %v; want that they refuse it", format, err)
	}
	parts := openParts(t, s.URL(schema), partOptions())
	if p := verifyParts(t, parts); p.Spends != proof.Spends+2 || p.MAC != ledger.MACChecked || p.Subjects != proof.Subjects {
		t.Errorf("the parts hold %+v, want %+v", p, proof)
	}
	if got := said(t, parts.Parts()...); !slices.Equal(got, want) {
		t.Errorf("%d entries are in the parts, want the %d of the ledger", len(got), len(want))
	}
	for subject, want := range balance {
		if got := leftIn(t, parts, subject); got != want {
			t.Errorf("%s has %v left, want %v", subject, got, want)
		}
	}
	if r, err := parts.Spend(t.Context(), request("user 4", "19", 0.5)); err != nil || !r[0].Repeated {
		t.Errorf("what was paid for: %+v, %v; want it free", r, err)
	}
	reserved[0].Repeated = true
	if r, err := parts.Reserve(t.Context(), job); err != nil || !reflect.DeepEqual(r, reserved) {
		t.Errorf("a job that was paid for: %+v, %v; want %+v", r, err, reserved)
	}
	job.Demands[0].Releases++
	if _, err := parts.Reserve(t.Context(), job); !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("another job of its name: %v, want %v", err, ledger.ErrConflict)
	}
	if _, err := ledger.DivideAt(t.Context(), s.URL(schema), 3, secret); err == nil {
		t.Error("it was divided twice")
	}
	var n int
	if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM sotto_ledger_log_undivided").Scan(&n); err != nil || n != int(proof.Entries) {
		t.Errorf("the old log has %d entries, %v; want it kept", n, err)
	}
	for _, harm := range []string{"DELETE FROM sotto_ledger_parts WHERE part = 1", "UPDATE sotto_ledger_head SET format = 'x'"} {
		if _, err := conn.Exec(t.Context(), harm); err != nil {
			t.Fatal(err)
		}
		if _, err := ledger.OpenAny(t.Context(), s.URL(schema), partOptions()); !errors.Is(err, ledger.ErrDamaged) {
			t.Errorf("%s: %v, want %v", harm, err, ledger.ErrDamaged)
		}
	}
}
