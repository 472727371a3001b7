package mask_test

import (
	"slices"
	"strings"
	"testing"

	"sotto/language/mask"
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
