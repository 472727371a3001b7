package direction_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"sotto/study/bias/direction"
)

func TestBuiltin(t *testing.T) {
	want := []string{"en", "zh", "es", "ar", "de", "fr", "fa", "ur", "wo"}
	if got := direction.Languages(); !slices.Equal(got, want) {
		t.Fatalf("Languages() = %v, want %v", got, want)
	}
	english, err := direction.Builtin("en")
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range want {
		w, err := direction.Builtin(language)
		if err != nil {
			t.Fatal(err)
		}
		if len(w.Pairs) != 7 || len(w.Professions) != 32 {
			t.Errorf("%s has %d pairs and %d professions, want 7 and 32", language, len(w.Pairs), len(w.Professions))
			continue
		}
		for i, p := range w.Pairs {
			if p.Name != english.Pairs[i].Name {
				t.Errorf("%s: pair %d is %s, want %s", language, i, p.Name, english.Pairs[i].Name)
			}
		}
		for i, p := range w.Professions {
			if p.Name != english.Professions[i].Name {
				t.Errorf("%s: profession %d is %s, want %s", language, i, p.Name, english.Professions[i].Name)
			}
			for _, f := range p.Female {
				if slices.Contains(p.Male, f) || slices.Contains(p.Neutral, f) {
					t.Errorf("%s: %s stands under several genders, want one", language, p.Name)
				}
			}
		}
	}
	if _, err := direction.Builtin("tlh"); err == nil {
		t.Error("Builtin of a language without words has no error, want one")
	}
	if n := len(direction.Bolukbasi()); n != 10 {
		t.Errorf("Bolukbasi has %d pairs, want 10", n)
	}
}

func TestParseWordsRefuses(t *testing.T) {
	const pair = `"pairs": [{"name": "p", "f": "she", "m": "he"}]`
	for _, tt := range []struct{ name, in, want string }{
		{"no JSON", `x`, "not a list"},
		{"no list", `{}`, "not a list"},
		{"empty", `[]`, "is empty"},
		{"more behind", `[{"language": "x", ` + pair + `}] 1`, "follows"},
		{"unknown field", `[{"language": "x", "jobs": [], ` + pair + `}]`, "unknown field"},
		{"no language", `[{` + pair + `}]`, "its language is empty"},
		{"bad language", `[{"language": "a=b", ` + pair + `}]`, "equals sign"},
		{"no pairs", `[{"language": "x"}]`, "has no pairs"},
		{"half a pair", `[{"language": "x", "pairs": [{"name": "p", "f": "she"}]}]`, "pair 1: f or m is blank"},
		{"escape in a word", `[{"language": "x", "pairs": [{"name": "p", "f": "\u001b[2J", "m": "he"}]}]`, "control characters"},
		{"turned text in a note", `[{"language": "x", "pairs": [{"name": "p", "f": "she", "m": "he", "note": "\u202eabc"}]}]`, "control characters"},
		{"pair twice", `[{"language": "x", "pairs": [{"name": "p", "f": "a", "m": "b"}, {"name": "p", "f": "c", "m": "d"}]}]`, "pair 2: its name stands there twice"},
		{"language twice", `[{"language": "x", ` + pair + `}, {"language": "x", ` + pair + `}]`, "word set 2: its language has one already"},
		{"no name", `[{"language": "x", ` + pair + `, "professions": [{"n": ["a"]}]}]`, "profession 1: its name is blank"},
		{"no forms", `[{"language": "x", ` + pair + `, "professions": [{"name": "a"}]}]`, "it has no forms"},
		{"blank form", `[{"language": "x", ` + pair + `, "professions": [{"name": "a", "f": [" "]}]}]`, "a form is blank"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := direction.ParseWords([]byte(tt.in)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("ParseWords error is %v, want it to say %q", err, tt.want)
			}
		})
	}
}

// TestAll: parts of words are wanted too, and both forms of Unicode.
func TestAll(t *testing.T) {
	w := direction.Words{Pairs: pairsOf("doom ju góor", "yaay")}
	want := []string{"doom", "doom ju go\u0301or", "doom ju g\u00f3or", "go\u0301or", "g\u00f3or", "ju", "yaay"}
	if got := w.All(); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		t.Errorf("All() = %q, want %q", got, want)
	}
}

func FuzzParseWords(f *testing.F) {
	f.Add([]byte(`[{"language": "x", "pairs": [{"name": "p", "f": "she", "m": "he"}], "professions": [{"name": "a", "n": ["e\u0301"]}]}]`))
	f.Add([]byte(`[{"language": "x"`))
	f.Add([]byte(`[{"lAnguAge": "0", "pairs": [{"name": "0", "f": "0", "m": "0"}], "professions": []}]`)) // case and an empty list
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := direction.ParseWords(data)
		if err != nil {
			return
		}
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		again, err := direction.ParseWords(text)
		if err != nil {
			t.Fatalf("ParseWords of what it made: %v", err)
		}
		if got, _ := json.Marshal(again); !bytes.Equal(got, text) {
			t.Errorf("ParseWords of what it made is %s, want %s", got, text)
		}
	})
}
