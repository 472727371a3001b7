package mech_test

import (
	"strings"
	"testing"

	"sotto/promise/mech"
)

func TestRecord(t *testing.T) {
	m, err := mech.New(mech.Params{Mechanism: "krr", Epsilon: 1, Own: mech.KRRParams{Classes: 4}})
	if err != nil {
		t.Fatal(err)
	}
	text, err := mech.NewRecord(m, "sotto test").JSON()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"classes": 4`, `"variant": "true"`, `"unit": "text"`, `"claimed": 1`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the record lacks %s:\n%s", want, text)
		}
	}
}
