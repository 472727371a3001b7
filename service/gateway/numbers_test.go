package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"sotto/data/dataset"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/mech"
	"sotto/service/gateway"
	"sotto/text/encode"
)

// numbersConfig is a gateway of a model that takes the numbers age and size behind
// the vector of each text.
func numbersConfig(t *testing.T) gateway.Config {
	t.Helper()
	method := train.Noise{Training: train.Training{Shape: train.Shape{Encoder: []int{8}}, Epochs: 1}, Release: mech.Params{Mechanism: "laplace-l1", Epsilon: 2}}
	file := &model.FileRecord{Layout: dataset.Layout{Numbers: []string{"age", "size"}}, Scales: []model.Scale{{Mean: 40, Deviation: 10}, {Mean: 1, Deviation: 2}}}
	m, info := trainedWith(t, method, model.Manifest{Method: "noise", Seed: 1, Data: model.DataRecord{File: file}})
	c := config(t)
	var err error
	if c.Mechanism, err = gateway.FromModel(m, info); err != nil {
		t.Fatal(err)
	}
	if c.Encoder, err = encode.NewHash(width - 2); err != nil {
		t.Fatal(err)
	}
	return c
}

// The numbers of a text are part of what is released, and of what was paid for:
// the same text with others is another release, and the same numbers the same.
func TestNumbers(t *testing.T) {
	s := serve(t, numbersConfig(t), gateway.ServiceConfig{Page: &gateway.Page{Vocabulary: vocabulary}})
	first := ""
	for i, tt := range []struct {
		numbers string
		paid    int
	}{
		{`{"age": 31, "size": 2}`, 1},
		{`[{"size": 2.0, "age": 31}]`, 0},
		{`{"age": 32, "size": 2}`, 1},
		{`{"age": 31}`, 1},
		{`{"age": 31, "size": null}`, 0},
		{`{"size": 1, "age": 31}`, 0}, // the mean, for which one that is not known counts
	} {
		a := s.embed(t, `{"input": "one", "numbers": `+tt.numbers+`}`)
		if a.Privacy.Paid != tt.paid {
			t.Errorf("%s: paid for %d, want %d", tt.numbers, a.Privacy.Paid, tt.paid)
		}
		if got := string(a.Data[0].Embedding); i == 0 {
			first = got
		} else if (got == first) != (i == 1) {
			t.Errorf("%s is released as %s, and the first as %s", tt.numbers, got, first)
		}
	}
	if a := s.embed(t, `{"input": ["two", "two"], "numbers": [{"age": 1}, {"age": 2}]}`); a.Privacy.Paid != 2 {
		t.Errorf("two rows with the same text: paid for %d, want 2", a.Privacy.Paid)
	}
	if got, _ := s.trials(t, `{"input": "three"}`); len(got) != 1 {
		t.Errorf("the page shows %d releases, want one, of a text without numbers", len(got))
	}
}

func TestNumbersRefused(t *testing.T) {
	s := serve(t, numbersConfig(t), gateway.ServiceConfig{})
	plain := serve(t, config(t), gateway.ServiceConfig{})
	for body, want := range map[string]string{
		`{"input": "one"}`: "one for each of 1",
		`{"input": ["one", "two"], "numbers": {"age": 1}}`:                    "one for each of 2",
		`{"input": "one", "numbers": [{"age": 1}, {"age": 1}]}`:               "one for each of 1",
		`{"input": "one", "numbers": {"weight": 1}}`:                          "not known",
		`{"input": "one", "numbers": {"age": 1, "age": 2}}`:                   "comes twice",
		`{"input": "one", "numbers": {"age": "31"}}`:                          "must be an object",
		`{"input": "one", "numbers": 31}`:                                     "must be an object",
		`{"input": "one", "numbers": {"age": 1e60}}`:                          "must be finite",
		`{"input": "one", "numbers": [` + strings.Repeat("{},", 300) + `{}]}`: "at most as many",
	} {
		status, content, _ := s.ask(t, http.MethodPost, "/v1/embeddings", body)
		if a := parse(t, content); status < 400 || a.Error.Param == nil || *a.Error.Param != "numbers" || !strings.Contains(a.Error.Message, want) {
			t.Errorf("%.80s: status %d, %s, want %q", body, status, content, want)
		}
	}
	status, content, _ := plain.ask(t, http.MethodPost, "/v1/embeddings", `{"input": "one", "numbers": {"age": 1}}`)
	if a := parse(t, content); status != http.StatusBadRequest || !strings.Contains(a.Error.Message, "texts alone") {
		t.Errorf("numbers for texts alone: status %d, %s", status, content)
	}
}
