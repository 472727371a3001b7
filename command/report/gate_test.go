package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/command/report"
	"sotto/command/term"
)

// runGateCommand runs the command with a policy in a file of its own.
func runGateCommand(t *testing.T, policy string, args ...string) (string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(path, []byte(policy), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	c := report.NewGate(term.Streams{In: strings.NewReader(""), Out: &out, Err: &out}, nil)
	c.SilenceErrors, c.SilenceUsage = true, true
	c.SetArgs(append([]string{"--policy", path}, args...))
	err := c.ExecuteContext(t.Context())
	return out.String(), err
}

func TestGate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	code, _, errs := clitest.Sotto(t, "", strings.Fields("train --method noise --variant released --epsilon 8 --seeds 2 --encoder hash:32 --hidden 16 --dim 4 --epochs 2 --out "+dir)...)
	if code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	const honest = `{"match": {"variant": "paper"}, "epsilon": {"max": 8}, "claim": "true"}`
	// Two vectors of four coordinates and L2 norm 1 are up to 2·√4 apart in L1,
	// twice what the noise pays for, so that ε is 16 and not 8.
	const released = "reviews noise laplace-l1 released ε=8 D=4"
	for _, tt := range []struct {
		name, policy string
		want         string // the output
		closed       bool
	}{
		{name: "open", policy: honest, want: "gate passed: 2 checks on 1 pieces of evidence\n"},
		{
			name: "closed", policy: `{"name": "budget", "epsilon": {"max": 8}, "claim": "true"}`, closed: true,
			want: "FAIL budget: " + released + ": true ε is 16 (text), allowed at most 8\n" +
				"FAIL budget: " + released + ": claimed ε is 8, true ε is 16 (text)\n",
		},
		{
			name: "one of two rules", policy: honest + `, {"match": {"data": "twitter"}, "claim": "true"}`, closed: true,
			want: "FAIL rule 2: the rule matches nothing\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			policy := `{"rules": [` + tt.policy + `]}`
			out, err := runGateCommand(t, policy, dir)
			if out != tt.want || errors.Is(err, term.ErrGate) != tt.closed || !tt.closed && err != nil {
				t.Errorf("printed %q, error %v, want %q, closed: %t", out, err, tt.want, tt.closed)
			}
			out, err = runGateCommand(t, policy, "--json", dir)
			var got struct {
				Passed  bool
				Checks  []json.RawMessage
				Reasons []string
			}
			if fault := json.Unmarshal([]byte(out), &got); fault != nil {
				t.Fatalf("%v in %s", fault, out)
			}
			if got.Passed == tt.closed || len(got.Checks) == 0 || (len(got.Reasons) > 0) != tt.closed || errors.Is(err, term.ErrGate) != tt.closed {
				t.Errorf("JSON %s, error %v, want closed: %t", out, err, tt.closed)
			}
		})
	}
}

func TestGateRefusals(t *testing.T) {
	const policy = `{"rules": [{"claim": "true"}]}`
	for _, tt := range []struct {
		name, policy string
		args         []string
		want         string
	}{
		{"no results", policy, nil, "want the results to judge"},
		{"no such folder", policy, []string{"no/such/folder"}, "no such file"},
		{"no policy", `{}`, []string{"no/such/folder"}, "the policy has no rule"},
		{"unknown field", `{"rules": [{"claims": "true"}]}`, []string{"no/such/folder"}, `unknown field "claims"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out, err := runGateCommand(t, tt.policy, tt.args...)
			if err == nil || errors.Is(err, term.ErrGate) || !strings.Contains(err.Error(), tt.want) || out != "" {
				t.Errorf("printed %q, error %v, want %q", out, err, tt.want)
			}
		})
	}
	if err := report.RunGate(report.GateOptions{}, []string{"x"}, term.Streams{Out: &bytes.Buffer{}}, nil); err == nil || !strings.Contains(err.Error(), "want --policy") {
		t.Errorf("without a policy: %v, want the flag's name", err)
	}
}

// The policy in the documentation is one, and judges what it says it is for.
func TestGateDocumentation(t *testing.T) {
	text, err := os.ReadFile("../../docs/gate.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "```json\n")
	policy, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("docs/gate.md has no policy")
	}
	dir := filepath.Join(t.TempDir(), "model")
	code, _, errs := clitest.Sotto(t, "", strings.Fields("train --method federate --epsilon 8 --seeds 2 --out "+dir+clitest.Quickly)...)
	if code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	out, err := runGateCommand(t, policy, "--json", dir)
	if err != nil && !errors.Is(err, term.ErrGate) {
		t.Fatal(err)
	}
	if strings.Contains(out, "not measured") || strings.Contains(out, "matches nothing") || strings.Contains(out, "speaks of") {
		t.Errorf("the policy asks for what a training does not tell: %s", out)
	}
	var got struct{ Checks []json.RawMessage }
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got.Checks) != 6 {
		t.Errorf("%d checks, %v, want the 6 of the policy: %s", len(got.Checks), err, out)
	}
}
