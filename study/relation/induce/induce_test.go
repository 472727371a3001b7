package induce_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"sotto/data/dataset"
	"sotto/data/testenv"
	"sotto/promise/dp/dptest"
	"sotto/study/language"
	"sotto/study/relation"
	"sotto/study/relation/induce"
	"sotto/study/relation/rule"
)

// said returns a sentence of words between a person and a firm as an instance.
func said(kind, between string) relation.Instance {
	text := "Ann " + between + " Acme ."
	d := &language.Document{Text: text, Tokens: language.Tokens(text)}
	for k := range d.Tokens {
		d.Tokens[k].UPOS, d.Tokens[k].Lemma, d.Tokens[k].Head = "VERB", strings.TrimSuffix(d.Tokens[k].Text, "s"), -1
	}
	at := len(text) - len("Acme .")
	d.Entities = []language.Entity{{Type: language.Person, Start: 0, End: 3, Confidence: 1}, {Type: language.Organisation, Start: at, End: at + 4, Confidence: 1}}
	return relation.Instance{Doc: d, Subject: relation.Tokens(d, 0, 3), Object: relation.Tokens(d, at, at+4), Relation: kind, Part: dataset.Train}
}

func lessons() []relation.Instance {
	var all []relation.Instance
	for k := range 30 {
		filler := []string{"now", "there", "often"}[k%3]
		all = append(all, said("employer", filler+" works for"), said("owner", "owns "+filler), said(relation.None, filler+" sees"), said(relation.None, "for "+filler))
	}
	return all
}

func TestRules(t *testing.T) {
	all := lessons()
	f, err := induce.Rules(t.Context(), all, induce.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := relation.NewRules(f)
	if err != nil {
		t.Fatal(err)
	}
	// Two rules say all that there is to say.
	if len(f.Rules) != 2 {
		t.Errorf("%d rules, want 2:\n%s", len(f.Rules), f)
	}
	for k, n := range r.ExplainAll(all, func(relation.Instance) string { return relation.Any }) {
		got := relation.None
		if n >= 0 {
			got = f.Rules[n].Relation
		}
		if got != all[k].Relation {
			t.Errorf("%q is %q, want %q", all[k].Doc.Text, got, all[k].Relation)
		}
	}
	again, err := rule.Parse(strings.NewReader(f.String()))
	if err != nil || again.String() != f.String() || again.Rules[0].Right != 30 || again.Rules[0].Tried != 30 {
		t.Errorf("it is not read as it is written: %v\n%s", err, f)
	}
	slices.Reverse(all)
	if other, err := induce.Rules(t.Context(), all, induce.Options{}); err != nil || other.String() != f.String() {
		t.Errorf("another order gives other rules: %v\n%s", err, other)
	}
}

func TestRefused(t *testing.T) {
	seen := lessons()
	seen[3].Part = dataset.Test
	if _, err := induce.Rules(t.Context(), seen, induce.Options{}); err == nil {
		t.Error("rules were learnt from a test part")
	}
	for _, o := range []induce.Options{{Support: -1}, {Precision: 2}, {Price: -1}, {Most: -1}} {
		if _, err := induce.Rules(t.Context(), lessons(), o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}

// TestReal learns rules of CoNLL04 that are better than those by hand, on its dev part.
func TestReal(t *testing.T) {
	if !dptest.Long() {
		t.Skip("parses a set: SOTTO_LONG=1 runs it")
	}
	testenv.Set(t, "conll04")
	s, err := relation.Prepare(t.Context(), relation.Options{Data: "conll04"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := induce.Rules(t.Context(), s.Part(dataset.Train), induce.Options{Sentences: true})
	if err != nil {
		t.Fatal(err)
	}
	again, err := rule.Parse(strings.NewReader(f.String()))
	if err != nil || again.String() != f.String() {
		t.Fatalf("it is not read as it is written: %v", err)
	}
	tests := 0
	for _, r := range f.Rules {
		tests += len(r.Tests)
	}
	r, err := relation.NewRules(f)
	if err != nil {
		t.Fatal(err)
	}
	right, found, there := 0, 0, 0
	dev := s.Part(dataset.Validation)
	for k, n := range r.ExplainAll(dev, func(relation.Instance) string { return relation.Any }) {
		there += min(len(dev[k].Relation), 1)
		if n >= 0 {
			if found++; f.Rules[n].Relation == dev[k].Relation {
				right++
			}
		}
	}
	f1 := 2 * float64(right) / float64(found+there)
	if f1 < 0.68 || 2*tests < len(f.Rules) { // it is deterministic: 0.71
		t.Errorf("F1 %v, %d rules with %d sentences", f1, len(f.Rules), tests)
	}
}

func ExampleRules() {
	f, err := induce.Rules(context.Background(), lessons(), induce.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Print(f)
	// Output:
	// rule employer-1: employer
	//   tokens <person>=subject []{0,2} [lemma:for] <organisation>=object
	//   seen 30 of 30
	//
	// rule owner-1: owner
	//   tokens <person>=subject [lemma:own] []{0,2} <organisation>=object
	//   seen 30 of 30
}
