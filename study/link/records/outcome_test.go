package records_test

import (
	"encoding/json"
	"strings"
	"testing"

	"sotto/evidence"
	"sotto/study/link"
	"sotto/study/link/records"
)

// What is stored is read back, and says what it is worth; what was not measured is no
// number that a gate could pass.
func TestKinds(t *testing.T) {
	kinds := evidence.Kinds{records.GraphKind, records.OutcomeKind}
	f1 := 0.9
	e, err := kinds.New(
		&records.GraphOutcome{Format: records.GraphFormat, Data: "pairs.tsv", Nodes: 4, Clusters: 2, Optimal: true},
		&records.Outcome{Format: records.RecordsFormat, Data: "rows.csv", Rows: 9, Clusters: 3, Learnt: "entities", F1: &f1, Held: &link.Agreement{F1: f1}})
	if err != nil {
		t.Fatal(err)
	}
	content, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	back, err := kinds.New()
	if err != nil {
		t.Fatal(err)
	}
	if err = back.Add("all.json", strings.NewReader(string(content))); err != nil {
		t.Fatal(err)
	}
	subjects := back.Subjects()
	if len(subjects) != 2 || subjects[0].Match.Data != "pairs.tsv" || subjects[1].Match.Method != "entities" {
		t.Fatalf("subjects are %+v", subjects)
	}
	if v := float64(subjects[0].Numbers["f1"].Value); v == v {
		t.Errorf("F1 of a graph without a truth is %v, must be none", v)
	}
	if v := float64(subjects[1].Numbers["f1"].Value); v != f1 {
		t.Errorf("F1 is %v, want %v", v, f1)
	}
	sections, _, _ := back.Sections()
	if len(sections) != 2 || !strings.Contains(sections[0].Meaning, "4 nodes of pairs.tsv are 2 clusters") || !strings.Contains(sections[1].Meaning, "F1 is 0.900") {
		t.Errorf("sections are %+v", sections)
	}
}
