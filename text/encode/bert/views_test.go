package bert_test

import (
	"context"
	"slices"
	"testing"

	"sotto/compute/nn"
	"sotto/text"
	"sotto/text/encode/bert"
)

// One pass must give what two others do: the vector of the masked text, and the
// vector of a word by itself after the last layer.
func TestView(t *testing.T) {
	ctx := context.Background()
	m := even().open(t, bert.Options{})
	texts, spans := []string{"the cat sat", "cat", "the the sat"}, []text.Span{{Start: 4, End: 7}, {Start: 0, End: 3}, {Start: 0, End: 7}}
	var seen []bert.Viewed
	var masked [][]text.Span
	for i, s := range texts {
		seen = append(seen, m.MaskView(s, spans[i]))
		masked = append(masked, []text.Span{spans[i]})
	}
	want := nn.NewMatrix(len(texts), m.Dim())
	if err := m.EncodeMasked(ctx, want, texts, masked, 2); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 3} {
		got, views := nn.NewMatrix(len(texts), m.Dim()), nn.NewMatrix(len(texts), 2*m.Dim())
		if err := m.View(ctx, got, views, seen, []int{0, m.Layers()}, workers); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Data, want.Data) {
			t.Errorf("with %d workers vectors differ from those of EncodeMasked", workers)
		}
	}
	words, err := m.EncodeWords(ctx, [][]string{{"cat"}}, 1)
	if err != nil {
		t.Fatal(err)
	}
	one, view := nn.NewMatrix(1, m.Dim()), nn.NewMatrix(1, m.Dim())
	if err := m.View(ctx, one, view, []bert.Viewed{m.WordView("cat")}, []int{m.Layers()}, 1); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(view.Data, words[0].Data) {
		t.Error("the view after the last layer differs from the vector of the word")
	}
	if err := m.View(ctx, one, view, []bert.Viewed{{Tokens: seen[0].Tokens, At: len(seen[0].IDs)}}, []int{0}, 1); err == nil {
		t.Error("a token behind the last one is seen")
	}
	if err := m.View(ctx, one, view, seen[:1], []int{m.Layers() + 1}, 1); err == nil {
		t.Error("a layer behind the last one is seen")
	}
}

// Tokens at some places have the vectors that the words have to which they belong.
func TestEncodePlaces(t *testing.T) {
	m := even().open(t, bert.Options{})
	sentences := [][]string{{"the", "cat", "sat"}, {"cat"}}
	want, err := m.EncodeWords(t.Context(), sentences, 1)
	if err != nil {
		t.Fatal(err)
	}
	var tokens []text.Tokens
	var places [][]int
	for _, s := range sentences {
		w := bert.WordSequences(m.WordPiece(), s, m.Limit())[0]
		tokens, places = append(tokens, w.Tokens), append(places, w.First)
	}
	for _, workers := range []int{1, 3} {
		got, err := m.EncodePlaces(t.Context(), tokens, places, workers)
		if err != nil {
			t.Fatal(err)
		}
		for i := range got {
			if !slices.Equal(got[i].Data, want[i].Data) {
				t.Errorf("with %d workers the vectors of sentence %d differ from those of its words", workers, i)
			}
		}
	}
	for _, bad := range [][][]int{{{0}}, {{0}, {99}}, {{-1}, {0}}} {
		if _, err := m.EncodePlaces(t.Context(), tokens, bad, 1); err == nil {
			t.Errorf("places %v are taken", bad)
		}
	}
}
