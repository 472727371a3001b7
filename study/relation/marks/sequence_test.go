package marks_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn/transformer/tiny"
	"sotto/study/language"
	"sotto/study/relation"
	"sotto/study/relation/marks"
	"sotto/study/relation/rule"
	"sotto/text/encode/bert"
)

// TestSequence checks where marks stand, in arguments that follow each other, lie within
// one another and are at the ends, and what a sentence that is too long loses.
func TestSequence(t *testing.T) {
	dir := t.TempDir()
	if err := tiny.Even().Write(dir); err != nil {
		t.Fatal(err)
	}
	f, err := bert.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := f.Tokeniser.Vocabulary()
	long := strings.Fields("no no no no no no no the cat no no no no is man no no no no no")
	for _, tt := range []struct {
		words           []string
		subject, object rule.Span
		want            string
	}{
		{[]string{"the", "man", "cats"}, rule.Span{First: 0, End: 2}, rule.Span{First: 2, End: 3}, "[CLS] (0 the man 0) (1 cat ##s 1) [SEP]"},
		{[]string{"the", "man", "is"}, rule.Span{First: 1, End: 2}, rule.Span{First: 0, End: 1}, "[CLS] (1 the 1) (0 man 0) is [SEP]"},
		{[]string{"the", "man"}, rule.Span{First: 0, End: 2}, rule.Span{First: 1, End: 2}, "[CLS] (0 the (1 man 1) 0) [SEP]"},
		{[]string{"the", "man"}, rule.Span{First: 0, End: 2}, rule.Span{First: 0, End: 2}, "[CLS] (0 (1 the man 1) 0) [SEP]"},
		{long, rule.Span{First: 8, End: 9}, rule.Span{First: 14, End: 15}, "[CLS] no the (0 cat 0) no no no is (1 man 1) no no [SEP]"},
	} {
		got, places, err := marks.Sequence(f.Tokeniser, 16, relation.Instance{Doc: document(tt.words), Subject: tt.subject, Object: tt.object})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, id := range got.IDs {
			said = append(said, strings.NewReplacer("[unused0]", "(0", "[unused1]", "0)", "[unused2]", "(1", "[unused3]", "1)").Replace(names[id]))
		}
		if s := strings.Join(said, " "); s != tt.want {
			t.Errorf("%v is %s, want %s", tt.words, s, tt.want)
		}
		for k, at := range places {
			if said[at] != fmt.Sprintf("(%d", k) {
				t.Errorf("%v: mark %d stands at %q", tt.words, k, said[at])
			}
		}
		if len(got.IDs) > 16 || len(got.Types) != len(got.IDs) || slices.Max(got.Types) > 0 {
			t.Errorf("%v has %d tokens and types %v", tt.words, len(got.IDs), got.Types)
		}
	}
}

// document makes one of words.
func document(words []string) *language.Document {
	d := &language.Document{}
	for _, w := range words {
		d.Tokens = append(d.Tokens, language.Token{Text: w})
	}
	return d
}
