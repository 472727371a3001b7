package serve_test

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sotto/command"
	"sotto/service/ledger"
)

// A ledger is begun once, and its head is noted.
func TestBudgetInit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ledger.db")
	head := filepath.Join(t.TempDir(), "head")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"--budget", "-1"}, "budget's ε is -1"},
		{[]string{"--unit", "person"}, "must be text, word or metric"},
		{[]string{"--window", "1ms"}, "the window is 1ms"},
	} {
		if code, _, errs := budgetCommand(t, append([]string{"init", "--ledger", path}, tt.args...)...); code != command.ExitUse || !strings.Contains(errs, tt.want) {
			t.Errorf("init %q: exit code %d, %q; want 2 and %q", tt.args, code, errs, tt.want)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a ledger was made of a wrong command")
	}
	code, out, errs := budgetCommand(t, "init", "--ledger", path, "--head", head, "--budget", "40", "--window", "1h", "--lifetime", "60")
	if code != command.ExitDone || !strings.Contains(out, "each user may spend ε = 40") {
		t.Fatalf("exit code %d: %s%s", code, out, errs)
	}
	if code, _, errs = budgetCommand(t, "init", "--ledger", path, "--head", head); code != command.ExitUse || !strings.Contains(errs, "there is a ledger already") {
		t.Errorf("a second time: exit code %d, %q; want 2", code, errs)
	}
	_, out, _ = budgetCommand(t, "show", "--ledger", path, "--head", head, "--json")
	var shown struct {
		Budget struct{ Epsilon float64 }
		Window string
		Limit  float64 `json:"lifetime_limit"`
		Around float64 `json:"around_renewal"`
	}
	if err := json.Unmarshal([]byte(out), &shown); err != nil || shown.Budget.Epsilon != 40 || shown.Window != "1h0m0s" || shown.Limit != 60 || shown.Around != 60 {
		t.Errorf("the ledger is %+v, %v", shown, err)
	}
	if _, out, _ = budgetCommand(t, "show", "--ledger", spentLedger(t)); !strings.Contains(out, "the two that meet there allow ε = 20 at once") {
		t.Errorf("it does not say what two windows allow: %s", out)
	}
	if h, err := ledger.HeadFile(head).Head(t.Context()); err != nil || h.Seq != 1 {
		t.Errorf("the head is %+v, %v; want the first entry", h, err)
	}
}

// A ledger that went back is named by every command, and taken on a word.
func TestBudgetHead(t *testing.T) {
	path := spentLedger(t)
	older, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if code, out, _ := budgetCommand(t, "head", "--ledger", path); code != command.ExitDone || !strings.Contains(out, "the ledger goes on from there") || !strings.Contains(out, "entry 5 of") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if code, _, errs := budgetCommand(t, "grant", "--ledger", path, "--user", "alice", "--epsilon", "1", "--reason", "asked"); code != command.ExitDone {
		t.Fatal(errs)
	}
	if err := os.WriteFile(path, older, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"show"}, {"grants"}, {"export"}, {"grant", "--user", "alice", "--epsilon", "1", "--reason", "asked"},
	} {
		if code, _, errs := budgetCommand(t, append(args, "--ledger", path)...); code != command.ExitUse || !strings.Contains(errs, "ends at entry 5") || !strings.Contains(errs, "sotto budget head --accept") {
			t.Errorf("%q: exit code %d, %q; want 2, what is wrong and what to do", args, code, errs)
		}
	}
	if code, out, _ := budgetCommand(t, "head", "--ledger", path); code != command.ExitNo || !strings.Contains(out, "BEHIND: ") || !strings.Contains(out, "entry 6 of") {
		t.Errorf("exit code %d: %s; want 1", code, out)
	}
	if code, _, errs := budgetCommand(t, "head", "--ledger", path, "--accept"); code != command.ExitUse || !strings.Contains(errs, "want --reason") {
		t.Errorf("without a reason: exit code %d, %q; want 2", code, errs)
	}
	if code, out, errs := budgetCommand(t, "head", "--ledger", path, "--accept", "--who", "Ada", "--reason", "restored", "--json"); code != command.ExitDone || !strings.Contains(out, `"was_seq": 6`) || !strings.Contains(out, `"who": "Ada"`) {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
	if code, _, errs := budgetCommand(t, "show", "--ledger", path); code != command.ExitDone {
		t.Errorf("after it was accepted: %s", errs)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init"}, {"head", "--accept", "--reason", "lost"}} {
		if code, _, errs := budgetCommand(t, append(args, "--ledger", path)...); code != command.ExitUse || !strings.Contains(errs, "take that head away") {
			t.Errorf("%q of a ledger that is lost: exit code %d, %q; want 2 and what to do", args, code, errs)
		}
	}
}

// A clock that was set is named, and taken on a word.
func TestBudgetClock(t *testing.T) {
	path := spentLedger(t)
	if code, out, _ := budgetCommand(t, "clock", "--ledger", path); code != command.ExitDone || !strings.Contains(out, "the clock can be right") {
		t.Errorf("exit code %d: %s", code, out)
	}
	head := ledger.HeadFile(path + ".head")
	h, err := head.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h.Right.Wall = h.Right.Wall.Add(-25 * time.Hour) // so that it seems to have leapt since
	if err = head.SetHead(t.Context(), *h); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := budgetCommand(t, "clock", "--ledger", path); code != command.ExitNo || !strings.Contains(out, "jumped forward by 25h") {
		t.Errorf("exit code %d: %s; want 1", code, out)
	}
	grant := []string{"grant", "--ledger", path, "--user", "alice", "--epsilon", "1", "--reason", "asked"}
	if code, _, errs := budgetCommand(t, grant...); code != command.ExitUse || !strings.Contains(errs, "sotto budget clock --accept") {
		t.Errorf("a grant: exit code %d, %q; want 2 and what to do", code, errs)
	}
	if code, out, errs := budgetCommand(t, "clock", "--ledger", path, "--accept", "--reason", "it was wrong before", "--json"); code != command.ExitDone || !strings.Contains(out, "it was wrong before") {
		t.Errorf("exit code %d: %s%s", code, out, errs)
	}
	if code, _, errs := budgetCommand(t, grant...); code != command.ExitDone {
		t.Errorf("a grant, after it was accepted: %s", errs)
	}
	for _, args := range [][]string{{"--max-clock-jump", "0s"}, {"--max-away", "1m"}} {
		if code, _, errs := budgetCommand(t, append([]string{"clock", "--ledger", path}, args...)...); code != command.ExitUse || !strings.Contains(errs, "must be at least a second") {
			t.Errorf("%q: exit code %d, %q; want 2", args, code, errs)
		}
	}
}

// A gateway says what it refuses, and by which word it would not.
func TestGatewayLedger(t *testing.T) {
	places := gatewayPlaces(t)
	_, stop := startGateway(t, append(places, "--budget", "40")...)
	if logs := stop(); !strings.Contains(logs, "a new ledger was made") || !strings.Contains(logs, `"msg":"ledger head"`) {
		t.Errorf("the log has no new ledger, or no head: %s", logs)
	}
	run := func(args ...string) string {
		err := gatewayCommand(t.Context(), io.Discard, io.Discard, append(append(places, "--listen", "127.0.0.1:0"), args...)...)
		if err == nil {
			return ""
		}
		return err.Error()
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{nil, "raised from ε = 40 to ε = 80; say --raise-budget"},
		{[]string{"--budget", "40", "--window", "1h"}, "shortened from 24h0m0s to 1h0m0s; say --raise-budget"},
		{[]string{"--budget", "40", "--max-clock-jump", "0s"}, "--max-clock-jump is 0s"},
		{[]string{"--budget", "40", "--ledger-timeout", "0s"}, "--ledger-timeout is 0s"},
	} {
		if got := run(tt.args...); !strings.Contains(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.args, got, tt.want)
		}
	}
	_, stop = startGateway(t, append(places, "--budget", "60", "--raise-budget")...)
	stop()
	_, stop = startGateway(t, append(places, "--budget", "50", "--window", "48h")...) // less needs no word
	stop()

	head := ledger.HeadFile(places[1] + ".head")
	h, err := head.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	jumped := *h
	jumped.Right = ledger.Moment{Wall: h.Right.Wall.Add(48 * time.Hour), Boot: h.Right.Boot, Since: h.Right.Since}
	if err = head.SetHead(t.Context(), jumped); err != nil {
		t.Fatal(err)
	}
	if got := run("--budget", "50", "--window", "48h"); !strings.Contains(got, "jumped back by 48h") || !strings.Contains(got, "sotto budget clock --accept") {
		t.Errorf("a clock that was set back: %q", got)
	}
	if err = head.SetHead(t.Context(), *h); err != nil {
		t.Fatal(err)
	}
	if err = os.Remove(places[1]); err != nil {
		t.Fatal(err)
	}
	if got := run("--budget", "50", "--window", "48h"); !strings.Contains(got, "missing or empty") {
		t.Errorf("a ledger that was deleted: %q", got)
	}
}
