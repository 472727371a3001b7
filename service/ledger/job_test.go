package ledger_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	weakrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"sotto/promise/dp"
	"sotto/service/ledger"
)

// demand is a subject with so many releases.
type demand map[string]int64

// shard asks for releases of ε each.
func shard(job, name string, epsilon float64, of demand) ledger.Shard {
	s := ledger.Shard{
		Job: job, Name: name, Mechanism: map[string]any{"mechanism": "codebook", "epsilon": epsilon},
		Guarantee: dp.Guarantee{Unit: dp.Text, Epsilon: dp.Epsilon(epsilon)},
	}
	for subject, n := range of {
		s.Demands = append(s.Demands, ledger.Demand{Subject: subject, Releases: n, Check: key("rows of " + subject)})
	}
	slices.SortFunc(s.Demands, func(a, b ledger.Demand) int { return strings.Compare(a.Subject, b.Subject) })
	return s
}

func reserve(t *testing.T, l *ledger.Ledger, shards ...ledger.Shard) []ledger.Reserved {
	t.Helper()
	r, err := l.Reserve(t.Context(), shards...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A shard is paid for once and answered alike for ever, also when those who were
// left out could pay by then.
func testJobs(t *testing.T, open opener) {
	c := newClock()
	options := ledger.Options{Budget: daily, SecretID: "first", ChainKey: chainKey(1), Clock: c.now}
	l := mustOpen(t, open, options)
	if _, err := l.Spend(t.Context(), request("bob", "hello", 9)); err != nil {
		t.Fatal(err)
	}
	first := shard("reviews", "0 of 2", 0.5, demand{"alice": 12, "bob": 3, "carol": 1})
	want := ledger.Reserved{Paid: 2, Releases: 13, LeftOut: []string{"bob"}}
	if got := reserve(t, l, first); !reflect.DeepEqual(got, []ledger.Reserved{want}) {
		t.Errorf("the first answer is %+v, want %+v", got, want)
	}
	for subject, want := range map[string]float64{"alice": 4, "bob": 1, "carol": 9.5} {
		if got := left(t, l, subject); got != want {
			t.Errorf("%s has %v left, want %v", subject, got, want)
		}
	}
	want.Repeated = true
	again := func(l *ledger.Ledger, when string) {
		t.Helper()
		slices.Reverse(first.Demands) // workers see rows in any order
		defer slices.Reverse(first.Demands)
		if got := reserve(t, l, first); !reflect.DeepEqual(got, []ledger.Reserved{want}) {
			t.Errorf("%s: %+v, want %+v", when, got, want)
		}
	}
	again(l, "again")
	c.add(24 * time.Hour)
	again(l, "when the budget has renewed")
	if got := left(t, l, "bob"); got != 10 {
		t.Errorf("bob has %v left in a new window, want 10", got)
	}
	l.Close()
	l = mustOpen(t, open, options)
	again(l, "after a restart")
	if got := reserve(t, l, shard("reviews", "1 of 2", 0.5, demand{"alice": 1}), shard("letters", "0 of 2", 0.5, demand{"alice": 2, "bob": 20})); got[0].Repeated || got[1].Repeated || got[1].Releases != 22 {
		t.Errorf("other shards: %+v, want them to be paid for", got)
	}
	for _, other := range []ledger.Shard{
		shard("reviews", "0 of 2", 1, demand{"alice": 12, "bob": 3, "carol": 1}),
		shard("reviews", "0 of 2", 0.5, demand{"alice": 13, "bob": 3, "carol": 1}),
		shard("reviews", "0 of 2", 0.5, demand{"alice": 12, "carol": 1}),
	} {
		if _, err := l.Reserve(t.Context(), other); !errors.Is(err, ledger.ErrConflict) {
			t.Errorf("a paid shard with other content: %v, want %v", err, ledger.ErrConflict)
		}
	}
	first.Demands[0].Check = key("other rows")
	if _, err := l.Reserve(t.Context(), first); !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("a paid shard with other rows: %v, want %v", err, ledger.ErrConflict)
	}
	testMark(t, l, first)
	if p := verify(t, l); p.Subjects != 3 || p.MAC != ledger.MACChecked || p.Spends != 10 {
		t.Errorf("the proof is %+v, want 3 subjects, a checked MAC and 10 spends, four of them marks", p)
	}
	jobLines(t, l)
}

// testMark: a shard without demands costs nothing, says for ever what its job is, and is
// found by who looks for it; what was paid under the name of another shard is found alike.
func testMark(t *testing.T, l *ledger.Ledger, paid ledger.Shard) {
	t.Helper()
	mark := shard("reviews", "files", 0.5, nil)
	mark.Whole = key("some files")
	for i := range 2 {
		if err := l.Affords(t.Context(), mark); err != nil {
			t.Errorf("a mark: %v", err)
		}
		if got := reserve(t, l, mark); got[0].Repeated != (i == 1) || got[0].Paid != 0 || got[0].Releases != 0 {
			t.Errorf("a mark was answered by %+v", got)
		}
	}
	other := mark
	other.Whole = key("other files")
	old := ledger.Shard{Job: paid.Job, Name: paid.Name, Guarantee: paid.Guarantee, Mechanism: paid.Mechanism, Whole: key("anything")}
	for name, s := range map[string]ledger.Shard{"other files": other, "a shard that others paid for": old} {
		if err := l.Affords(t.Context(), s); !errors.Is(err, ledger.ErrConflict) {
			t.Errorf("%s: %v, want %v", name, err, ledger.ErrConflict)
		}
	}
	if _, err := l.Reserve(t.Context(), other); !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("a mark for other files: %v, want %v", err, ledger.ErrConflict)
	}
}

// jobLines reads what an outsider sees of a job.
func jobLines(t *testing.T, l *ledger.Ledger) {
	t.Helper()
	var lines []byte
	if err := l.Entries(t.Context(), 1, func(e *ledger.Entry) error {
		line, err := json.Marshal(e)
		lines = append(append(lines, line...), '\n')
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"subject":"job reviews"`, `"mechanism":{"job":"reviews"}`,
		`"mechanism":{"releases":12,"each":{"epsilon":0.5,"mechanism":"codebook"}}`, `"nano_epsilon":6000000000`,
	} {
		if !bytes.Contains(lines, []byte(want)) {
			t.Errorf("the log does not say %s", want)
		}
	}
}

// What a shard may cost is bounded by windows, lifetimes and optimal composition
// as what a request costs is.
func testJobLimits(t *testing.T, open opener) {
	b := ledger.Budget{Unit: dp.Text, Epsilon: 4.78, Delta: 1e-6, Each: 0.1, Window: 24 * time.Hour, Lifetime: 12}
	c := newClock()
	l := mustOpen(t, open, ledger.Options{Budget: b, Clock: c.now})
	if _, err := l.Reserve(t.Context(), shard("a", "0", 0.2, demand{"alice": 1})); !errors.Is(err, ledger.ErrUnlike) {
		t.Errorf("releases at twice the price: %v, want %v", err, ledger.ErrUnlike)
	}
	got := reserve(t, l, shard("a", "1", 0.1, demand{"alice": 100, "bob": 101, "carol": 60}))[0]
	if got.Paid != 2 || !slices.Equal(got.LeftOut, []string{"bob"}) {
		t.Errorf("a hundred fit: %+v", got)
	}
	// Two shards of one call count together.
	two := reserve(t, l, shard("a", "2", 0.1, demand{"carol": 30}), shard("a", "3", 0.1, demand{"carol": 20}))
	if two[0].Paid != 1 || two[1].Paid != 0 {
		t.Errorf("30 and 20 of the 40 that are left: %+v, want the first alone", two)
	}
	c.add(24 * time.Hour)
	got = reserve(t, l, shard("b", "0", 0.1, demand{"alice": 21, "bob": 1, "carol": 30}))[0]
	if !slices.Equal(got.LeftOut, []string{"alice"}) {
		t.Errorf("121 in a lifetime of 120: %+v, want alice left out", got)
	}
	verify(t, l)
}

// A job that is refused has spent nothing, and what cannot be counted is refused.
func testJobRefused(t *testing.T, open opener) {
	l := mustOpen(t, open, ledger.Options{Budget: daily, Clock: newClock().now})
	shards := []ledger.Shard{shard("a", "0", 1, demand{"alice": 10}), shard("a", "1", 1, demand{"bob": 11, "carol": 2})}
	before := verify(t, l)
	_, err := l.ReserveAll(t.Context(), shards...)
	var over *ledger.Exhausted
	if !errors.As(err, &over) || !errors.Is(err, dp.ErrBudget) || !slices.Equal(over.Subjects, []string{"bob"}) || over.First.Asked.EpsilonValue() != 11 {
		t.Errorf("one of three is over: %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "bob") {
		t.Errorf("the error names a subject: %v", err)
	}
	if after := verify(t, l); after != before {
		t.Errorf("a refused job has changed the ledger: %+v, was %+v", after, before)
	}
	if r, err := l.ReserveAll(t.Context(), shards[0]); err != nil || r[0].Paid != 1 {
		t.Errorf("a job that fits: %+v, %v", r, err)
	}
	bad := map[string]ledger.Shard{
		"no demand":       shard("a", "2", 1, nil),
		"no release":      shard("a", "2", 1, demand{"alice": 0}),
		"less than none":  shard("a", "2", 1, demand{"alice": -1}),
		"more than any":   shard("a", "2", 1, demand{"alice": 1 << 62}),
		"no job":          shard("", "2", 1, demand{"alice": 1}),
		"no shard":        shard("a", "", 1, demand{"alice": 1}),
		"a line break":    shard("a\nb", "2", 1, demand{"alice": 1}),
		"a long name":     shard(strings.Repeat("a", 201), "2", 1, demand{"alice": 1}),
		"a nameless user": shard("a", "2", 1, demand{"": 1}),
		"no promise":      shard("a", "2", float64(dp.Infinite), demand{"alice": 1}),
	}
	twice := shard("a", "2", 1, demand{"alice": 1})
	twice.Demands = append(twice.Demands, twice.Demands[0])
	bad["a user twice"] = twice
	for name, s := range bad {
		if _, err := l.Reserve(t.Context(), s); err == nil {
			t.Errorf("%s: it was paid for", name)
		}
	}
	if _, err := l.Reserve(t.Context(), shards[0], shards[0]); err == nil {
		t.Error("a shard twice in one call was paid for")
	}
	word := shard("a", "2", 1, demand{"alice": 1})
	word.Guarantee.Unit = dp.Word
	if _, err := l.Reserve(t.Context(), word); !errors.Is(err, ledger.ErrUnit) {
		t.Errorf("another unit: %v, want %v", err, ledger.ErrUnit)
	}
	large := shard("a", "2", 1, demand{"alice": 1})
	large.Demands = slices.Repeat(large.Demands, ledger.MaxDemands+1)
	if _, err := l.Reserve(t.Context(), large); err == nil {
		t.Error("too many demands were paid for")
	}
	verify(t, l)
}

// Workers that ask for the same shards at the same time, beside a gateway that
// spends from the same users, all get the same answer, and nobody is overspent.
func testJobWorkers(t *testing.T, open opener) {
	l := mustOpen(t, open, ledger.Options{Budget: daily, Clock: newClock().now})
	var answers [4]sync.Map
	var charged atomic.Int64
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for i := range len(answers) {
				s := (i + worker) % len(answers)
				r, err := l.Reserve(context.Background(), shard("a", fmt.Sprint(s), 1, demand{"alice": 4, "bob": 2}))
				if err != nil {
					t.Error(err)
					return
				}
				if !r[0].Repeated {
					charged.Add(1)
				}
				answers[s].Store(fmt.Sprint(r[0].Paid, r[0].LeftOut), true)
			}
		})
		group.Go(func() {
			_, err := l.Spend(context.Background(), request("alice", fmt.Sprint(worker), 1))
			if err != nil && !errors.Is(err, dp.ErrBudget) {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if charged.Load() != int64(len(answers)) {
		t.Errorf("%d answers were first ones, want one for each of %d shards", charged.Load(), len(answers))
	}
	for s := range answers {
		var all []any
		answers[s].Range(func(k, _ any) bool { all = append(all, k); return true })
		if len(all) != 1 {
			t.Errorf("shard %d was answered in %d ways: %v", s, len(all), all)
		}
	}
	if got := left(t, l, "bob"); got != 2 {
		t.Errorf("bob has %v left, want 2", got)
	}
	verify(t, l)
}

// An archived job stays paid for, and for nothing else.
func TestArchivedJob(t *testing.T) {
	t.Parallel()
	c := newClock()
	dir := t.TempDir()
	path := filepath.Join(dir, "ledger.db")
	options := ledger.Options{Budget: daily, Clock: c.now}
	l, err := ledger.OpenFile(path, options)
	if err != nil {
		t.Fatal(err)
	}
	s := shard("a", "0", 1, demand{"alice": 4, "bob": 11})
	reserve(t, l, s)
	c.add(48 * time.Hour)
	if _, err = l.Spend(t.Context(), request("carol", "later", 1)); err != nil {
		t.Fatal(err)
	}
	l.Close()
	if _, err = ledger.Archive(t.Context(), path, ledger.Archiving{Before: c.now().Add(-time.Hour), Out: filepath.Join(dir, "old.db"), Clock: c.now}); err != nil {
		t.Fatal(err)
	}
	if l, err = ledger.OpenFile(path, options); err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if r := reserve(t, l, s)[0]; !r.Repeated || r.Paid != 1 || !slices.Equal(r.LeftOut, []string{"bob"}) {
		t.Errorf("an archived shard is answered by %+v", r)
	}
	verify(t, l)
}

// TestKillJob kills a process that pays for shards and then notes what it
// releases, again and again, and lets the next go on with the same job. Nothing
// may be released unpaid, and nothing paid twice.
func TestKillJob(t *testing.T) {
	t.Parallel()
	const shards, rounds = 150, 4
	if dir := os.Getenv("SOTTO_LEDGER_JOB"); dir != "" {
		runJob(dir, shards)
		return
	}
	dir, r := t.TempDir(), weakrand.New(weakrand.NewPCG(3, 4))
	for round := range rounds {
		child := exec.Command(os.Args[0], "-test.run", "^TestKillJob$")
		child.Env = append(os.Environ(), "SOTTO_LEDGER_JOB="+dir)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		if round == rounds-1 { // which ends the job
			if err := child.Wait(); err != nil {
				t.Fatal(err)
			}
			break
		}
		awaitRelease(t, dir, child)
		time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
		child.Process.Kill() //nolint:errcheck // it may have ended
		child.Wait()         //nolint:errcheck // it was killed
	}
	l, err := ledger.OpenFile(filepath.Join(dir, "ledger.db"), ledger.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if p := verify(t, l); p.Spends != 3*shards {
		t.Errorf("%d spends, want a mark and two users for each of %d shards", p.Spends, shards)
	}
	b, err := l.Balance(t.Context(), "alice")
	if err != nil || b.Spent.EpsilonValue() != 2*shards {
		t.Errorf("alice has spent %v, %v; want %d", b.Spent, err, 2*shards)
	}
	released, err := os.ReadFile(filepath.Join(dir, "releases"))
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]bool{}
	for name := range strings.FieldsSeq(string(released)) {
		done[name] = true
	}
	if len(done) != shards {
		t.Errorf("%d shards were released, want %d", len(done), shards)
	}
}

// runJob pays for the shards of a job, each before it is released.
func runJob(dir string, shards int) {
	l, err := ledger.OpenFile(filepath.Join(dir, "ledger.db"), ledger.Options{Budget: ledger.Budget{Unit: dp.Text, Epsilon: 1e6}})
	if err != nil {
		panic(err)
	}
	out, err := os.OpenFile(filepath.Join(dir, "releases"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	for i := range shards {
		if _, err := l.Reserve(context.Background(), shard("a", fmt.Sprint(i), 1, demand{"alice": 2, "bob": 1})); err != nil {
			panic(err)
		}
		fmt.Fprintln(out, i) //nolint:errcheck // the parent counts what is there
	}
	if err := l.Close(); err != nil {
		panic(err)
	}
}
