package relation_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/data/dataset"
	"sotto/data/testenv"
	"sotto/promise/dp/dptest"
	"sotto/study/language"
	"sotto/study/relation"
	"sotto/study/relation/rule"
)

// counts says how many instances of a part there are, how many have a relation, and how
// many are extra.
func counts(s *relation.Set, p dataset.Part) [3]int {
	var n [3]int
	for _, x := range s.Part(p) {
		n[0]++
		if x.Relation != relation.None {
			n[1]++
		}
		if x.Extra {
			n[2]++
		}
	}
	return n
}

func TestPrepare(t *testing.T) {
	if !dptest.Long() {
		t.Skip("parses thousands of texts: SOTTO_LONG=1 runs it")
	}
	for data, want := range map[string]map[dataset.Part][3]int{
		"conll04":     {dataset.Train: {12360, 1273, 1273}, dataset.Validation: {2898, 353, 351}, dataset.Test: {3822, 422, 422}},
		"semeval2010": {dataset.Train: {7191, 5914, 0}, dataset.Validation: {809, 676, 0}, dataset.Test: {2717, 2263, 0}},
		"biographies": {dataset.Train: {4953, 3113, 538}, dataset.Validation: {1016, 598, 135}, dataset.Test: {1352, 806, 208}},
		"fewrel":      {dataset.Train: {9598, 9598, 0}, dataset.Validation: {1399, 1399, 0}, dataset.Test: {2703, 2703, 0}},
	} {
		t.Run(data, func(t *testing.T) {
			testenv.Set(t, data)
			s, err := relation.Prepare(t.Context(), relation.Options{Data: data})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range []dataset.Part{dataset.Train, dataset.Validation, dataset.Test} {
				if got := counts(s, p); got != want[p] {
					t.Errorf("%s: %v instances, relations and extras, want %v; %d apart", p, got, want[p], s.Apart[p])
				}
			}
			subjects := map[string]dataset.Part{}
			texts := map[string]dataset.Part{}
			for k, x := range s.Instances {
				if err := x.Doc.Check(); err != nil || strings.Contains(x.Relation, " ") {
					t.Fatalf("instance %d: %v, relation %q", k, err, x.Relation)
				}
				if p, ok := subjects[x.Group]; ok && p != x.Part && data == "biographies" {
					t.Errorf("instance %d: a subject is in %s and %s", k, p, x.Part)
				}
				if p, ok := texts[x.Doc.Text]; ok && p != x.Part && data == "fewrel" {
					t.Errorf("instance %d: a sentence is in %s and %s", k, p, x.Part)
				}
				subjects[x.Group], texts[x.Doc.Text] = x.Part, x.Part
			}
		})
	}
}

// TestCache reads what was parsed once, and parses again what is damaged.
func TestCache(t *testing.T) {
	if !dptest.Long() {
		t.Skip("parses a set twice: SOTTO_LONG=1 runs it")
	}
	testenv.Set(t, "conll04")
	dir := t.TempDir()
	texts := 0
	prepare := func() *relation.Set {
		texts = 0
		s, err := relation.Prepare(t.Context(), relation.Options{Data: "conll04", Cache: dir, Progress: func(int, int) { texts++ }})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := prepare()
	if texts == 0 {
		t.Fatal("nothing was parsed")
	}
	if again := prepare(); texts != 0 || len(again.Instances) != len(first.Instances) {
		t.Errorf("%d texts were parsed again", texts)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.Truncate(files[0], 1000); err != nil {
		t.Fatal(err)
	}
	if again := prepare(); texts == 0 || len(again.Instances) != len(first.Instances) {
		t.Errorf("%d texts were parsed behind a damaged file", texts)
	}
}

// sentence is a tree by hand: Ann works for the Acme Company.
func sentence() *language.Document {
	d := &language.Document{Text: "Ann works for the Acme Company .", Tokens: language.Tokens("Ann works for the Acme Company .")}
	for k, h := range []int{1, -1, 5, 5, 5, 1, 1} {
		d.Tokens[k].Head = h
		d.Tokens[k].DepRel = []string{"nsubj", "root", "case", "det", "compound", "obl", "punct"}[k]
	}
	d.Entities = []language.Entity{{Type: language.Person, Start: 0, End: 3, Confidence: 1}, {Type: language.Organisation, Start: 18, End: 30, Confidence: 1}}
	return d
}

func TestExplain(t *testing.T) {
	d := sentence()
	x := relation.Instance{Doc: d, Subject: rule.Span{First: 0, End: 1}, Object: rule.Span{First: 4, End: 6}}
	if s, o := x.Types(); s != language.Person || o != language.Organisation || relation.Head(d, x.Object) != 5 {
		t.Errorf("types %s and %s", s, o)
	}
	if path, up := relation.Path(d, 0, 5); len(path) != 3 || up != 1 || path[1] != 1 {
		t.Errorf("path %v, %d up", path, up)
	}
	f, err := rule.Parse(strings.NewReader("rule a: A\ntokens <org>=subject works for the <>=object\nrule b: B\ntokens <>=subject works for the <org>=object\nrule c: C\ntree {} >nsubj {}=subject >obl {}=object"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := relation.NewRules(f)
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]int{relation.Any: 1, "A": -1, "B": 1, "C": 2} {
		if got := r.Explain(x, kind); got != want {
			t.Errorf("relation %s: rule %d, want %d", kind, got, want)
		}
	}
	for text, want := range map[string]bool{"tokens <>=subject []* <>=object": true, "tokens <>=object []* <>=subject": false, "tree {}=subject <nsubj ({} >obl {}=object)": true} {
		if got, err := relation.Faithful(text, x); err != nil || got != want {
			t.Errorf("Faithful(%q) = %v, %v", text, got, err)
		}
	}
	if ok, err := relation.Faithful("tokens <", x); ok || err == nil {
		t.Error("a rule that cannot be read is faithful")
	}
}

func TestCut(t *testing.T) {
	text := "He ran. Ann works."
	d := &language.Document{Text: text, Tokens: language.Tokens(text), Entities: []language.Entity{{Type: language.Person, Start: 8, End: 11, Confidence: 1}}}
	for k := 3; k < len(d.Tokens); k++ {
		d.Tokens[k].Sentence, d.Tokens[k].Head, d.Tokens[k].DepRel = 1, 4, "nsubj"
	}
	d.Tokens[4].Head = -1
	one := relation.Cut(d, 3, len(d.Tokens))
	if err := one.Check(); err != nil || one.Text != "Ann works." || one.Tokens[0].Head != 1 || len(one.Entities) != 1 || one.Entities[0].Start != 0 {
		t.Errorf("got %+v, %v", one, err)
	}
}

// TestOwnTextsAreNotKept: no copy of a file of one's own is left behind.
func TestOwnTextsAreNotKept(t *testing.T) {
	var b strings.Builder
	for _, part := range []string{"train", "dev", "test"} {
		b.WriteString(`{"split":"` + part + `","tokens":["Ann","works","for","Acme","."],"entities":[["Peop",0,1],["Org",3,4]],"relations":[["Work_For",0,1]]}` + "\n")
	}
	file, kept := filepath.Join(t.TempDir(), "own.jsonl"), t.TempDir()
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := relation.Prepare(t.Context(), relation.Options{File: file, Cache: kept})
	if err != nil || counts(set, dataset.Train)[1] != 1 {
		t.Fatalf("got %+v, %v, want a relation to learn from", set, err)
	}
	if left, err := os.ReadDir(kept); err != nil || len(left) > 0 {
		t.Errorf("%d files are kept, %v, want none", len(left), err)
	}
}
