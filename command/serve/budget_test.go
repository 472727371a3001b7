package serve_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sotto/command"
	"sotto/command/serve"
	"sotto/command/term"
	"sotto/promise/dp"
	"sotto/service/ledger"
)

// budgetCommand runs "sotto budget" and returns its exit code and output.
func budgetCommand(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	c := serve.NewBudget(term.Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetOut(&out)
	c.SetErr(&errs)
	c.SetArgs(args)
	switch err := c.ExecuteContext(t.Context()); {
	case err == nil:
		return command.ExitDone, out.String(), errs.String()
	case errors.Is(err, term.ErrNo):
		return command.ExitNo, out.String(), errs.String()
	default:
		return command.ExitUse, out.String(), err.Error()
	}
}

// spentLedger makes a ledger with three spends of two users and returns its path.
func spentLedger(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l, err := ledger.OpenFile(path, ledger.Options{Budget: ledger.Budget{Unit: dp.Text, Epsilon: 10, Window: 24 * time.Hour}, SecretID: "0123abcd"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, s := range []struct{ who, what string }{{"alice", "a"}, {"alice", "b"}, {"bob", "a"}} {
		if _, err := l.Spend(context.Background(), ledger.Request{
			Subject: s.who, Key: sha256.Sum256([]byte(s.what)), Mechanism: map[string]any{"mechanism": "laplace-l1"},
			Guarantee: dp.Guarantee{Unit: dp.Text, Epsilon: 2},
		}); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestBudgetShow(t *testing.T) {
	path := spentLedger(t)
	code, out, errs := budgetCommand(t, "show", "--ledger", path)
	for _, want := range []string{"ε = 10 (text-level) every 24h0m0s; it renews at ", "alice  ε = 4  ε = 0    ε = 6", "bob    ε = 2"} {
		if code != command.ExitDone || !strings.Contains(out, want) {
			t.Errorf("exit code %d, the output lacks %q:\n%s%s", code, want, out, errs)
		}
	}
	code, out, errs = budgetCommand(t, "show", "--ledger", path, "--user", "carol", "--json")
	var got struct {
		Unit   string
		Budget struct{ Epsilon float64 }
		Users  []struct {
			User string
			Left struct{ Epsilon float64 }
		}
	}
	if err := json.Unmarshal([]byte(out), &got); code != command.ExitDone || err != nil {
		t.Fatalf("exit code %d, %v: %s%s", code, err, out, errs)
	}
	if got.Unit != "text" || got.Budget.Epsilon != 10 || len(got.Users) != 1 || got.Users[0].User != "carol" || got.Users[0].Left.Epsilon != 10 {
		t.Errorf("got %+v, want carol with all of ε = 10 left", got)
	}
}

// TestBudgetLifetime: what earlier windows cost is shown beside this one's, and
// limits and compositions are named.
func TestBudgetLifetime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	now := time.Now().Add(-48 * time.Hour)
	l, err := ledger.OpenFile(path, ledger.Options{
		Budget: ledger.Budget{Unit: dp.Text, Epsilon: 4.78, Delta: 1e-6, Window: 24 * time.Hour, Lifetime: 100, Each: 0.1},
		Clock:  func() time.Time { return now },
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if i == 2 {
			now = time.Now()
		}
		if _, err := l.Spend(t.Context(), ledger.Request{
			Subject: "alice", Key: sha256.Sum256([]byte{byte(i)}), Mechanism: "codebook", Guarantee: dp.Guarantee{Unit: dp.Text, Epsilon: 0.1},
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_, out, errs := budgetCommand(t, "show", "--ledger", path, "--json")
	var got struct {
		Limit float64 `json:"lifetime_limit"`
		Each  float64
		Users []struct {
			Spent, Lifetime struct{ Epsilon float64 }
			Together        dp.Guarantee
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Users) != 1 {
		t.Fatalf("%v: %s%s", err, out, errs)
	}
	u := got.Users[0]
	if got.Limit != 100 || got.Each != 0.1 || u.Spent.Epsilon != 0.1 || u.Lifetime.Epsilon != 0.3 || math.Abs(float64(u.Together.Epsilon)-0.1) > 1e-12 {
		t.Errorf("got %+v, want 0.1 in this window and 0.3 of 100 in all", got)
	}
	_, out, _ = budgetCommand(t, "show", "--ledger", path)
	for _, want := range []string{"LIFETIME", "ε = 0.3", "all windows together may cost ε = 100", "optimal composition"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	if _, out, _ = budgetCommand(t, "show", "--ledger", spentLedger(t)); !strings.Contains(out, "k windows allow k times as much") {
		t.Errorf("without a limit the output does not say so:\n%s", out)
	}
}

func TestBudgetGrant(t *testing.T) {
	path := spentLedger(t)
	code, out, errs := budgetCommand(t, "grant", "--ledger", path, "--user", "alice", "--epsilon", "5", "--reason", "ticket 12")
	if want := "alice was granted ε = 5 in this window and has ε = 11 left\n"; code != command.ExitDone || out != want {
		t.Errorf("exit code %d, got %q, want %q; %s", code, out, want, errs)
	}
	_, out, _ = budgetCommand(t, "export", "--ledger", path)
	if !strings.Contains(out, `"kind":"grant","subject":"alice"`) || !strings.Contains(out, "ticket 12") {
		t.Errorf("the log lacks the grant:\n%s", out)
	}
	if code, _, errs = budgetCommand(t, "grant", "--ledger", path, "--user", "bob", "--epsilon", "1", "--who", "Ada, on call", "--reason", "ticket 13"); code != command.ExitDone {
		t.Fatal(errs)
	}
	var all []struct {
		User, Who, Reason string
		Granted           struct{ Epsilon float64 }
	}
	_, out, _ = budgetCommand(t, "grants", "--ledger", path, "--json")
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all) != 2 || all[0].Who == "" || all[0].Reason != "ticket 12" || all[0].Granted.Epsilon != 5 || all[1].Who != "Ada, on call" {
		t.Errorf("grants are %s (%v), want both with who gave them and why", out, err)
	}
	if _, out, _ = budgetCommand(t, "grants", "--ledger", path, "--user", "bob"); !strings.Contains(out, "Ada, on call") || strings.Contains(out, "alice") {
		t.Errorf("the grants of bob are\n%s", out)
	}
	if code, out, errs = budgetCommand(t, "verify", "--ledger", path); code != command.ExitDone {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
}

func TestBudgetVerify(t *testing.T) {
	path := spentLedger(t)
	older, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	code, _, errs := budgetCommand(t, "grant", "--ledger", path, "--user", "alice", "--epsilon", "1", "--reason", "asked")
	if code != command.ExitDone {
		t.Fatal(errs)
	}
	code, out, errs := budgetCommand(t, "verify", "--ledger", path, "--json")
	var v struct {
		Whole           bool
		Entries, Spends int
		Head            string
	}
	if err = json.Unmarshal([]byte(out), &v); err != nil || code != command.ExitDone || !v.Whole || v.Entries != 6 || v.Spends != 3 {
		t.Fatalf("exit code %d, %v: %s%s; want 6 entries and 3 spends", code, err, out, errs)
	}
	code, out, _ = budgetCommand(t, "verify", "--ledger", path, "--head", v.Head)
	if code != command.ExitDone || !strings.HasPrefix(out, "whole: 6 entries, 3 spends of 2 users") || !strings.Contains(out, "head "+v.Head) {
		t.Errorf("exit code %d: %s", code, out)
	}
	if err = os.WriteFile(path, older, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ = budgetCommand(t, "verify", "--ledger", path, "--head", "none"); code != command.ExitDone {
		t.Errorf("an older copy without a noted head: exit code %d: %s", code, out)
	}
	for _, head := range [][]string{nil, {"--head", path + ".head"}} {
		if code, out, _ = budgetCommand(t, append([]string{"verify", "--ledger", path}, head...)...); code != command.ExitNo || !strings.Contains(out, "ends at entry 5") {
			t.Errorf("an older copy with the head beside it: exit code %d: %s; want 1", code, out)
		}
	}
	code, out, _ = budgetCommand(t, "verify", "--ledger", path, "--head", v.Head)
	if code != command.ExitNo || !strings.HasPrefix(out, "DAMAGED: ") {
		t.Errorf("an older copy with the noted head: exit code %d: %s; want 1", code, out)
	}
	damaged := bytes.Clone(older)
	damaged[len(damaged)-70] ^= 1 // in the last entry
	if err = os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, _ = budgetCommand(t, "verify", "--ledger", path, "--json")
	if code != command.ExitNo || !strings.Contains(out, `"whole": false`) || !strings.Contains(out, "damaged") {
		t.Errorf("a changed entry: exit code %d: %s; want 1", code, out)
	}
}

func TestBudgetExport(t *testing.T) {
	path := spentLedger(t)
	to := filepath.Join(t.TempDir(), "log.jsonl")
	if code, out, errs := budgetCommand(t, "export", "--ledger", path, "--out", to); code != command.ExitDone || out != "" {
		t.Fatalf("exit code %d: %s%s", code, out, errs)
	}
	content, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(content), "\n"), "\n")
	var prev ledger.Digest
	for i, line := range lines {
		e, err := ledger.ParseEntry([]byte(strings.TrimSuffix(line, "\n")))
		if err != nil || e.Prev != prev || e.Seq != uint64(i+1) {
			t.Fatalf("line %d: %+v, %v; want it to follow %v", i+1, e, err, prev)
		}
		prev = e.Hash
	}
	if len(lines) != 5 {
		t.Errorf("%d lines, want 5: budget, secret and three spends", len(lines))
	}
	if code, out, _ := budgetCommand(t, "export", "--ledger", path, "--from", "5"); code != command.ExitDone || out != lines[4]+"\n" {
		t.Errorf("exit code %d, from 5: %s, want %s", code, out, lines[4])
	}
}

func TestBudgetWrongUse(t *testing.T) {
	t.Parallel()
	path := spentLedger(t)
	absent := filepath.Join(t.TempDir(), "absent.db")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"show"}, "want --ledger"},
		{[]string{"show", "--ledger", absent}, "no such file"},
		{[]string{"grant", "--ledger", absent, "--user", "alice", "--epsilon", "1", "--reason", "asked"}, "no such file"},
		{[]string{"grant", "--ledger", path, "--epsilon", "1"}, "want --user"},
		{[]string{"grant", "--ledger", path, "--user", "alice", "--epsilon", "1"}, "want --reason"},
		{[]string{"grant", "--ledger", path, "--user", "alice", "--reason", "asked"}, "must be positive"},
		{[]string{"grant", "--ledger", path, "--user", "alice", "--epsilon", "NaN", "--reason", "asked"}, "must be positive"},
		{[]string{"verify", "--ledger", path, "--head", "12"}, "--head is no hash"},
		{[]string{"export", "--ledger", path, "--out", path}, "are the same file"},
		{[]string{"verify", "--ledger", "postgres://user:hunter2@[bad"}, "address of the database cannot be read"},
		{[]string{"show", "--ledger", path, "--user", "a\x00b"}, "control character"},
	} {
		code, out, errs := budgetCommand(t, tt.args...)
		if code != command.ExitUse || out != "" || !strings.Contains(errs, tt.want) || strings.Contains(errs, "hunter2") {
			t.Errorf("sotto budget %q: exit code %d, %q, %q; want 2 and %q", tt.args, code, out, errs, tt.want)
		}
	}
	if _, err := os.Stat(absent); err == nil {
		t.Error("a ledger was made that nobody asked for")
	}
	l, err := ledger.OpenFile(path, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if code, _, errs := budgetCommand(t, "grant", "--ledger", path, "--user", "alice", "--epsilon", "1", "--reason", "asked"); code != command.ExitUse || !strings.Contains(errs, "must be stopped first") {
		t.Errorf("granting from a ledger that is open: exit code %d, %q; want 2 and what to do", code, errs)
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	for _, args := range [][]string{{"show"}, {"verify"}, {"export"}, {"grants"}, {"backup", "--out", copied}} {
		if code, _, errs := budgetCommand(t, append(args, "--ledger", path)...); code != command.ExitDone {
			t.Errorf("%s of a ledger that is open: exit code %d, %q; want 0", args[0], code, errs)
		}
	}
	if code, out, errs := budgetCommand(t, "verify", "--ledger", copied); code != command.ExitDone {
		t.Errorf("the copy: exit code %d, %s%s", code, out, errs)
	}
}

// TestBudgetArchive: what is archived is proved with the ledger, and named by it.
func TestBudgetArchive(t *testing.T) {
	path := spentLedger(t)
	out := filepath.Join(t.TempDir(), "old.db")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--out", out}, "want --before"},
		{[]string{"--before", "soon", "--out", out}, "must be like 2026-01-31"},
		{[]string{"--before", "2200-01-01", "--out", path}, "are the same file"},
		{[]string{"--before", "1990-01-01", "--out", out}, "nothing in it is older"},
	} {
		if code, _, errs := budgetCommand(t, append([]string{"archive", "--ledger", path}, tt.args...)...); code != command.ExitUse || !strings.Contains(errs, tt.want) {
			t.Errorf("%q: exit code %d, %q; want 2 and %q", tt.args, code, errs, tt.want)
		}
	}
	code, text, errs := budgetCommand(t, "archive", "--ledger", path, "--before", "2190-01-01", "--out", out)
	if code != command.ExitDone || !strings.Contains(text, "entries 1 to 5 are in archives") {
		t.Fatalf("exit code %d: %s%s", code, text, errs)
	}
	if code, text, errs = budgetCommand(t, "verify", "--ledger", path); code != command.ExitDone || !strings.Contains(text, "the first 5 entries are in archives, which were not read") {
		t.Errorf("exit code %d: %s%s", code, text, errs)
	}
	if code, text, errs = budgetCommand(t, "verify", "--ledger", path, "--archive", out); code != command.ExitDone || strings.Contains(text, "archives") || !strings.HasPrefix(text, "whole: 6 entries, 3 spends") {
		t.Errorf("exit code %d: %s%s", code, text, errs)
	}
	if _, text, _ = budgetCommand(t, "show", "--ledger", path); !strings.Contains(text, "alice  ε = 4  ε = 0    ε = 6") {
		t.Errorf("after the archive:\n%s", text)
	}
	if code, text, _ = budgetCommand(t, "verify", "--ledger", path, "--archive", path); code != command.ExitNo || !strings.Contains(text, "no archive") {
		t.Errorf("a ledger as its own archive: exit code %d: %s", code, text)
	}
}
