package judge_test

import (
	"context"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"sotto/data/dataset"
	"sotto/study/language"
	"sotto/study/relation"
	"sotto/study/relation/judge"
	"sotto/study/relation/rule"
)

// said is a model that says what it is told to.
type said []relation.Verdict

func (s said) Judge(context.Context, []relation.Instance) ([]relation.Verdict, error) { return s, nil }

func (said) Knows(_, _ language.Type) bool { return true }

// set has two instances of Work_For in the test part, of which the second is repeated, and
// one relation that is in no instance.
func set() *relation.Set {
	d := &language.Document{Text: "Ann works for Acme"}
	d.Tokens = language.Tokens(d.Text)
	d.Entities = []language.Entity{{Type: language.Person, Start: 0, End: 3}, {Type: language.Organisation, Start: 14, End: 18}}
	x := relation.Instance{Doc: d, Subject: rule.Span{First: 0, End: 1}, Object: rule.Span{First: 3, End: 4}, Relation: "Work_For", Part: dataset.Test}
	again := x
	again.Repeated = true
	return &relation.Set{Name: "toy", Instances: []relation.Instance{x, again}, Apart: map[dataset.Part]int{dataset.Test: 1}}
}

func TestMeasure(t *testing.T) {
	f, err := rule.Parse(strings.NewReader("rule works: Work_For\n  tokens <person>=subject works for <org>=object\n"))
	if err != nil {
		t.Fatal(err)
	}
	right := relation.Verdict{Relation: "Work_For", Confidence: 1, Source: relation.Decoded, Wrote: rule.Written(f.Rules[0].Pattern), Greedy: "tokens <person>=subject works at <org>=object"}
	wrong := relation.Verdict{Relation: "Live_In", Confidence: 1, Source: relation.NoRule, Wrote: "tokens nothing"}
	r, err := judge.MeasureModel(t.Context(), said{right, wrong}, set(), judge.ModelOptions{Rules: f})
	if err != nil {
		t.Fatal(err)
	}
	if r.Precision != 0.5 || math.Abs(r.Recall-1.0/3) > 1e-12 || r.Faithful != 0.5 || r.Rules.None != 0.5 || r.Written != 2 || r.Repeated != 1 {
		t.Errorf("measured %+v", r)
	}
	if r.New == nil || r.New.Precision != 1 || r.New.Recall != 0.5 || r.New.BLEU != 1 || !(r.New.GreedyBLEU < 1) {
		t.Errorf("of new texts: %+v", r.New)
	}
	other, err := judge.MeasureModel(t.Context(), said{right, right}, set(), judge.ModelOptions{Rules: f})
	if err != nil {
		t.Fatal(err)
	}
	mean, err := judge.ModelMean([]*judge.ModelResult{r, other}, []uint64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if mean.Precision != 0.75 || len(mean.Seeds) != 2 || mean.Seeds[1].Precision != 1 || mean.Deviation == nil {
		t.Errorf("the mean is %+v", mean)
	}
	if _, err = judge.MeasureModel(t.Context(), said{}, set(), judge.ModelOptions{Part: dataset.Train}); err == nil {
		t.Error("a part that is not there is measured")
	}
	content, err := json.Marshal(mean)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{`"macro_f1"`, `"micro_f1"`, `"precision"`, `"recall"`, `"bleu"`, `"bleu_greedy"`, `"faithful"`} {
		if !strings.Contains(string(content), field) {
			t.Errorf("the result has no %s", field)
		}
	}
}
