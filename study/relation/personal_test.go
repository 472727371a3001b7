package relation_test

import (
	"strings"
	"testing"

	"sotto/study/language/english"
	"sotto/study/relation"
	"sotto/study/relation/rule"
)

// TestRules looks for rules that nothing tries, and that masks cannot ask for. Package judge
// tries the sentences beside them.
func TestRules(t *testing.T) {
	f, err := relation.PersonalRules()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range f.Rules {
		if len(r.Tests) == 0 {
			t.Errorf("rule %s has no sentence", r.Name)
		}
		if relation.PersonalKindOf(r.Relation) == "" && r.Relation != "death_place" {
			t.Errorf("rule %s: relation %s is of no kind", r.Name, r.Relation)
		}
	}
}

func TestPersonalFind(t *testing.T) {
	p, err := english.Load()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"I work at Google and live in London with my wife Mary Smith.": "I employer Google; I residence London; my wife Mary Smith",
		"He was born in Chicago. She joined the Labour Party.":         "He birth_place Chicago; She member_of Labour Party",
		"The weather in London is fine.":                               "",
	} {
		d, err := p.Document(text)
		if err != nil {
			t.Fatal(err)
		}
		before := len(d.Entities)
		found, err := relation.FindPersonal(d)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range found {
			say := func(s rule.Span) string { return text[d.Tokens[s.First].Start:d.Tokens[s.End-1].End] }
			got = append(got, say(f.Subject)+" "+f.Relation+" "+say(f.Object))
		}
		if s := strings.Join(got, "; "); s != want || len(d.Entities) != before {
			t.Errorf("%q: got %q, want %q", text, s, want)
		}
	}
}
