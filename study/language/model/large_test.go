package model_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer/tiny"
	"sotto/study/language"
	"sotto/study/language/conllu"
	"sotto/study/language/model"
	"sotto/study/language/parse"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
)

// lesson is a treebank of two sentences that can be learnt by heart.
const largeLesson = "1\tDogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n" +
	"2\tplay\tplay\tVERB\tVBP\t_\t0\troot\t_\t_\n" +
	"3\tguitars\tguitar\tNOUN\tNNS\t_\t2\tobj\t_\tSpaceAfter=No\n" +
	"4\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_\n\n" +
	"1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n" +
	"2\tcat\tcat\tNOUN\tNN\t_\t3\tnsubj\t_\t_\n" +
	"3\tran\trun\tVERB\tVBD\t_\t0\troot\t_\t_\n" +
	"4\taway\taway\tADV\tRB\t_\t3\tadvmod\t_\t_\n\n"

func treebank(tb testing.TB, times int) *language.Document {
	tb.Helper()
	all, err := conllu.ReadAll(strings.NewReader(strings.Repeat(largeLesson, times)))
	if err != nil {
		tb.Fatal(err)
	}
	return conllu.Document(all...)
}

// parent writes a random transformer that reads 40 tokens.
func parent(tb testing.TB) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := tiny.Even().Write(dir); err != nil {
		tb.Fatal(err)
	}
	return dir
}

// settings are those of a small network.
func settings(epochs int) model.LargeSettings {
	return model.LargeSettings{
		Network: parse.Config{Shape: parse.Shape{Width: 32, Layers: "r", Arc: 16, Label: 16}, Least: 1},
		Tune:    tune.Settings{Epochs: epochs, Batch: 4, Rate: 1e-3, Patience: epochs, Seed: 1},
	}
}

// train learns the lesson on some workers and returns the folder.
func largeTrain(tb testing.TB, epochs, workers int) (string, *model.LargeResult) {
	tb.Helper()
	out := filepath.Join(tb.TempDir(), "model")
	d := model.LargeData{Parent: "tiny", Notice: "from nobody", Train: treebank(tb, 8), Validation: treebank(tb, 1)}
	r, err := model.TrainLarge(tb.Context(), parent(tb), out, d, settings(epochs), tune.Options{Pool: nn.NewPool(workers)})
	if err != nil {
		tb.Fatal(err)
	}
	return out, r
}

// What is learnt by heart is said again by the folder, whose encoder is opened as any
// other is.
func TestLearns(t *testing.T) {
	dir, r := largeTrain(t, 15, 1)
	if r.LAS != 1 || r.Manifest.HeadFile != model.LargeFile || r.Manifest.Parent != "tiny" {
		t.Errorf("LAS %v in epoch %d, with %+v", r.LAS, r.Epoch, r.Manifest)
	}
	m, err := model.OpenLarge(dir)
	if err != nil {
		t.Fatal(err)
	}
	if m.Notice() != "from nobody" {
		t.Errorf("notice is %q", m.Notice())
	}
	want := treebank(t, 1)
	got := &language.Document{Text: want.Text, Tokens: language.Tokens(want.Text)}
	for i := range got.Tokens {
		got.Tokens[i].Sentence = want.Tokens[i].Sentence
	}
	if err = m.Trees().Annotate(got); err != nil {
		t.Fatal(err)
	}
	for i := range want.Tokens {
		if got.Tokens[i] != want.Tokens[i] {
			t.Errorf("token %d is %+v, want %+v", i, got.Tokens[i], want.Tokens[i])
		}
	}
	e, err := bert.Open(dir, bert.Options{})
	if err != nil || e.Name() != r.Manifest.Name() {
		t.Errorf("the encoder does not open: %v", err)
	}
	long(t, m)
}

// long checks that sentences that are longer than the transformer reads, and longer
// than trees are made of at once, come out whole.
func long(t *testing.T, m *model.Model) {
	t.Helper()
	for _, words := range []int{1, 41, 300} {
		d := &language.Document{Text: strings.Repeat("cat ", words)}
		d.Tokens = language.Tokens(d.Text)
		if err := m.Trees().Annotate(d); err != nil {
			t.Fatal(err)
		}
		roots := 0
		for i, token := range d.Tokens {
			if token.Head < -1 || token.Head >= words || token.Head == i || token.UPOS == "" {
				t.Fatalf("token %d of %d is %+v", i, words, token)
			}
			if token.Head == -1 {
				roots++
			}
		}
		if roots != 1 {
			t.Errorf("%d roots in a sentence of %d words, want one", roots, words)
		}
	}
}

func files(tb testing.TB, dir string) map[string][]byte {
	tb.Helper()
	all := map[string][]byte{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	for _, e := range entries {
		if all[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			tb.Fatal(err)
		}
	}
	return all
}

func TestWorkers(t *testing.T) {
	a, _ := largeTrain(t, 1, 1)
	b, _ := largeTrain(t, 1, 3)
	one, three := files(t, a), files(t, b)
	if len(one) != len(three) || one[model.LargeFile] == nil {
		t.Fatalf("%d and %d files", len(one), len(three))
	}
	for name, content := range one {
		if !bytes.Equal(content, three[name]) {
			t.Errorf("one worker and three write different files %s", name)
		}
	}
}

func TestStopped(t *testing.T) {
	folder := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	d := model.LargeData{Train: treebank(t, 8), Validation: treebank(t, 1)}
	_, err := model.TrainLarge(ctx, parent(t), filepath.Join(folder, "model"), d, settings(3), tune.Options{Progress: func(p tune.Progress) {
		if p.Step == 2 {
			stop()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
	if left := files(t, folder); len(left) != 0 {
		t.Errorf("it left %d files", len(left))
	}
}

func TestRefused(t *testing.T) {
	dir, _ := largeTrain(t, 1, 1)
	if _, err := model.Load(filepath.Join(dir, model.LargeFile)); !errors.Is(err, parse.ErrEncoder) {
		t.Errorf("the file without its folder: %v", err)
	}
	content := files(t, dir)
	m, err := model.Decode(content[model.LargeFile])
	if err != nil {
		t.Fatal(err)
	}
	if err = m.Trees().Annotate(treebank(t, 1)); !errors.Is(err, parse.ErrEncoder) {
		t.Errorf("a model without its encoder: %v", err)
	}
	if _, err = model.OpenLarge(parent(t)); err == nil || !strings.Contains(err.Error(), "language train --encoder") {
		t.Errorf("a plain transformer: %v", err)
	}
	for _, name := range []string{model.LargeFile, "model.safetensors"} {
		broken := bytes.Clone(content[name])
		broken[len(broken)-1] ^= 1
		if err = os.WriteFile(filepath.Join(dir, name), broken, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err = model.OpenLarge(dir); err == nil || !strings.Contains(err.Error(), "copy the folder again") {
			t.Errorf("a damaged %s: %v", name, err)
		}
		if err = os.WriteFile(filepath.Join(dir, name), content[name], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bare := treebank(t, 1)
	bare.Tokens[2].DepRel = ""
	for _, d := range []model.LargeData{{Train: bare, Validation: treebank(t, 1)}, {Train: treebank(t, 1), Validation: bare}, {Train: treebank(t, 1), Validation: &language.Document{}}} {
		if _, err = model.TrainLarge(t.Context(), parent(t), filepath.Join(t.TempDir(), "m"), d, settings(1), tune.Options{}); !errors.Is(err, parse.ErrTree) {
			t.Errorf("words without trees: %v", err)
		}
	}
}
