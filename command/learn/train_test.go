package learn_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/command/term"
)

func TestTrainForScripts(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	code, out, errs := clitest.Sotto(t, "", strings.Fields("train --data reviews --method federate --epsilon 4 --seeds 2 --limit 1000 --json --out "+dir+clitest.Quickly)...)
	if code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	var got struct {
		Method string
		Seeds  []map[string]any
		Mean   map[string]any
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	if got.Method != "federate" || len(got.Seeds) != 2 {
		t.Errorf("method %q with %d seeds, want federate with 2", got.Method, len(got.Seeds))
	}
	for _, s := range append(got.Seeds, got.Mean) {
		for _, key := range []string{"accuracy", "claimed", "true", "gap", "leakage", "limit", "seconds"} {
			if _, ok := s[key].(float64); !ok {
				t.Errorf("%s is %v, want a number", key, s[key])
			}
		}
	}
	if !strings.Contains(errs, "loss") || !strings.Contains(errs, "accuracy") {
		t.Errorf("standard error tells nothing of the training: %s", errs)
	}
	code, out, errs = clitest.Sotto(t, "", "evaluate", dir, "--json")
	var again struct{ Mean map[string]any }
	if err := json.Unmarshal([]byte(out), &again); code != command.ExitDone || err != nil {
		t.Fatalf("evaluate: exit code %d, %v: %s", code, err, errs)
	}
	for _, key := range []string{"accuracy", "true", "gap", "leakage", "limit"} {
		if again.Mean[key] != got.Mean[key] {
			t.Errorf("evaluate: %s is %v, train said %v", key, again.Mean[key], got.Mean[key])
		}
	}
	file := filepath.Join(dir, "evaluation.json")
	if err := os.WriteFile(file, []byte(out), 0o666); err != nil {
		t.Fatal(err)
	}
	code, out, errs = clitest.Sotto(t, "", "report", file, "--format", "md", "--out", "-")
	if code != command.ExitDone || !strings.Contains(out, "## Accuracy against ε") || !strings.Contains(out, "federate") {
		t.Errorf("report of an evaluation: exit code %d: %s%s", code, out, errs)
	}
}

func TestTrainForPeople(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	code, out, errs := clitest.Sotto(t, "", strings.Fields("train --method majority,federate --variant released --epsilon 4 --lambda 0.5,1 --limit 500 --out "+dir+clitest.Quickly)...)
	if code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, want := range []string{
		"CLAIMED ε", "TRUE ε", "LIMIT %", "majority", "federate laplace-l1 released λ=0.5 D=16", "16 ", // 4·√16
		"federate laplace-l1 paper λ=1 D=16", "* selected", "the claim is false", "are not covered", "protects nobody", dir,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}
	code, out, errs = clitest.Sotto(t, "", "evaluate", dir)
	for _, want := range []string{"95 % INTERVAL", "mean", "true ε 16"} {
		if code != command.ExitDone || !strings.Contains(out, want) {
			t.Errorf("evaluate: exit code %d, output lacks %q: %s%s", code, want, out, errs)
		}
	}
}

func TestTrainRefuses(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"train", "no method"},
		{"train --method magic", "federate"},
		{"train --method noise", "needs an epsilon"},
		{"train --method noise --epsilon 0", "epsilon is 0"},
		{"train --method noise --epsilon -1", "epsilon"},
		{"train --method noise --epsilon NaN", "epsilon"},
		{"train --method unconstrained --lambda 1", "lambda has no meaning"},
		{"train --method unconstrained --data nowhere", "nowhere"},
		{"train --method unconstrained --encoder nothing", "nothing"},
		{"train --method unconstrained --attribute shoes", "shoes"},
		{"train --method adversarial --attribute none --epochs 1", "attribute"},
		{"train --method unconstrained --hidden 100000", "100000"},
		{"train --method unconstrained --workers -1", "workers"},
		{"train --method majority --resume", "resume"},
		{"train surplus --method majority", "surplus"},
		{"evaluate", "one folder"},
		{"evaluate nowhere", "no model"},
	} {
		code, out, errs := clitest.Sotto(t, "", strings.Fields(tt.line)...)
		if code != command.ExitUse || out != "" || !strings.Contains(errs, tt.want) {
			t.Errorf("%s: exit code %d, %q, %q, want %d and a word of %q", tt.line, code, out, errs, command.ExitUse, tt.want)
		}
	}
}

// A Ctrl-C keeps what was trained, says how to go on, and is no success.
func TestTrainInterrupted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	args := strings.Fields("train --method noise --epsilon 4 --seeds 1 --epochs 20 --limit 400 --encoder hash:32 --hidden 16 --dim 16 --out " + dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out bytes.Buffer
	// The reference ends before the method begins; its line is the signal.
	code := command.Run(ctx, args, term.Streams{In: strings.NewReader(""), Out: &out, Err: &onWrite{do: cancel}})
	if code != command.ExitUse {
		t.Errorf("exit code %d, want %d", code, command.ExitUse)
	}
	if _, err := os.Stat(filepath.Join(dir, "results.json")); err != nil {
		t.Error(err)
	}
	code, _, errs := clitest.Sotto(t, "", append(args, "--resume", "--json")...)
	if code != command.ExitDone {
		t.Errorf("resume: exit code %d: %s", code, errs)
	}
}

// onWrite calls a function at the first write.
type onWrite struct {
	do  func()
	all bytes.Buffer
}

func (w *onWrite) Write(p []byte) (int, error) {
	w.do()
	return w.all.Write(p)
}
