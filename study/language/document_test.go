package language_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"sotto/study/language"
)

func TestCheck(t *testing.T) {
	good := func() *language.Document {
		return &language.Document{
			Text: "Ann ran.",
			Tokens: []language.Token{
				{Text: "Ann", Start: 0, End: 3, Head: 1, DepRel: "nsubj"},
				{Text: "ran", Start: 4, End: 7, Head: -1, DepRel: "root"},
				{Text: ".", Start: 7, End: 8, Head: 1, DepRel: "punct"},
			},
			Entities: []language.Entity{{Type: language.Person, Start: 0, End: 3, Confidence: 1}},
		}
	}
	for _, tt := range []struct {
		name  string
		spoil func(*language.Document)
		want  string
	}{
		{"good", func(*language.Document) {}, ""},
		{"overlap", func(d *language.Document) { d.Tokens[1].Start = 2 }, "token 1 is at bytes 2 to 7"},
		{"behind the end", func(d *language.Document) { d.Tokens[2].End = 9 }, "token 2 is at bytes 7 to 9"},
		{"empty", func(d *language.Document) { d.Tokens[2].End = 7 }, "token 2 is at bytes 7 to 7"},
		{"sentences", func(d *language.Document) { d.Tokens[2].Sentence = 2 }, "token 2 is in sentence 2 behind sentence 0"},
		{"no first sentence", func(d *language.Document) { d.Tokens[0].Sentence = 1 }, "token 0 is in sentence 1"},
		{"own head", func(d *language.Document) { d.Tokens[0].Head = 0 }, "token 0 has head 0"},
		{"head elsewhere", func(d *language.Document) { d.Tokens[0].Head = 3 }, "token 0 has head 3"},
		{"entity", func(d *language.Document) { d.Entities[0].End = 9 }, "entity 0 is at bytes 0 to 9"},
	} {
		d := good()
		tt.spoil(d)
		if err := d.Check(); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: Check() = %v, want %q", tt.name, err, tt.want)
		}
	}
}

// failing is an annotator that fails.
type failing struct{ err error }

func (f failing) Annotate(*language.Document) error { return f.err }

func TestPipeline(t *testing.T) {
	want := errors.New("no")
	if _, err := (language.Pipeline{failing{}, failing{want}}).Document("a text"); !errors.Is(err, want) {
		t.Errorf("Document() error = %v, want %v", err, want)
	}
}

func ExamplePipeline() {
	d, err := language.Pipeline{}.Document("Ann's e-mail is ann@example.com.")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range d.Tokens {
		fmt.Println(t.Start, t.End, t.Text)
	}
	// Output:
	// 0 3 Ann
	// 3 5 's
	// 6 12 e-mail
	// 13 15 is
	// 16 31 ann@example.com
	// 31 32 .
}
