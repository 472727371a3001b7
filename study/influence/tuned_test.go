package influence_test

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer/tiny"
	"sotto/study/influence"
	"sotto/text"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
)

// tuned returns the folder of a tiny transformer that was tuned with a linear layer, and
// that of the one it was before.
func tuned(t *testing.T) (dir, from string) {
	t.Helper()
	dir, from = filepath.Join(t.TempDir(), "tuned"), t.TempDir()
	if err := tiny.Even().Write(from); err != nil {
		t.Fatal(err)
	}
	f, err := bert.Read(from)
	if err != nil {
		t.Fatal(err)
	}
	trainer, err := tune.New(f, tune.Data{
		Texts:  []string{"a man is playing", "the man plays", "no cat", "the cat is playing", "a man", "a cat"},
		Labels: [][]int{{0, 0, 1, 1, 0, 1}}, Classes: []int{2}, Weights: []float64{1},
		Train: []int{0, 1, 2, 3}, Validation: []int{4, 5},
	}, tune.Settings{Epochs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = trainer.Make(t.Context(), dir, bert.Manifest{Parent: "tiny", Data: "animals"}, tune.Options{Pool: nn.NewPool(1)}); err != nil {
		t.Fatal(err)
	}
	return dir, from
}

// A tuned transformer is read at the mask and word by word, and answers by its own layer.
func TestTuned(t *testing.T) {
	ctx := t.Context()
	dir, from := tuned(t)
	m, err := influence.OpenTuned(dir, "who", []string{"man", "cat"})
	if err != nil {
		t.Fatal(err)
	}
	if m.Kind() != influence.Tuned || !m.Slow() || m.Size() != m.Dim() {
		t.Errorf("the teacher is %s, slow %v, with %d numbers of %d", m.Kind(), m.Slow(), m.Size(), m.Dim())
	}
	// Behind the mask nobody sees what stood there, and elsewhere everybody does.
	places := []influence.TeacherPlace{
		{Text: "the man is playing", Span: text.Span{Start: 4, End: 7}},
		{Text: "the cat is playing", Span: text.Span{Start: 4, End: 7}},
		{Text: "the cat is playing", Span: text.Span{Start: 11, End: 18}},
	}
	vectors, read, err := m.Contexts(ctx, places, 2)
	if err != nil {
		t.Fatal(err)
	}
	if read.Cols != m.Context() || !slices.Equal(read.Row(0), read.Row(1)) || slices.Equal(read.Row(1), read.Row(2)) {
		t.Errorf("contexts of %d numbers, want %d, which what is masked does not change and its place does", read.Cols, m.Context())
	}
	for i, p := range places {
		_, one, failed := m.Contexts(ctx, places[i:i+1], 1)
		masked, too := m.Masked(ctx, []string{p.Text}, [][]text.Span{{p.Span}}, 1)
		if err = errors.Join(failed, too); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(one.Data, read.Row(i)) || !slices.Equal(masked.Data, vectors.Row(i)) || !slices.Equal(masked.Data, read.Row(i)[read.Cols-m.Dim():]) {
			t.Errorf("context %d depends on others, or its vector is not that of the masked text", i)
		}
	}
	// "play" and "playing" begin with the same piece, and are not the same word.
	words, err := m.Words(ctx, []string{"play", "playing"}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if words.Cols != m.Word() || !slices.Equal(words.Row(0)[:m.Dim()], words.Row(1)[:m.Dim()]) || slices.Equal(words.Row(0), words.Row(1)) {
		t.Errorf("words of %d numbers, want %d, of which the first are of the first piece", words.Cols, m.Word())
	}
	head, err := tune.ReadHead(dir)
	if err != nil {
		t.Fatal(err)
	}
	if weight, bias := m.Head(); !slices.Equal(weight.Data, head.Weight.Data) || !slices.Equal(bias, head.Bias) {
		t.Error("the layer is not the one that the transformer was tuned with")
	}
	if _, err = influence.OpenTuned(dir, "who", []string{"man", "cat", "dog"}); err == nil {
		t.Error("a transformer that tells two classes is taken for one that tells three")
	}
	if _, err = influence.OpenTuned(from, "who", []string{"man", "cat"}); err == nil {
		t.Error("a transformer that was not tuned is taken for one that was")
	}
}
