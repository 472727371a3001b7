package evidence_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"sotto/compute/measure"
	"sotto/evidence"
	"sotto/learn/attack"
	"sotto/learn/experiment"
	"sotto/promise/audit"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/report"
)

// files returns one file of each kind, by name.
func files(t testing.TB) map[string]any {
	t.Helper()
	m, err := mech.New(mech.Params{Mechanism: "laplace-l1", Dim: 3, Epsilon: 2})
	if err != nil {
		t.Fatal(err)
	}
	g, infinite := m.Guarantee(), dp.Infinite
	record := mech.NewRecord(m, "sotto test")
	// Of a file that holds the JSON of "vectors".
	record.Binding = mech.Binding{File: "x", SHA256: "c4189bd668e648ed367982f6d3583842f43be768d924857e4d27048073f2f083", Rows: 3}
	return map[string]any{
		"results.json":     experiment.Result{Format: experiment.ResultsFormat, Method: "noise", Configurations: []experiment.Configuration{{Selected: true}}},
		"attack.json":      attack.Result{Kind: attack.Attribute, Source: "v.npy", Classes: 2, Guarantee: &g, Findings: []attack.Finding{{Attacker: "linear", Target: "sex"}}, Refuted: true},
		"attempt.json":     attack.Result{Kind: attack.Inversion, Guarantee: &g, Findings: []attack.Finding{{Metric: "precision@5"}}},
		"fairness.json":    evidence.Fairness{Format: evidence.FairnessFormat, Fairness: &measure.Fairness{Rows: 7}},
		"audit.json":       evidence.Audit{Format: evidence.AuditFormat, Mechanism: "dpnr", Unit: dp.Text, True: &infinite, Result: audit.Result{LowerBound: 9}},
		"table.json":       report.PublishedTable{Format: report.PublishedFormat, Name: "t", Rows: []report.PublishedRow{{Name: "r", Cells: []report.PublishedCell{{Metric: "accuracy"}}}}},
		"x.privacy.json":   record,
		"enc.privacy.json": map[string]any{"private": true, "encoder": "default", "dim": 3, "release": record, "file": "x", "sha256": record.SHA256, "rows": 3},
	}
}

func write(t testing.TB, dir, name string, v any) string {
	t.Helper()
	content, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "x", "vectors")
	var paths []string
	for name, v := range files(t) {
		path := write(t, dir, name, v)
		if name == experiment.ResultsFile {
			path = dir // a folder stands for its results
		}
		paths = append(paths, path)
	}
	all, err := report.Load(paths...)
	if err != nil {
		t.Fatal(err)
	}
	attacks, comparisons := evidence.All[attack.Result](all), evidence.All[evidence.Fairness](all)
	audits, releases := evidence.All[evidence.Audit](all), evidence.All[evidence.Release](all)
	counts := []int{len(evidence.All[experiment.Result](all)), len(attacks), len(comparisons), len(audits), len(releases), len(evidence.All[report.PublishedTable](all))}
	if want := []int{1, 2, 1, 1, 2, 1}; !reflect.DeepEqual(counts, want) {
		t.Fatalf("loaded %v results, attacks, comparisons, audits, releases and tables, want %v", counts, want)
	}
	if !attacks[0].Refuted || attacks[1].Kind != attack.Inversion || *audits[0].True != dp.Infinite || releases[0].Guarantee.Epsilon > 2 || comparisons[0].Rows != 7 {
		t.Errorf("what was loaded is not what was stored: %+v", all)
	}

	// All of it together is stored and loaded as it is.
	again, err := report.Load(write(t, dir, "all.json", all))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(len(evidence.All[experiment.Result](again)), len(evidence.All[evidence.Release](again)), evidence.All[evidence.Audit](again)[0].LowerBound), "1 2 9"; got != want {
		t.Errorf("the whole, stored and loaded: %s, want %s", got, want)
	}
}

// empty is evidence of nothing, of sotto's kinds.
func empty(t testing.TB) *evidence.Evidence {
	t.Helper()
	e, err := report.Kinds().New()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// stored is one of the files, as text.
func stored(t *testing.T, name string) string {
	t.Helper()
	content, err := json.Marshal(files(t)[name])
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestLoadRefuses(t *testing.T) {
	for _, c := range []struct{ name, content, want string }{
		{"no JSON", `hello`, "not a JSON object"},
		{"list", `[1]`, "not a JSON object"},
		{"no format", `{"a": 1}`, "no format"},
		{"other format", `{"format": "sotto-results-9"}`, "must be one that this version knows"},
		{"unknown field", `{"format": "sotto-audit-1", "mechanism": "x", "surprise": 1}`, "surprise"},
		{"unknown field below", `{"format": "sotto-results-1", "spec": {"colour": 1}}`, "colour"},
		{"wrong kind", `{"format": "sotto-audit-1", "mechanism": 5}`, "not what its format says"},
		{"more", `{"format": "sotto-audit-1"} {}`, "not a JSON object"},
		{"raw", `{"private": false, "encoder": "default", "dim": 3, "warning": "raw"}`, "raw"},
		{"no lower bound", strings.Replace(stored(t, "audit.json"), `"lower_bound":9,`, "", 1), "lacks lower_bound"},
		{"no gap", strings.Replace(stored(t, "results.json"), `"gap":0,`, "", 1), "gap"},
		{"null", `{"format": "sotto-evidence-1", "releases": [null]}`, "null"},
		{"attack of nobody", `{"format": "sotto-attack-1", "source": "x", "refuted": false}`, "no attackers"},
		{"attack without findings", `{"format": "sotto-attempt-1", "kind": "inversion", "source": "x", "findings": [], "refuted": false}`, "no findings"},
		{"no groups", `{"format": "sotto-fairness-1", "source": "x", "columns": {"label": "y", "prediction": "p", "group": ["g"]}}`, "no groups"},
		{"half a picture", `{"format": "sotto-evidence-1", "pictures": [{"title": "t", "layout": "pca", "attribute": "a", "values": ["a"], "groups": [0], "before": [[1, 2]], "after": []}]}`, "as many of each"},
		{"picture of a stranger", `{"format": "sotto-evidence-1", "pictures": [{"title": "t", "layout": "pca", "attribute": "a", "values": ["a"], "groups": [1], "before": [[1, 2]], "after": [[1, 2]]}]}`, "does not name"},
		{"false guarantee", `{"tool": "t", "guarantee": {"unit": "text", "epsilon": -1}}`, ""},
	} {
		e := empty(t)
		err := e.Add(c.name, strings.NewReader(c.content))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error = %v, want one with %q", c.name, err, c.want)
		}
		if kept, err := json.Marshal(e); err != nil || string(kept) != `{"format":"sotto-evidence-1"}` {
			t.Errorf("%s: something was kept of a file that was refused", c.name)
		}
	}
	if _, err := report.Load(); err == nil {
		t.Error("no files were loaded without error")
	}
	if _, err := report.Load(filepath.Join(t.TempDir(), "absent.json")); err == nil || !strings.Contains(err.Error(), "absent.json") {
		t.Errorf("error = %v, want one that names the file", err)
	}
}

func FuzzAdd(f *testing.F) {
	for _, v := range files(f) {
		content, err := json.Marshal(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(content))
	}
	f.Add(`{"format": "sotto-evidence-1", "results": [null], "releases": [null]}`)
	f.Fuzz(func(t *testing.T, content string) {
		e := empty(t)
		if err := e.Add("fuzz", strings.NewReader(content)); err != nil {
			return
		}
		if _, err := json.Marshal(e); err != nil {
			t.Errorf("what was read cannot be written: %v", err)
		}
	})
}
