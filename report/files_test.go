package report_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	files "sotto/learn/commands"
	"sotto/promise/dp"
	"sotto/report"
	"sotto/report/gate"
)

func filesAudited(bound float64, refuted bool) *files.Result {
	return &files.Result{
		Format: files.Format, Command: "/home/somebody/bin/sotto encode --in '{in}' --out '{out}.jsonl'", Differs: "row 5",
		Unit: dp.Text, Claim: 2, EpsilonLower: bound, Confidence: 0.99, Refuted: refuted, Learning: 100, Certifying: 400, Fields: 12,
		Joint: files.Joint{EpsilonLower: bound, Right: 390, Guesses: 400, Refutes: refuted},
		Evidence: []files.Evidence{
			{Where: "{out}.jsonl.privacy.json: model", What: "one constant", Kind: files.Constant, EpsilonLower: bound, Refutes: refuted},
		},
		Within:  []files.Evidence{{Where: "{out}.jsonl: row 5 (the one that differs)", What: "it tells", Kind: files.Distribution, EpsilonLower: 1.2}},
		Ignored: []files.Ignored{{Pattern: "{out}/head: *", Fields: 3}},
		Notes:   []string{"so many runs"}, NotSeen: []string{"how long a run takes"},
	}
}

// An audit of files that was stored is read, shown without folders, and judged as
// other audits are.
func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "files.json")
	policy, err := gate.Parse(strings.NewReader(`{"rules": [{"match": {"kind": "audit"}, "audit": "not refuted"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, refuted := range []bool{true, false} {
		content, err := json.Marshal(filesAudited(map[bool]float64{true: 3.5, false: 1.5}[refuted], refuted))
		if err != nil {
			t.Fatal(err)
		}
		if err = os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		found, err := report.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		text := render(t, report.Markdown, found)
		for _, want := range []string{"What whole commands write", "model", "constant", "Not seen: how long a run takes.", "Declared not to be covered"} {
			if !strings.Contains(text, want) {
				t.Errorf("the page lacks %q:\n%s", want, text)
			}
		}
		if strings.Contains(text, "somebody") {
			t.Error("the page shows a folder of whoever ran the audit")
		}
		if got := strings.Contains(text, "refutes the claim"); got != refuted {
			t.Errorf("refuted = %v, and the page says so: %v", refuted, got)
		}
		if got, err := policy.Judge(found); err != nil || got.Passed == refuted {
			t.Errorf("refuted = %v, and the gate: %+v, %v", refuted, got, err)
		}
	}
	if err := os.WriteFile(path, []byte(`{"format":"sotto-audit-files-1"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := report.Load(path); err == nil {
		t.Error("an audit without anything in it is read, want an error")
	}
}
