package parse_test

import (
	"testing"

	"sotto/study/language/parse"
)

func TestScript(t *testing.T) {
	for _, tt := range []struct{ form, lemma, script string }{
		{"cats", "cat", "Lb"},
		{"Went", "go", "Ldgo"},
		{"Running", "run", "Le"},
		{"Bushes", "Bush", "Kc"},
		{"n't", "not", "Lbot"},
		{"is", "be", "Lcbe"},
		{"naïves", "naïve", "Lb"},
	} {
		s, found := parse.Script(tt.form, tt.lemma)
		if !found || parse.Apply(s, tt.form) != tt.lemma {
			t.Errorf("script of %s and %s is %q, which makes %s", tt.form, tt.lemma, s, parse.Apply(s, tt.form))
		}
	}
}
