package judge_test

import (
	"strings"
	"testing"

	"sotto/data/dataset"
	"sotto/data/testenv"
	"sotto/promise/dp/dptest"
	"sotto/study/language/english"
	"sotto/study/relation"
	"sotto/study/relation/judge"
	"sotto/study/relation/rule"
)

// TestBuiltIn runs the sentences beside the built-in rules, and prints the files back.
func TestBuiltIn(t *testing.T) {
	m, err := english.Model()
	if err != nil {
		t.Fatal(err)
	}
	own := func() (*rule.File, error) { return judge.Rules("conll04") }
	for name, read := range map[string]func() (*rule.File, error){"conll04": own, "personal": relation.PersonalRules} {
		f, err := read()
		if err != nil {
			t.Fatal(err)
		}
		if err = f.Check(m.Trees()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		again, err := rule.Parse(strings.NewReader(f.String()))
		if err != nil || again.String() != f.String() {
			t.Errorf("%s is not printed as it is read: %v", name, err)
		}
	}
	if _, err := judge.Rules("fewrel"); err == nil {
		t.Error("rules for fewrel are built in, want an error")
	}
}

func TestRun(t *testing.T) {
	testenv.Set(t, "conll04")
	r, err := judge.Run(t.Context(), judge.Options{Data: "conll04"})
	if err != nil {
		t.Fatal(err)
	}
	// 288 sentences with 422 relations, of which 21 sentences stand in other parts.
	if r.Texts != 288 || r.Right+r.Missed != 422 || r.Repeated != 21 || len(r.Relations) != 5 || r.New == nil {
		t.Errorf("got %+v", r)
	}
	if r.Precision < 0.6 || r.Recall < 0.4 { // it is deterministic; a rule that is broken shows
		t.Errorf("precision %v and recall %v of the built-in rules", r.Precision, r.Recall)
	}
	for _, o := range []judge.Options{{Data: "conll04", Part: "x"}, {Data: "conll4", Rules: &rule.File{}}} {
		if _, err := judge.Run(t.Context(), o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// TestInduce compares rules by hand with learnt ones, on persons that neither have seen.
func TestInduce(t *testing.T) {
	if !dptest.Long() {
		t.Skip("parses a set: SOTTO_LONG=1 runs it")
	}
	testenv.Set(t, "biographies")
	r, f, err := judge.Measure(t.Context(), judge.Options{Data: "biographies", Induce: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Compared) != 3 || r.Compared[2].F1 != r.F1 || len(f.Rules) != r.Rules || r.Apart == 0 {
		t.Fatalf("got %+v", r)
	}
	hand, both := r.Compared[0], r.Compared[2]
	if hand.Precision < 0.7 || both.F1 < 0.45 || both.F1 <= hand.F1 { // it is deterministic: 0.77 and 0.50
		t.Errorf("hand %+v, both %+v", hand.Score, both.Score)
	}
}

// TestOwnRules measures one rule on sentences whose entities have no types.
func TestOwnRules(t *testing.T) {
	if !dptest.Long() {
		t.Skip("reads 2,717 sentences: SOTTO_LONG=1 runs it")
	}
	testenv.Set(t, "semeval2010")
	f, err := rule.Parse(strings.NewReader("rule a: Cause-Effect(e2,e1)\ntokens <>=subject [lemma:be]? caused by [tag:DT]? <>=object"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := judge.Run(t.Context(), judge.Options{Data: "semeval2010", Part: dataset.Test, Rules: f})
	if err != nil {
		t.Fatal(err)
	}
	if r.Texts != 2717 || r.Precision < 0.9 || r.Right < 5 || r.Right+r.Missed != 2263 {
		t.Errorf("got %+v", r.Score)
	}
}
