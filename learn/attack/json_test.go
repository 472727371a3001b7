package attack_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/learn/attack"
)

// What earlier versions stored is read, and written again with every field.
func TestStoredFiles(t *testing.T) {
	for name, want := range map[string]attack.Kind{"attribute": attack.Attribute, "models": attack.Attribute, "entities": attack.Entities, "averaging": attack.Averaging} {
		content, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var r attack.Result
		if err = json.Unmarshal(content, &r); err != nil || r.Kind != want || len(r.Findings) == 0 || !r.Limited() || (name == "models") != (len(r.Models) > 1) {
			t.Fatalf("%s: %v, kind %q, %d findings and %d models", name, err, r.Kind, len(r.Findings), len(r.Models))
		}
		for _, f := range r.Findings {
			if f.Attacker == "" || f.Target == "" || f.Metric == "" || f.Rows == 0 || !(f.Low <= f.Value && f.Value <= f.High) {
				t.Errorf("%s: finding %+v lacks something", name, f)
			}
		}
		again, err := json.MarshalIndent(r, "", "  ")
		if err != nil || !bytes.Equal(again, bytes.TrimSpace(content)) {
			t.Errorf("%s: %v, written again it is\n%s", name, err, again)
		}
	}
}

func TestResultRefuses(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{`[]`, "cannot unmarshal"},
		{`{}`, "must be sotto-attack-1 or sotto-attempt-1"},
		{`{"format": "sotto-attack-1", "source": "x"}`, "no attackers"},
		{`{"format": "sotto-attack-1", "attackers": [{}], "models": [{}]}`, "no attackers"},
		{`{"format": "sotto-attack-1", "attackers": [{}], "findings": []}`, "findings"},
		{`{"format": "sotto-attempt-1", "findings": []}`, "no findings"},
		{`{"format": "sotto-attempt-1", "findings": [{"colour": 1}]}`, "colour"},
	} {
		if err := json.Unmarshal([]byte(c.content), new(attack.Result)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q in it", c.content, err, c.want)
		}
	}
}

// A kind that nobody knew is attacked, concluded and stored like the others: all
// that it needs is a line in the list.
func TestAddingAKind(t *testing.T) {
	attack.Add(t, "guess", 0.9, 0.5)
	r, err := attack.Run(t.Context(), "guess", attack.Target{Corpus: cloud(8, 2)}, attack.Options{})
	if err != nil || !r.Refuted || !r.Findings[0].Refutes {
		t.Fatalf("the new kind: %+v, %v, want its finding to refute", r, err)
	}
	if _, err = attack.Run(t.Context(), "guess", attack.Target{Corpus: cloud(7, 2)}, attack.Options{}); err == nil {
		t.Error("seven rows are enough, want what the kind says that it needs")
	}
	content, err := json.Marshal(r)
	var again attack.Result
	if err != nil || json.Unmarshal(content, &again) != nil || again.Kind != "guess" {
		t.Errorf("stored as %s, %v", content, err)
	}
	if info, err := attack.Find("guess"); err != nil || info.Title == "" || len(attack.Kinds()) != 6 {
		t.Errorf("Find = %+v, %v, want the new kind in the list", info, err)
	}
}
