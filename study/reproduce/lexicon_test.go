package reproduce_test

import (
	"slices"
	"strings"
	"testing"

	"sotto/study/reproduce"
)

func TestReadLexicon(t *testing.T) {
	const list = "; Hu and Liu\n\na+\nabound\ntwo-faced\n  abound \nUpper\nwon't\nbull****\nna\xd4ve\nzest"
	got, err := reproduce.ReadLexicon(strings.NewReader(list))
	if want := []string{"abound", "won't", "zest"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("ReadLexicon = %q, %v, want %q", got, err, want)
	}
	if _, err := reproduce.ReadLexicon(strings.NewReader(strings.Repeat("x", 1<<17))); err == nil || strings.Contains(err.Error(), "xx") {
		t.Errorf("a line of 128 kB: error %v, want one that does not quote it", err)
	}
}

func FuzzReadLexicon(f *testing.F) {
	f.Add("a+\nabound\n; no\n")
	f.Add("na\xd4ve\nnaïve\r\n")
	f.Fuzz(func(t *testing.T, list string) {
		words, err := reproduce.ReadLexicon(strings.NewReader(list))
		if err != nil {
			return
		}
		again, err := reproduce.ReadLexicon(strings.NewReader(strings.Join(words, "\n")))
		if err != nil || !slices.Equal(again, words) {
			t.Errorf("reading the words again gave %q, %v, want %q", again, err, words)
		}
	})
}
