package mask_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"sotto/study/language"
	"sotto/study/language/mask"
	"sotto/text"
)

// TestRelations masks what a text tells of persons, and nothing else.
func TestRelations(t *testing.T) {
	const s = "I work at Google and live in London with my wife Mary Smith. Google paid Bob Jones, and Mary was glad."
	for types, want := range map[string]string{
		"types:relation:employer": "I work at [EMPLOYER] and live in London with my wife Mary Smith. [EMPLOYER] paid Bob Jones, and Mary was glad.",
		"types:relations,person":  "I work at [EMPLOYER] and live in [RESIDENCE] with my wife [FAMILY]. [EMPLOYER] paid [PERSON], and [FAMILY] was glad.",
		"types:relation:residence=pseudonym,organisation": "" +
			"I work at [ORGANISATION] and live in [RESIDENCE-1] with my wife Mary Smith. [ORGANISATION] paid Bob Jones, and Mary was glad.",
		"types:relation:membership": s,
	} {
		m, err := mask.Open(types, mask.Tag, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := text.Apply(s, text.Mask(s, nil, m), ""); got != want {
			t.Errorf("%s: got %q, want %q", types, got, want)
		}
		again, err := mask.Open(m.Rule(), mask.Tag, nil)
		if err != nil || again.Rule() != m.Rule() {
			t.Errorf("the rule %q is not read back: %v", m.Rule(), err)
		}
	}
	m, err := mask.Open("types:relations=fake", mask.Tag, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := text.Apply(s, text.Mask(s, nil, m), ""); strings.Contains(got, "Google") || strings.Contains(got, "London") || strings.Contains(got, "Mary") || !strings.Contains(got, "Bob Jones") {
		t.Errorf("got %q", got)
	}
}

// TestRelationsApart keeps relations out of all other groups, which stay as they were.
func TestRelationsApart(t *testing.T) {
	for _, group := range []string{"all", "names", "identifiers"} {
		types, err := mask.Parse(group, mask.Tag, mask.Known())
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range mask.Relations() {
			if types[r] != "" {
				t.Errorf("%s is of %s", r, group)
			}
		}
	}
	if types, err := mask.Parse("relations", mask.Tag, mask.Known()); err != nil || len(types) != len(mask.Relations()) || !slices.Contains(mask.Relations(), "relation:employer") {
		t.Errorf("relations are %v, %v", types, err)
	}
	if _, err := mask.Open("types:relation:emplyer", mask.Tag, nil); err == nil || !strings.Contains(err.Error(), "relation:employer") {
		t.Errorf("got %v, want an error that lists what there is", err)
	}
	if _, err := mask.Open("relation:employer=tag by names, grammar and relations 0 0", mask.Tag, nil); err == nil {
		t.Error("a rule of another version is taken")
	}
}

// owner tells that whoever is named first owns all organisations of a text.
type owner struct{ fails bool }

func (owner) Relations() []string { return []string{"Owns", "Sees"} }

func (owner) Version() string { return "1" }

func (o owner) Objects(d *language.Document) ([]language.Entity, error) {
	if o.fails {
		return nil, errors.New("it fails")
	}
	var all []language.Entity
	for _, e := range d.Entities {
		if e.Type == language.Organisation {
			e.Type = "Owns"
			all = append(all, e)
		}
	}
	return all, nil
}

// TestOpenBy masks what another tells than the rules that are built in.
func TestOpenBy(t *testing.T) {
	const s = "I work at Google with Bob Jones."
	m, err := mask.OpenBy("types:relation:Owns,person", mask.Tag, nil, owner{})
	if err != nil {
		t.Fatal(err)
	}
	if got := text.Apply(s, text.Mask(s, nil, m), ""); got != "I work at [OWNS] with [PERSON]." {
		t.Errorf("got %q", got)
	}
	again, err := mask.OpenBy(m.Rule(), mask.Tag, nil, owner{})
	if err != nil || again.Rule() != m.Rule() {
		t.Errorf("the rule %q is not read back: %v", m.Rule(), err)
	}
	if _, err = mask.Open(m.Rule(), mask.Tag, nil); err == nil {
		t.Error("a rule of a model is taken without the model")
	}
	group, err := mask.OpenBy("types:relations=pseudonym", mask.Tag, nil, owner{})
	if err != nil {
		t.Fatal(err)
	}
	if got := text.Apply(s, text.Mask(s, nil, group), ""); got != "I work at [OWNS-1] with Bob Jones." {
		t.Errorf("got %q", got)
	}
	if failing, err := mask.OpenBy("types:relations", mask.Tag, nil, owner{fails: true}); err != nil || text.Apply(s, text.Mask(s, nil, failing), "") == s {
		t.Errorf("a text that could not be searched stays as it was: %v", err)
	}
	for types, want := range map[string]string{
		"types:relation:employer":  "relation:Owns",
		"types:relation:Owns=fake": "must be tag, remove or pseudonym",
		"types:email":              "must not be without types of its relations",
	} {
		if _, err := mask.OpenBy(types, mask.Tag, nil, owner{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", types, err, want)
		}
	}
}
