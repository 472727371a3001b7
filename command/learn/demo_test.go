package learn_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/command/learn"
	"sotto/command/term"
	"sotto/evidence"
	"sotto/learn/attack"
	"sotto/learn/experiment"
	"sotto/promise/dp"
	"sotto/report"
)

// The demo keeps what the README says of it, on so few rows that it takes seconds and
// as far as accuracy does not matter. The README's own command, on all rows, is run by
// make docs.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for seconds")
	}
	dir := filepath.Join(t.TempDir(), "demo")
	var stdout, stderr bytes.Buffer
	std := term.Streams{Out: &stdout, Err: &stderr}
	if err := learn.Demo(t.Context(), dir, experiment.Spec{Data: "reviews", Limit: 200, Epochs: 2, Encoder: "hash:32"}, std); err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	out := stdout.String()
	for _, want := range []string{"METHOD", "CLAIMED ε", "TRUE ε", "ATTACKED ε ≥", "ACCURACY %", "LIMIT %", "LEAKAGE %", "BEST ATTACKER", "no protection", "DPNR as released", "FEDERATE as released", "FEDERATE honest", "sotto, ε = 1", "sotto, ε = 4", "sotto, ε = 8"} {
		if !strings.Contains(out, want) {
			t.Errorf("the table lacks %q:\n%s", want, out)
		}
	}
	e, err := report.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	refuted := map[string]bool{}
	for _, a := range evidence.All[evidence.Audit](e) {
		refuted[a.Mechanism+" "+a.Variant] = a.Refuted
	}
	for name, want := range map[string]bool{"dpnr released": true, "laplace-l1 released": true, "laplace-l1 paper": false} {
		if got, ok := refuted[name]; !ok || got != want {
			t.Errorf("audit of %s: refuted %v (done %v), want %v", name, got, ok, want)
		}
	}
	results, attacks := evidence.All[experiment.Result](e), evidence.All[attack.Result](e)
	if len(results) != 6 || len(attacks) != 6 || len(results[1].Pictures) == 0 {
		t.Errorf("%d results, %d attacks, %d pictures of the second; want 6, 6 and some", len(results), len(attacks), len(results[1].Pictures))
	}
	for i, epsilon := range learn.DemoEpsilons {
		c := learn.Selected(results[3+i].Configurations)
		if len(c) != 1 || *c[0].Mean.True > dp.Epsilon(epsilon) {
			t.Errorf("at ε = %v: selected %d configurations with a true ε of %v", epsilon, len(c), c[0].Mean.True)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, learn.DemoReport))
	if err != nil || len(page) < 20_000 || len(page) > 2<<20 || !strings.Contains(string(page), "<svg") {
		t.Errorf("the report has %d bytes (%v), want a page of less than 2 MiB with plots", len(page), err)
	}
	checkDemoJSON(t, dir)
}

// What the demo stores has the fields that scripts read.
func checkDemoJSON(t *testing.T, dir string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, experiment.ResultsFile))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Format  string
		Results []struct {
			Configurations []struct{ Mean struct{ Accuracy, True any } }
		}
	}
	if err := json.Unmarshal(content, &got); err != nil {
		t.Fatal(err)
	}
	if got.Format != evidence.Format || got.Results[1].Configurations[0].Mean.True != "infinite" {
		t.Errorf("format %q, true ε of DPNR as released %v; want %q and infinite", got.Format, got.Results[1].Configurations[0].Mean.True, evidence.Format)
	}
}

func TestDemoRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"demo", "--out", file}, {"demo", "--workers", "-1"}, {"demo", "more"}} {
		if code, _, errs := clitest.Sotto(t, "", args...); code != command.ExitUse || errs == "" {
			t.Errorf("%v: exit code %d, error %q; want %d and a reason", args, code, errs, command.ExitUse)
		}
	}
}
