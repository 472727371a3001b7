package explain_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"sotto/command"
	"sotto/command/clitest"
	"sotto/study/relation/folder/tiny"
)

// TestExplainRelations explains a model of relations by its rules.
func TestExplainRelations(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "model")
	if err := tiny.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	const s = "Mary Jones works for Google."
	code, out, errs := program.Sotto(t, s, "explain", "--model", dir, "--json")
	var got struct {
		Method    string `json:"method"`
		Relations []struct {
			Type, Rule, Source string
			Matched            struct{ Start, End int }
		} `json:"relations"`
		Private bool `json:"private"`
	}
	if err := json.Unmarshal([]byte(out), &got); code != command.ExitDone || err != nil || len(got.Relations) != 1 || got.Private {
		t.Fatalf("exit code %d, %v, %q, %q", code, err, out, errs)
	}
	if r := got.Relations[0]; got.Method != "rule" || r.Type != "Work_For" || r.Source != "decoded" || !strings.HasPrefix(r.Rule, "tokens ") || s[r.Matched.Start:r.Matched.End] != "Mary Jones works for Google" {
		t.Errorf("got %+v", got)
	}
	code, out, _ = program.Sotto(t, s, "explain", "--model", dir)
	for _, want := range []string{"Work_For of Mary Jones and Google", "decoded: the model wrote it", "matched", "(bytes 0 to 27)", "not private: "} {
		if code != command.ExitDone || !strings.Contains(out, want) {
			t.Errorf("exit code %d, %q, want %q", code, out, want)
		}
	}
	file := clitest.TextFile(t, "texts.txt", s+"\nIt rained.\n")
	if code, out, errs = program.Sotto(t, "", "explain", "--model", dir, "--in", file, "--json"); code != command.ExitDone || strings.Count(out, "\n") != 2 || !strings.Contains(out, `"relations":[]`) {
		t.Errorf("exit code %d, %q, %q", code, out, errs)
	}
	if code, _, errs = program.Sotto(t, s, "explain", "--model", dir, "--method", "shap"); code == command.ExitDone || !strings.Contains(errs, "which its own rules explain") {
		t.Errorf("exit code %d, %q", code, errs)
	}
}
