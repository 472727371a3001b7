package influence_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"sotto/report"
	"sotto/study/influence"
)

func TestNoStudent(t *testing.T) {
	code, _, said := program.Sotto(t, "", "influence", "bias", "--student", filepath.Join(t.TempDir(), "none"), "--control", "straight", "--probe", "gay")
	if code != 2 || !strings.Contains(said, "sotto influence train") {
		t.Errorf("without a student the code is %d and the error %q, want one that says how to train", code, said)
	}
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{
		{"train", "--noise", "frozen"},
		{"train", "--model", "x", "--encoder", "default"},
		{"train", "--in", "x.csv"},
		{"train", "--width", "-3"},
		{"bias", "--control", "a"},
		{"bias", "--control", "a", "--probe", "a"},
		{"score", "--samples", "3"},
		{"score", "--errors", "--part", "a"},
		{"swap", "--evaluate", "--at", "3"},
	} {
		if code, out, _ := program.Sotto(t, "", append([]string{"influence"}, args...)...); code != 2 || out != "" {
			t.Errorf("%v ends with %d and prints %q, want 2 and nothing", args, code, out)
		}
	}
}

// What the commands print is evidence that reports and gates read.
func TestEvidence(t *testing.T) {
	bias := influence.BiasReport{Format: influence.BiasFormat, Data: "sst2", Encoder: "default", Counts: &influence.ContextCounts{}}
	bias.Bias = influence.Bias{Query: influence.Query{Control: "a", Probe: "b"}, Contexts: 10, Flips: 2, High: 1, Examples: []influence.Example{}, ReverseExamples: []influence.Example{}}
	for _, v := range []any{&influence.Report{Format: influence.ReportFormat, Data: "sst2", Result: influence.Result{History: []influence.Epoch{}}}, &bias} {
		content, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		e, err := append(report.Kinds(), program[0].Kinds...).New()
		if err != nil {
			t.Fatal(err)
		}
		if err = e.Add("a.json", strings.NewReader(string(content))); err != nil {
			t.Errorf("%T is refused: %v", v, err)
		}
	}
}
