package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/command/term"
	"sotto/internal/layout"
	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/service/ledger"
)

// onTerminal runs a command for somebody who looks at so many columns.
func onTerminal(t *testing.T, columns int, coloured bool, args ...string) (code int, out, errs string) {
	t.Helper()
	var seen, said bytes.Buffer
	code = command.Run(t.Context(), args, term.Streams{In: strings.NewReader(""), Out: term.NewTerminal(&seen, columns, coloured), Err: &said}, studies()...)
	return code, seen.String(), said.String()
}

// shownFiles makes what the commands of TestWidths look at.
func shownFiles(t *testing.T) (model, predictions, book, words string) {
	t.Helper()
	dir := t.TempDir()
	model, predictions = filepath.Join(dir, "model"), filepath.Join(dir, "predictions.csv")
	if code, _, errs := program.Sotto(t, "", strings.Fields("train --method noise,federate --epsilon 4 --limit 200 --out "+model+clitest.Quickly)...); code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	clitest.Write(t, predictions, "label,prediction,group\n"+strings.Repeat("0,0,a\n1,0,b\n1,1,a\n0,1,b\n1,1,b\n", 8))
	book = filepath.Join(dir, "ledger.db")
	l, err := ledger.OpenFile(book, ledger.Options{Budget: ledger.Budget{Unit: dp.Text, Epsilon: 10, Window: 24 * time.Hour}, SecretID: "0123abcd"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := l.Spend(context.Background(), ledger.Request{
		Subject: "somebody-with-a-rather-long-name@example.org", Key: sha256.Sum256([]byte("a")), Mechanism: map[string]any{"mechanism": "laplace-l1"},
		Guarantee: dp.Guarantee{Unit: dp.Text, Epsilon: 2.0000000001},
	}); err != nil {
		t.Fatal(err)
	}
	words = filepath.Join(dir, "words.txt")
	var b strings.Builder
	for i, w := range strings.Fields("engineer driver soldier nurse aide teacher he him his she her hers") {
		fmt.Fprintf(&b, "%s %d %d 0.1\n", w, i%5, i/3%2)
	}
	clitest.Write(t, words, b.String())
	clitest.Write(t, filepath.Join(dir, "tests.json"), `[{"name": "work in words that are many", "X": ["engineer", "driver", "soldier"], "Y": ["nurse", "aide", "teacher"], "A": ["he", "him", "his"], "B": ["she", "her", "hers"]}]`)
	clitest.Write(t, filepath.Join(dir, "policy.json"), `{"rules": [{"match": {"kind": "training"}, "epsilon": {"max": 1, "unit": "text", "delta_max": 0}}]}`)
	return model, predictions, book, words
}

// No line that a command prints is longer than the terminal is wide, but for commands
// that people will copy. The narrowest is where lines are broken; wider ones are for
// the long run.
func TestWidths(t *testing.T) {
	if testing.Short() {
		t.Skip("trains models and attacks them")
	}
	model, predictions, book, words := shownFiles(t)
	dir := filepath.Dir(model)
	for _, args := range []string{
		"train --method noise,plain,label --epsilon 4 --limit 100" + clitest.Quickly,
		"evaluate " + model,
		"attack --mdl none --model " + model,
		"attack membership laplace-l1 --epsilon 4 --data reviews --rows 120 --encoder hash:16",
		"epsilon dpnr --variant released --epsilon 1",
		"epsilon --table",
		"audit laplace-l1 --dim 3 --epsilon 1 --draws 500",
		"compose --epsilon 0.1 --times 100 --delta 1e-6",
		"shuffle --epsilon 1 --users 10000 --delta 1e-6",
		"bias weat --vectors " + words + " --words " + filepath.Join(dir, "tests.json"),
		"bias weat --table --measure all --statistic all --vectors " + words + " --words " + filepath.Join(dir, "tests.json"),
		"data list",
		"data verify reviews",
		"data inspect ../../data/dataset/messages.csv",
		"plan --limit 100 --encoder hash:32",
		"encoder list",
		"reproduce list",
		"measure fairness --resamples 100 --predictions " + predictions,
		"budget show --ledger " + book,
		"gate --policy " + filepath.Join(dir, "policy.json") + " " + model,
	} {
		narrow := ""
		for _, columns := range []int{80, 100, 200}[:dptest.Count(t, 1, 3)] {
			code, out, errs := onTerminal(t, columns, true, strings.Fields(args)...)
			if code == command.ExitUse || code == command.ExitInternal || out == "" {
				t.Errorf("sotto %s at %d columns: exit code %d, %s", args, columns, code, errs)
				break
			}
			for line := range strings.SplitSeq(out, "\n") {
				if n := layout.Width(line); n > columns && !strings.HasPrefix(line, "  sotto ") {
					t.Errorf("sotto %s at %d columns has a line of %d:\n%s", args, columns, n, line)
				}
			}
			if columns == 80 {
				narrow = out
			}
		}
		if t.Failed() {
			t.Logf("sotto %s:\n%s", args, narrow)
		}
	}
}

func TestWide(t *testing.T) {
	_, piped, _ := program.Sotto(t, "", "data", "list")
	if _, wide, _ := onTerminal(t, 80, false, "data", "list", "--wide"); wide != piped {
		t.Errorf("--wide prints\n%s\nwant what a pipe has", wide)
	}
	_, narrow, _ := onTerminal(t, 80, false, "data", "list")
	if strings.Contains(narrow, "LICENCE  ") || !strings.Contains(narrow, "(no room for") || !strings.Contains(narrow, "LICENCE") {
		t.Errorf("80 columns have\n%s\nwant no licences, and to be told so", narrow)
	}
}

// Verdicts have a colour where the terminal has any, and never in a pipe.
func TestVerdictColours(t *testing.T) {
	args := []string{"epsilon", "dpnr", "--variant", "released", "--epsilon", "1"}
	const red = "\x1b[1;31m"
	for _, tt := range []struct {
		name  string
		run   func() string
		wants bool
	}{
		{"a terminal", func() string { _, out, _ := onTerminal(t, 80, true, args...); return out }, true},
		{"a terminal without colours", func() string { _, out, _ := onTerminal(t, 80, false, args...); return out }, false},
		{"never", func() string { _, out, _ := onTerminal(t, 80, true, append(args, "--color", "never")...); return out }, false},
		{"a pipe", func() string { _, out, _ := program.Sotto(t, "", args...); return out }, false},
		{"a pipe that wants them", func() string { _, out, _ := program.Sotto(t, "", append(args, "--color=always")...); return out }, true},
	} {
		if out := tt.run(); strings.Contains(out, red) != tt.wants {
			t.Errorf("%s: %q, want red %v", tt.name, out, tt.wants)
		}
	}
	if code, _, errs := program.Sotto(t, "", append(args, "--color", "maybe")...); code != command.ExitUse || !strings.Contains(errs, "must be auto, always or never") {
		t.Errorf("--color maybe: exit code %d, %q", code, errs)
	}
}
