package relation_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/data/testenv"
)

// TestRules measures the built-in rules, and stores what a report reads.
func TestRules(t *testing.T) {
	testenv.Set(t, "conll04")
	stored := filepath.Join(t.TempDir(), "rules.json")
	code, out, errs := program.Sotto(t, "", "relations", "rules", "--data", "conll04", "--json", "--out", stored)
	var r struct{ Precision, Recall, F1 float64 }
	if err := json.Unmarshal([]byte(out), &r); code != command.ExitDone || err != nil || r.F1 <= 0 || r.Precision <= 0 || r.Recall <= 0 {
		t.Fatalf("exit code %d, %v, %q, %q", code, err, out, errs)
	}
	code, out, errs = program.Sotto(t, "", "report", stored, "--out", filepath.Join(t.TempDir(), "page.html"))
	if code != command.ExitDone || !strings.Contains(out, "page.html") {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
}

// TestRulesFile prints rules, and refuses files that are wrong, by their line.
func TestRulesFile(t *testing.T) {
	code, out, errs := program.Sotto(t, "", "relations", "rules", "--print")
	if code != command.ExitDone || !strings.Contains(out, "rule live-born: Live_In") {
		t.Fatalf("exit code %d, %q, %q", code, out, errs)
	}
	file := filepath.Join(t.TempDir(), "mine.rules")
	clitest.Write(t, file, out)
	if code, again, errs := program.Sotto(t, "", "relations", "rules", "--rules", file, "--print"); code != command.ExitDone || again != out {
		t.Errorf("exit code %d, %q: it is not printed as it was read", code, errs)
	}
	for text, want := range map[string]string{
		"rule a: A\n  tokens <a=subject\n":                                                 "line 2: column",
		"rule a: A\n  tokens <>=subject x <>=object\n  yes [a=subject b] y [a=object c]\n": "line 3: rule \"a\": it does not match",
		"# nothing\n": "has no rules",
	} {
		clitest.Write(t, file, text)
		if code, _, errs := program.Sotto(t, "", "relations", "rules", "--rules", file); code != command.ExitUse || !strings.Contains(errs, want) {
			t.Errorf("exit code %d, %q, want %q", code, errs, want)
		}
	}
	for _, args := range [][]string{{"--data", "fewrl"}, {"--data", "fewrel", "--rules", "personal"}, {"--part", "x"}, {"--print", "--json"}} {
		if code, _, errs := program.Sotto(t, "", append([]string{"relations", "rules"}, args...)...); code != command.ExitUse {
			t.Errorf("%v: exit code %d, %q", args, code, errs)
		}
	}
}

// TestFind finds relations in lines of text, and prints an object a line.
func TestFind(t *testing.T) {
	code, out, errs := program.Sotto(t, "I work at Google.\n\nIt rains.\n", "relations", "find", "--json")
	var first, last struct {
		Line      int
		Relations []struct {
			Type, Rule      string
			Subject, Object struct{ Text string }
			Confidence      float64
		}
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != command.ExitDone || len(lines) != 3 || json.Unmarshal([]byte(lines[0]), &first) != nil || json.Unmarshal([]byte(lines[2]), &last) != nil {
		t.Fatalf("exit code %d, %q, %q", code, out, errs)
	}
	if len(first.Relations) != 1 || last.Line != 3 || last.Relations == nil || len(last.Relations) > 0 {
		t.Fatalf("got %q", out)
	}
	if r := first.Relations[0]; r.Type != "employer" || r.Subject.Text != "I" || r.Object.Text != "Google" || !strings.HasPrefix(r.Rule, "tree ") || r.Confidence <= 0.5 {
		t.Errorf("got %+v", r)
	}
	if code, out, errs = program.Sotto(t, "I work at Google.\n", "relations", "find", "--least", "1"); code != command.ExitDone || out != "" {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	for _, args := range [][]string{{"--least", "2"}, {"--model", t.TempDir()}, {"--model", "nowhere"}, {"--rules", "nowhere"}, {"--model", "x", "--rules", "y"}, {"--workers", "-1"}} {
		if code, _, errs := program.Sotto(t, "", append([]string{"relations", "find"}, args...)...); code == command.ExitDone {
			t.Errorf("%v: exit code %d, %q", args, code, errs)
		}
	}
}
