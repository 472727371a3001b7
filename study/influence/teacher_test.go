package influence_test

import (
	"context"
	"slices"
	"testing"

	"sotto/compute/nn"
	"sotto/study/influence"
	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/static"
)

var reviews = influence.Texts{
	Label: "sentiment", Classes: []string{"negative", "positive"},
	Texts:  []string{"a dull film", "an awful plot", "a bad cast", "a brilliant film", "a superb plot", "a good cast"},
	Labels: []int{0, 0, 0, 1, 1, 1},
}

// A context is the text without the part, whoever reads it.
func TestReaders(t *testing.T) {
	ctx := context.Background()
	table, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	hash, err := encode.NewHash(64)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []encode.Source{table, hash} {
		r := influence.NewReader(e)
		p := influence.TeacherPlace{Text: "a very dull film", Span: text.Span{Start: 7, End: 11}}
		if p.Part() != "dull" || p.With("long") != "a very long film" {
			t.Fatalf("the part is %q", p.Part())
		}
		vectors, read, err := r.Contexts(ctx, []influence.TeacherPlace{p}, 1)
		if err != nil {
			t.Fatal(err)
		}
		masked, err := r.Masked(ctx, []string{p.Text}, [][]text.Span{{p.Span}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := r.Vectors(ctx, []string{"a very  film"}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(vectors.Data, masked.Data) || !slices.Equal(vectors.Data, plain.Data) {
			t.Errorf("%s: the vector of a context is not that of the text without the part", r.Name())
		}
		words, err := r.Words(ctx, []string{"dull", "film"}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if read.Cols != r.Context() || words.Cols != r.Word() || words.Rows != 2 {
			t.Errorf("%s: a context has %d numbers and a word %d, want %d and %d", r.Name(), read.Cols, words.Cols, r.Context(), r.Word())
		}
	}
}

func TestFitted(t *testing.T) {
	ctx := context.Background()
	e, err := static.Default()
	if err != nil {
		t.Fatal(err)
	}
	f, err := influence.FitTeacher(ctx, e, reviews, 1)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Answers(ctx, reviews.Texts, 1)
	if err != nil || !slices.Equal(got, reviews.Labels) {
		t.Errorf("answers are %v, want %v", got, reviews.Labels)
	}
	weight, bias := f.Head()
	again, err := influence.Refitted(ctx, e, reviews.Label, reviews.Classes, weight, bias)
	if err != nil {
		t.Fatal(err)
	}
	if again.Digest() != f.Digest() {
		t.Error("the same layer makes another teacher")
	}
	other := weight.Clone()
	other.Data[0]++
	if again, err = influence.Refitted(ctx, e, reviews.Label, reviews.Classes, other, bias); err != nil || again.Digest() == f.Digest() {
		t.Errorf("another layer makes the same teacher, or error %v", err)
	}
	if _, err = influence.Refitted(ctx, e, reviews.Label, reviews.Classes, nn.NewMatrix(3, 2), bias); err == nil {
		t.Error("a layer that does not fit is taken")
	}
	share, err := f.NoiseFlips(ctx, reviews.Texts, 1)
	if err != nil || share != 0 {
		t.Errorf("without noise %v of answers flip", share)
	}
	if _, err = influence.OpenTuned(t.TempDir(), "a", []string{"b", "c"}); err == nil {
		t.Error("an empty folder is a tuned transformer")
	}
}
