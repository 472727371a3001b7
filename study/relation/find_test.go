package relation_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"sotto/study/language"
	"sotto/study/relation"
	"sotto/study/relation/rule"
)

// twin says that any person and organisation that it is asked about are twins.
type twin struct{ nouns bool }

func (t twin) Judge(_ context.Context, all []relation.Instance) ([]relation.Verdict, error) {
	out := make([]relation.Verdict, len(all))
	for k := range out {
		out[k] = relation.Verdict{Relation: "twin", Confidence: 0.75}
	}
	return out, nil
}

func (t twin) Knows(s, o language.Type) bool {
	if t.nouns {
		return s == language.Miscellaneous && o == s
	}
	return s == language.Person && o == language.Organisation
}

func (t twin) Relations() []string {
	if t.nouns {
		return []string{"Twin-Of(e1,e2)"}
	}
	return []string{"twin"}
}

// said writes what was found in a text, and checks its places.
func said(t *testing.T, text string, all []relation.Found) string {
	t.Helper()
	var each []string
	for _, r := range all {
		for _, a := range []relation.Argument{r.Subject, r.Object} {
			if text[a.Start:a.End] != a.Text {
				t.Errorf("bytes %d to %d are %q, want %q", a.Start, a.End, text[a.Start:a.End], a.Text)
			}
		}
		each = append(each, fmt.Sprintf("%s %s %s", r.Subject.Text, r.Type, r.Object.Text))
	}
	return strings.Join(each, "; ")
}

func TestFind(t *testing.T) {
	f, err := relation.PersonalRules()
	if err != nil {
		t.Fatal(err)
	}
	rules, err := relation.NewRules(f)
	if err != nil {
		t.Fatal(err)
	}
	text := "It rained. I work at Google, and Mary Smith of London paid for the müsli."
	for want, m := range map[string]relation.Model{
		"I employer Google; Mary Smith residence London": rules,
		"I twin Google; Mary Smith twin Google":          twin{},
	} {
		finder, fault := relation.NewFinder(m)
		if fault != nil {
			t.Fatal(fault)
		}
		found, fault := finder.FindAll(t.Context(), []string{"", text}, 2)
		if fault != nil || len(found[0]) > 0 {
			t.Fatal(found, fault)
		}
		if got := said(t, text, found[1]); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	finder, err := relation.NewFinder(twin{nouns: true})
	if err != nil {
		t.Fatal(err)
	}
	text = "The fire caused much damage."
	found, err := finder.Find(t.Context(), text)
	if got := said(t, text, found); err != nil || got != "fire twin damage" {
		t.Errorf("got %q, %v", got, err)
	}
	// Nouns that are more than three steps apart in the tree are not asked about: the damage
	// is the fire's, and the neighbour is four steps from the fire.
	text = "The fire caused damage to the roof of the house of a neighbour."
	found, err = finder.Find(t.Context(), text)
	if got := said(t, text, found); err != nil || !strings.Contains(got, "fire twin roof") || strings.Contains(got, "fire twin neighbour") {
		t.Errorf("got %q, %v", got, err)
	}
}

// TestFindAll finds the same in many texts at once as in each alone.
func TestFindAll(t *testing.T) {
	finder, err := relation.NewFinder(twin{})
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for k := range 40 {
		texts = append(texts, strings.Repeat("Mary Smith of London works at Google. ", k%3)+"It rained.")
	}
	all, err := finder.FindAll(t.Context(), texts, 2)
	if err != nil || len(all) != len(texts) {
		t.Fatalf("%d of %d texts, %v", len(all), len(texts), err)
	}
	for k, text := range texts {
		alone, err := finder.Find(t.Context(), text)
		if err != nil || said(t, text, all[k]) != said(t, text, alone) || len(alone) != k%3 {
			t.Errorf("text %d: %q among others, %q alone, %v", k+1, said(t, text, all[k]), said(t, text, alone), err)
		}
	}
}

// TestFindSkips keeps what other rules find where one takes too long.
func TestFindSkips(t *testing.T) {
	f, err := rule.Parse(strings.NewReader("rule greedy: A\ntokens []+=subject []* []+=object\nrule modest: B\ntokens dog=subject saw cat=object"))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := relation.NewRules(f)
	if err != nil {
		t.Fatal(err)
	}
	finder, err := relation.NewFinder(rules)
	if err != nil {
		t.Fatal(err)
	}
	var skipped error
	finder.Skipped = func(err error) { skipped = err }
	found, err := finder.Find(t.Context(), "dog saw cat "+strings.Repeat("and then ", 100))
	if err != nil || !errors.Is(skipped, rule.ErrBudget) || len(found) != 1 || found[0].Type != "B" {
		t.Errorf("%d found, %v, skipped %v", len(found), err, skipped)
	}
}

// BenchmarkFind tells how many sentences a second a core goes through.
func BenchmarkFind(b *testing.B) {
	f, err := relation.PersonalRules()
	if err != nil {
		b.Fatal(err)
	}
	rules, err := relation.NewRules(f)
	if err != nil {
		b.Fatal(err)
	}
	finder, err := relation.NewFinder(rules)
	if err != nil {
		b.Fatal(err)
	}
	text := "Ann Lee, a former director of the FBI, lives in Ames, Iowa, with her husband, the actor John Smith. " +
		"She worked for Acme from 2001 to 2010 and graduated from Princeton University. " +
		"The weather was fine that day, and nobody thought of leaving before the evening."
	n := 0
	for b.Loop() {
		if _, err := finder.Find(b.Context(), text); err != nil {
			b.Fatal(err)
		}
		n += 3
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "sentences/s")
}
