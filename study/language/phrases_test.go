package language_test

import (
	"slices"
	"testing"

	"sotto/study/language"
)

// tree is a document of words with their heads, one sentence.
func tree(heads ...int) *language.Document {
	d := &language.Document{}
	for _, h := range heads {
		d.Tokens = append(d.Tokens, language.Token{Head: h, DepRel: "dep", UPOS: "NOUN"})
	}
	return d
}

func TestPhrases(t *testing.T) {
	// A dull film with a brilliant cast .
	film := tree(2, 2, -1, 6, 6, 6, 2, 2)
	film.Tokens[7].UPOS = "PUNCT"
	// A hearing is scheduled on the issue: "a hearing on the issue" is not one stretch.
	hearing := tree(1, 3, 3, -1, 6, 6, 1)
	// An aside with its commas: of it, the commas are not part.
	aside := tree(3, 3, 3, 4, -1)
	aside.Tokens[0].UPOS, aside.Tokens[2].UPOS = "PUNCT", "PUNCT"
	for name, c := range map[string]struct {
		d    *language.Document
		want [][2]int
	}{
		"a film":      {film, [][2]int{{3, 7}}},
		"a hearing":   {hearing, [][2]int{{4, 7}}},
		"an aside":    {aside, [][2]int{{1, 4}}},
		"nested":      {tree(1, 2, 3, -1), [][2]int{{0, 3}, {0, 2}}},
		"no tree":     {&language.Document{Tokens: make([]language.Token, 3)}, nil},
		"a circle":    {tree(1, 0, -1), nil},
		"no such one": {tree(7, -5), nil},
		"no token":    {&language.Document{}, nil},
	} {
		if got := c.d.Phrases(); !slices.Equal(got, c.want) {
			t.Errorf("%s has phrases %v, want %v", name, got, c.want)
		}
	}
}
