package explain_test

import (
	"encoding/json"
	"strings"
	"testing"

	"sotto/evidence"
	"sotto/study/explain"
	command "sotto/study/explain/command"
	"sotto/study/explain/predictor"
)

func result() *command.Summary {
	var a command.SummaryAdder
	a.Add(&explain.Explanation{Check: 1e-9, Limit: 1e-6, Local: &explain.Local{R2: 0.5, Agreement: 1}}, &predictor.Noise{Flips: 0.1, Exact: true})
	a.Add(&explain.Explanation{Check: 2e-9, Limit: 1e-6, Local: &explain.Local{R2: 0.7, Agreement: 0.8}}, &predictor.Noise{Flips: 0.3, Exact: true})
	return a.Result("lime", predictor.Before)
}

// TestKind reads a summary back and asks what a gate and a page make of it.
func TestKind(t *testing.T) {
	content, err := json.Marshal(result())
	if err != nil {
		t.Fatal(err)
	}
	e, err := evidence.Kinds{command.SummaryKind}.New()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Add("explained.json", strings.NewReader(string(content))); err != nil {
		t.Fatal(err)
	}
	subjects := e.Subjects()
	if len(subjects) != 1 || subjects[0].Numbers["flips"].Value != 0.2 || subjects[0].Numbers["worst_check"].Value != 2e-9 || subjects[0].Match.Kind != "explained" {
		t.Errorf("a gate judges %+v", subjects)
	}
	if f := subjects[0].Numbers["flips"]; !(f.Low == 0 && f.High == 1) { // two texts tell nothing by Hoeffding's bound
		t.Errorf("the interval of two texts is %v to %v", f.Low, f.High)
	}
	sections, sentence, _ := e.Sections()
	if len(sections) != 1 || !strings.Contains(sentence, "20.0 %") {
		t.Errorf("a page says %q in %d sections", sentence, len(sections))
	}
}

func TestRefused(t *testing.T) {
	for name, change := range map[string]func(*command.Summary){
		"method": func(r *command.Summary) { r.Method = "" },
		"texts":  func(r *command.Summary) { r.Texts = 0 },
		"mean":   func(r *command.Summary) { r.Flips.Value = 2 },
	} {
		r := result()
		change(r)
		if _, err := (evidence.Kinds{command.SummaryKind}).New(r); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}
