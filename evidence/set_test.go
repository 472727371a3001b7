package evidence_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/evidence"
	"sotto/promise/mech"
	"sotto/report"
)

// A set is judged as a release, and held against all of its parts.
func TestSet(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.jsonl", "vectors")
	record := files(t)["x.privacy.json"].(mech.Record)
	sum := record.SHA256
	record.Binding = mech.Binding{Rows: 3}
	set := evidence.Set{
		Format: evidence.SetFormat, Job: "j", Secret: "s", Release: record, Rows: 5, Released: 3, LeftOut: 2,
		Paid:  &evidence.Paid{Users: 2, Releases: 3, Exhausted: 1},
		Parts: []evidence.Part{{Binding: mech.Binding{File: "a.jsonl", SHA256: sum, Rows: 3}, Read: 5, LeftOut: 2}},
	}
	path := write(t, dir, evidence.SetFile, set)
	all, err := report.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	subjects := all.Subjects()
	if len(subjects) != 1 || subjects[0].Match.Kind != "release" || *subjects[0].Promise.Proved != record.Guarantee.Epsilon {
		t.Fatalf("a set has the subjects %+v, want its release", subjects)
	}
	if _, err = evidence.ReadSet(path); err != nil {
		t.Fatal(err)
	}
	for what, change := range map[string]func(*evidence.Set){
		"more were released than are in parts": func(s *evidence.Set) { s.Released = 4 },
		"fewer were left out":                  func(s *evidence.Set) { s.LeftOut = 1 },
		"there are no parts":                   func(s *evidence.Set) { s.Parts = nil },
		"a part is elsewhere":                  func(s *evidence.Set) { s.Parts[0].File = "../a.jsonl" },
		"a part is there twice":                func(s *evidence.Set) { s.Parts = append(s.Parts, s.Parts[0]) },
		"a part is missing":                    func(s *evidence.Set) { s.Parts[0].File = "b.jsonl" },
		"a part was changed":                   func(s *evidence.Set) { s.Parts[0].SHA256 = strings.Repeat("0", 64) },
	} {
		other := set
		other.Parts = append([]evidence.Part{}, set.Parts...)
		change(&other)
		if _, err = report.Load(write(t, dir, "other.json", other)); err == nil {
			t.Errorf("a set was taken although %s", what)
		}
	}
	if err = os.Remove(filepath.Join(dir, "a.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err = all.AddFile(path, true); err != nil || !evidence.All[evidence.Set](all)[1].Unbound {
		t.Errorf("a record alone: %v, want one that is unbound", err)
	}
}
