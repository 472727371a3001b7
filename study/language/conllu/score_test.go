package conllu_test

import (
	"errors"
	"fmt"
	"testing"

	"sotto/study/language"
	"sotto/study/language/conllu"
)

// document returns a document of "Don't go. Stop": words of the given places,
// in the given sentences, fused with the one before where fused is a place.
func document(spans [][2]int, sentence, head []int, fused int) *language.Document {
	d := &language.Document{Text: "Don't go. Stop"}
	for i, s := range spans {
		t := language.Token{Text: d.Text[s[0]:s[1]], Start: s[0], End: s[1], Sentence: sentence[i], Head: head[i], Fused: i == fused, UPOS: "X", XPOS: "Y", Lemma: "l", DepRel: "dep:sub"}
		d.Tokens = append(d.Tokens, t)
	}
	return d
}

// gold is the truth of the tests.
func gold() *language.Document {
	return document([][2]int{{0, 2}, {2, 5}, {6, 8}, {8, 9}, {10, 14}}, []int{0, 0, 0, 0, 1}, []int{2, 2, -1, 2, -1}, 1)
}

func TestTrees(t *testing.T) {
	for _, tt := range []struct {
		name   string
		system func(*language.Document) *language.Document
		want   string // tokens, sentences, words, UPOS, XPOS, lemmas, UAS, LAS and all of it right, of the system's words
	}{
		{"same", func(d *language.Document) *language.Document { return d }, "4 2 5 5 5 5 5 5 5 of 5"},
		{"tags", func(d *language.Document) *language.Document {
			d.Tokens[0].UPOS, d.Tokens[1].XPOS, d.Tokens[2].Lemma = "A", "B", "C"
			return d
		}, "4 2 5 4 4 4 5 5 5 of 5"},
		{"heads and relations", func(d *language.Document) *language.Document {
			d.Tokens[0].Head, d.Tokens[1].DepRel, d.Tokens[3].DepRel = 3, "other", "dep"
			return d
		}, "4 2 5 5 5 5 4 3 2 of 5"},
		{"one word more", func(*language.Document) *language.Document { // G and o
			return document([][2]int{{0, 2}, {2, 5}, {6, 7}, {7, 8}, {8, 9}, {10, 14}}, []int{0, 0, 0, 0, 0, 1}, []int{2, 2, -1, 2, 2, -1}, 1)
		}, "3 2 4 4 4 4 1 1 1 of 6"},
		{"not fused", func(*language.Document) *language.Document { // words of the same form in place of the fused one count
			return document([][2]int{{0, 2}, {2, 5}, {6, 8}, {8, 9}, {10, 14}}, []int{0, 0, 0, 0, 1}, []int{2, 2, -1, 2, -1}, -1)
		}, "3 2 5 5 5 5 5 5 5 of 5"},
		{"fused word as one", func(*language.Document) *language.Document {
			return document([][2]int{{0, 5}, {6, 8}, {8, 9}, {10, 14}}, []int{0, 0, 0, 1}, []int{1, -1, 1, -1}, -1)
		}, "4 2 3 3 3 3 3 3 3 of 4"},
		{"one sentence", func(d *language.Document) *language.Document {
			d.Tokens[4].Sentence, d.Tokens[4].Head = 0, 2
			return d
		}, "4 0 5 5 5 5 4 4 4 of 5"},
	} {
		s, err := conllu.Trees(gold(), tt.system(gold()))
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(s.Tokens.Right, s.Sentences.Right, s.Words.Right, s.UPOS.Right, s.XPOS.Right, s.Lemmas.Right, s.UAS.Right, s.LAS.Right, s.Full.Right, " of ", s.Words.System)
		if got != tt.want {
			t.Errorf("%s: right are %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestOtherText(t *testing.T) {
	other := gold()
	other.Text = "Don't go. Stay"
	if _, err := conllu.Trees(gold(), other); !errors.Is(err, conllu.ErrText) {
		t.Errorf("Trees() error = %v, want %v", err, conllu.ErrText)
	}
}

func ExampleF1() {
	f := conllu.F1{Gold: 4, System: 5, Right: 3}
	fmt.Printf("%.3f %.3f %.3f\n", f.Precision(), f.Recall(), f.Score())
	// Output: 0.600 0.750 0.667
}

func TestEntities(t *testing.T) {
	e := func(kind language.Type, start, end int) language.Entity {
		return language.Entity{Type: kind, Start: start, End: end}
	}
	gold := []language.Entity{e(language.Person, 0, 3), e(language.Place, 5, 9)}
	system := []language.Entity{e(language.Person, 0, 3), e(language.Person, 5, 9), e(language.Place, 10, 12)}
	if got, want := conllu.Entities(gold, system), (conllu.F1{Gold: 2, System: 3, Right: 1}); got != want {
		t.Errorf("Entities() = %+v, want %+v", got, want)
	}
}
