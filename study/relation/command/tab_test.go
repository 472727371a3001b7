package relation_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"sotto/command/studio"
	"sotto/command/studio/studiotest"
	"sotto/data/testenv"
	"sotto/promise/dp/dptest"
	relation "sotto/study/relation/command"
)

// tabStudio makes a studio with the tab of this study.
func tabStudio(t *testing.T) *studiotest.Bench {
	t.Helper()
	return studiotest.Start(t, studio.Config{Tabs: append(studio.Tabs(), relation.Study().Tabs...)})
}

// TestTab refuses what no page sends, and says so; what rules find is tested where
// it is found.
func TestTab(t *testing.T) {
	b := tabStudio(t)
	for body, want := range map[string]string{
		`{"data": "conll04", "part": "middle"}`:                   "must be train, dev or test",
		`{"data": "none", "part": "train", "rules": "rule a: A"}`: "et of relations is",
		`{"data": "", "part": "train", "sentences": "{}"}`:        "0 pairs of entities",
		`{"data": "", "part": "train", "sentences": "secret"}`:    "line 1: it is no JSON",
		`{"data": "conll04", "part": "train", "sentences": "x"}`:  "must be one of them",
	} {
		if j := b.Follow("/api/relations/start", body); j.State != "failed" || !strings.Contains(j.Error, want) || strings.Contains(j.Error, "secret") {
			t.Errorf("%s ends %s: %q, want %q", body, j.State, j.Error, want)
		}
	}
	line := `{"tokens":["Ann","works","for","Acme","."],"entities":[["Peop",0,1],["Org",3,4]],"relations":[["Work_For",0,1]]}` + "\n"
	var lines strings.Builder
	for k := range 40 { // which of them are of a part depends on their texts
		lines.WriteString(strings.Replace(line, "Acme", fmt.Sprintf("Acme%d", k), 1))
	}
	body, err := json.Marshal(map[string]string{"data": "", "part": "train", "sentences": lines.String(), "rules": "rule a: Work_For\n  tokens <peop>=subject works for <org>=object"})
	if err != nil {
		t.Fatal(err)
	}
	var v struct {
		Now struct{ Right, Wrong, Missed int }
	}
	j := b.Follow("/api/relations/start", string(body))
	if err := json.Unmarshal(j.Result, &v); err != nil || j.State != "done" || v.Now.Right < 10 || v.Now.Wrong+v.Now.Missed > 0 {
		t.Errorf("sentences of one's own end %s: %s, %+v, %v", j.State, j.Error, v, err)
	}
	if w := b.Send("POST", "/api/relations/show", `{"review": "x"}`); w.Code != http.StatusNotFound {
		t.Errorf("rules that nobody opened are answered with %d", w.Code)
	}
}

// TestTabReal edits a rule on CoNLL04.
func TestTabReal(t *testing.T) {
	testenv.Set(t, "conll04")
	if !dptest.Long() {
		t.Skip("parses a data set: SOTTO_LONG=1 runs it")
	}
	b := tabStudio(t)
	j := b.Follow("/api/relations/start", `{"data": "conll04", "part": "dev", "rules": "rule a: Work_For\n tokens <peop>=subject []{0,8} of <org>=object"}`)
	var v struct {
		Review string
		Now    struct{ Right, Wrong int }
	}
	if err := json.Unmarshal(j.Result, &v); err != nil || j.State != "done" || v.Now.Right == 0 {
		t.Fatalf("it ends %s: %s, %+v, %v", j.State, j.Error, v, err)
	}
	var c struct{ Of [2]int }
	b.Ask("POST", "/api/relations/try", `{"review": "`+v.Review+`", "page": {"rule": "a"}, "pattern": "tokens <peop>=subject []{0,8} (of | at) the? <org>=object"}`, http.StatusOK, &c)
	if c.Of[0] == 0 || c.Of[1] != 0 {
		t.Errorf("the change is %+v, want more than before", c)
	}
	var f struct{ Text string }
	b.Ask("POST", "/api/relations/export", `{"review": "`+v.Review+`"}`, http.StatusOK, &f)
	if f.Text != "rule a: Work_For\n  tokens <peop>=subject []{0,8} of <org>=object\n" {
		t.Errorf("the file is %q", f.Text)
	}
}
