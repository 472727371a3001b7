package judge_test

import (
	"flag"
	"os"
	"testing"

	"sotto/data/dataset"
	"sotto/data/testenv"
	"sotto/promise/dp/dptest"
	"sotto/study/relation"
	"sotto/study/relation/judge"
	"sotto/study/relation/rule"
)

var update = flag.Bool("update", false, "write how often built-in rules are right in training")

// TestSeen counts on training parts how often built-in rules are right: those for persons on
// both sets that have relations of persons.
func TestSeen(t *testing.T) {
	if !dptest.Long() {
		t.Skip("parses two sets: SOTTO_LONG=1 runs it")
	}
	train := map[string][]relation.Instance{}
	for _, data := range []string{"conll04", "biographies"} {
		testenv.Set(t, data)
		s, err := relation.Prepare(t.Context(), relation.Options{Data: data})
		if err != nil {
			t.Fatal(err)
		}
		train[data] = s.Part(dataset.Train)
	}
	own, err := judge.Rules("conll04")
	if err != nil {
		t.Fatal(err)
	}
	said := own.String()
	if err = relation.Count(own, train["conll04"]); err != nil {
		t.Fatal(err)
	}
	same(t, "conll04.rules", said, own)

	persons, err := relation.PersonalRules()
	if err != nil {
		t.Fatal(err)
	}
	said = persons.String()
	total := map[string][2]int{}
	for data, instances := range train {
		f, err := judge.Personal(data)
		if err != nil {
			t.Fatal(err)
		}
		if err := relation.Count(f, instances); err != nil {
			t.Fatal(err)
		}
		for _, r := range f.Rules {
			n := total[r.Name]
			total[r.Name] = [2]int{n[0] + r.Right, n[1] + r.Tried}
		}
	}
	for k := range persons.Rules {
		r := &persons.Rules[k]
		r.Right, r.Tried = total[r.Name][0], total[r.Name][1]
	}
	same(t, "../personal/personal.rules", said, persons)
}

// same compares a file with what it should be.
func same(t *testing.T, path, said string, want *rule.File) {
	t.Helper()
	if said == want.String() {
		return
	}
	if !*update {
		t.Errorf("%s does not say how often its rules are right: run this test with -update", path)
		return
	}
	if err := os.WriteFile(path, []byte(want.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
