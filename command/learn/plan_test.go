package learn_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
)

const quickly = " --encoder hash:64 --hidden 16 --epochs 6 --limit 400"

// planned runs the command and returns the JSON that it prints.
func planned(t *testing.T, args string) map[string]any {
	t.Helper()
	code, out, errs := clitest.Sotto(t, "", strings.Fields("plan --json "+args+quickly)...)
	if code != command.ExitDone {
		t.Fatalf("plan %s: exit code %d: %s", args, code, errs)
	}
	var r map[string]any
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestPlanForScripts(t *testing.T) {
	r := planned(t, "--target 0.75")
	curve, _ := r["curve"].([]any)
	if len(curve) < 10 {
		t.Fatalf("the curve has %d points", len(curve))
	}
	for _, p := range curve {
		for _, name := range []string{"epsilon", "accuracy", "macro_f1", "limit", "balanced_accuracy", "smallest_class_recall", "leakage_limit"} {
			v, ok := p.(map[string]any)[name].(float64)
			if !ok || name != "epsilon" && !(v >= 0 && v <= 1) {
				t.Fatalf("%s is %v, want a share", name, p.(map[string]any)[name])
			}
		}
	}
	for _, name := range []string{"epsilon", "nonprivate", "majority"} {
		if v, ok := r[name].(float64); !ok || !(v > 0) {
			t.Errorf("%s is %v, want a number", name, r[name])
		}
	}
	if r = planned(t, "--target 0.6 --grid 16,0.25"); r["epsilon"] != 16.0 || !strings.Contains(fmt.Sprint(r["choice"]), "which of 2 values") {
		t.Errorf("epsilon is %v, choice %v, want 16 and what that tells", r["epsilon"], r["choice"])
	}
	if r = planned(t, "--target 0.9999"); r["epsilon"] != nil || r["reason"] == "" {
		t.Errorf("epsilon is %v because %v, want null and why", r["epsilon"], r["reason"])
	}
}

// A plan is taken by reports and gates.
func TestPlanIsEvidence(t *testing.T) {
	dir := t.TempDir()
	html := filepath.Join(dir, "plan.html")
	content, err := json.Marshal(planned(t, "--epsilon 4 --html "+html))
	if err != nil {
		t.Fatal(err)
	}
	file, policy := filepath.Join(dir, "plan.json"), filepath.Join(dir, "policy.json")
	clitest.Write(t, file, string(content))
	if page, err := os.ReadFile(html); err != nil || !strings.Contains(string(page), "<svg") {
		t.Errorf("the page has no chart, or %v", err)
	}
	code, out, errs := clitest.Sotto(t, "", "report", file, "--format", "md", "--out", "-")
	if code != command.ExitDone || !strings.Contains(out, "What each ε gives") {
		t.Errorf("report: exit code %d: %s%s", code, out, errs)
	}
	for rule, want := range map[string]int{`"accuracy": {"min": 0.3}`: command.ExitDone, `"macro_f1": {"min": 0.999}`: command.ExitGate} {
		clitest.Write(t, policy, `{"rules": [{"match": {"kind": "plan"}, `+rule+`}]}`)
		if code, out, errs := clitest.Sotto(t, "", "gate", "--policy", policy, file); code != want {
			t.Errorf("gate with %s: exit code %d, want %d: %s%s", rule, code, want, out, errs)
		}
	}
}

func TestPlanForPeople(t *testing.T) {
	code, out, errs := clitest.Sotto(t, "", strings.Fields("plan --epsilon 2 --texts-per-day 3 --days 2 --daily-epsilon 10 --all"+quickly)...)
	if code != command.ExitDone {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	for _, want := range []string{"At ε = 2 a release tells sentiment", "• accuracy", "SMALLEST", "3 different texts a day at ε = 2 each come to ε = 6 a day and 12", "a daily ε of 10 pays for 5", "sotto train --data reviews --encoder hash:64 --limit 400 --method codes --epsilon 2 --epochs 6 --hidden 16"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestPlanRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"--target 80":                         "such as 0.8",
		"--grid 1,2":                          "without a target",
		"--epsilon 0":                         "epsilon is 0",
		"--days 4":                            "without texts per day",
		"--method auto":                       "unknown flag",
		"--text x":                            "without --in",
		"--html - --json":                     "one of them",
		"--html no-such/x.html --in no-such":  "nothing can be written into no-such",
		"--data adult --in x.csv":             "must be one of them",
		"--in no-such.csv --label y --text x": "no-such.csv",
		"--data reviews --label colour":       "colour",
	} {
		code, _, errs := clitest.Sotto(t, "", append([]string{"plan"}, strings.Fields(args)...)...)
		if code != command.ExitUse || !strings.Contains(errs, want) {
			t.Errorf("plan %s: exit code %d: %s, want %q", args, code, errs, want)
		}
	}
}
