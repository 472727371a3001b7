package relation_test

import (
	"fmt"
	weakrand "math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"sotto/study/language"
	"sotto/study/relation"
	"sotto/study/relation/rule"
)

const file = `rule near: Work_For
  tokens <person>=subject []{1,3} <org>=object
rule works: Work_For
  tokens <person>=subject works for <org>=object
rule lives: Live_In
  tokens <person>=subject works in <org>=object
`

// instance is "Ann works for Acme" or the like.
func instance(preposition string) relation.Instance {
	d := &language.Document{Text: "Ann works " + preposition + " Acme"}
	d.Tokens = language.Tokens(d.Text)
	d.Entities = []language.Entity{{Type: language.Person, Start: 0, End: 3}, {Type: language.Organisation, Start: len(d.Text) - 4, End: len(d.Text)}}
	return relation.Instance{Doc: d, Subject: rule.Span{First: 0, End: 1}, Object: rule.Span{First: 3, End: 4}, Relation: "Work_For"}
}

func open(tb testing.TB) *relation.Gate {
	f, err := rule.Parse(strings.NewReader(file))
	if err != nil {
		tb.Fatal(err)
	}
	g, err := relation.NewGate(f)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

func TestGateExplain(t *testing.T) {
	g := open(t)
	written := func(k int) string { return g.Text(k) }
	for name, tt := range map[string]struct {
		x              relation.Instance
		relation, text string
		want           string
		source         relation.Source
	}{
		"stored and matches":              {instance("for"), "Work_For", written(1), written(1), relation.Decoded},
		"new and matches":                 {instance("for"), "Work_For", "tokens <person>=subject works [] <>=object", "tokens <person>=subject works [] <>=object", relation.Decoded},
		"does not match":                  {instance("at"), "Work_For", written(1), written(0), relation.Stored},
		"is no rule":                      {instance("for"), "Work_For", "tokens <person>=subject works for for", written(1), relation.Stored},
		"the arguments are the other way": {instance("for"), "Work_For", "tokens <person>=object works for <org>=subject", written(1), relation.Stored},
		"of another relation":             {instance("in"), "Work_For", written(2), written(0), relation.Stored},
		"nothing was written":             {instance("for"), "Work_For", "", written(0), relation.Stored},
		"no rule matches":                 {instance("for"), "Live_In", written(2), "", relation.NoRule},
	} {
		if got, source := g.Explain(tt.x, tt.relation, tt.text); got != tt.want || source != tt.source {
			t.Errorf("%s: Explain = %q, %s, want %q, %s", name, got, source, tt.want, tt.source)
		}
		if holds := g.Cases([]relation.Instance{tt.x})[0].Holds(tt.relation, tt.text); holds != (tt.source == relation.Decoded) {
			t.Errorf("%s: Holds = %v", name, holds)
		}
	}
}

func TestCompare(t *testing.T) {
	g := open(t)
	var b relation.BLEU
	x := instance("for")
	g.Compare(&b, g.References(x, "Work_For"), g.Text(1))
	g.Compare(&b, g.References(x, "Work_For"), "")       // nothing was written
	g.Compare(&b, g.References(x, "Live_In"), g.Text(1)) // no rule is right
	if b.Texts != 1 || b.Value() != 1 {
		t.Errorf("BLEU of %d texts is %v, want 1 of 1", b.Texts, b.Value())
	}
	if g.Relation(g.Text(2)) != "Live_In" || g.Relation("tokens nothing") != relation.None {
		t.Error("the relation of a rule is another")
	}
}

func ExampleGate() {
	f, err := rule.Parse(strings.NewReader(file))
	if err != nil {
		panic(err)
	}
	g, err := relation.NewGate(f)
	if err != nil {
		panic(err)
	}
	// What was written does not match the sentence, and is not shown.
	fmt.Println(g.Explain(instance("at"), "Work_For", "tokens <person>=subject works for <org>=object"))
	// Output: tokens <person>=subject []{1,3} <org>=object stored
}

// FuzzExplain holds what is shown against what the rule engine says of it: whatever was
// written, no rule is shown that does not match the sentence with these arguments.
func FuzzExplain(f *testing.F) {
	g := open(f)
	pieces := []string{
		"tokens", "tree", " <person>", "<>", "=subject", "=object", " works", " for", " []", "*", "{0,3}", "{", "}", " <org>", " >nsubj", " {lemma:work}", " (", ")", "|", "?",
	}
	rng := weakrand.New(weakrand.NewPCG(1, 2))
	for range 300 { // drafts as a network makes them: of pieces of rules
		var b strings.Builder
		for range 2 + rng.IntN(9) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		f.Add(b.String(), "for", "Work_For")
	}
	for k := range 3 {
		for _, word := range []string{"for", "at", "in"} {
			for _, name := range []string{"Work_For", "Live_In", "Kill", ""} {
				f.Add(g.Text(k), word, name)
			}
		}
	}
	f.Add("tokens <person>=subject works [] <>=object", "at", "Work_For")
	f.Fuzz(func(t *testing.T, written, word, name string) {
		if word == "" || strings.ContainsAny(word, " \t\n") || !utf8.ValidString(word) {
			return
		}
		x := instance(word)
		shown, source := g.Explain(x, name, written)
		if (shown == "") != (source == relation.NoRule) {
			t.Fatalf("rule %q is from %s", shown, source)
		}
		if shown == "" {
			return
		}
		if ok, err := relation.Faithful(shown, x); err != nil || !ok {
			t.Errorf("%q is shown, and does not match: %v", shown, err)
		}
		if other := g.Relation(shown); other != relation.None && other != name {
			t.Errorf("%q is shown beside %q, and is known as a rule of %q", shown, name, other)
		}
		if source == relation.Decoded && shown != written {
			t.Errorf("%q was written and %q is shown as such", written, shown)
		}
	})
}
