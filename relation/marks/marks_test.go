package marks_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sotto/encode/bert/tune"
	"sotto/nn"
	"sotto/nn/transformer/tiny"
	"sotto/relation/marks"
	"sotto/relation/rule"
)

// toy returns sentences in which who stands first plays with the other; who of the two
// the subject is, only the marks tell.
func toy(n int) []marks.Labelled {
	rng := tiny.Generator()
	var all []marks.Labelled
	for range n {
		words := []string{"the", "man", "is", "playing", "the", "cat"}[rng.IntN(2):]
		first, last := rule.Span{First: len(words) - 5, End: len(words) - 4}, rule.Span{First: len(words) - 2, End: len(words)}
		x := marks.Labelled{Sentence: marks.Sentence{Words: words, Subject: first, Object: last}, Relation: "plays"}
		if rng.IntN(2) == 0 {
			x.Subject, x.Object, x.Relation = last, first, "played"
		}
		all = append(all, x)
	}
	return all
}

func parent(tb testing.TB) string {
	tb.Helper()
	m := tiny.Even()
	for name, x := range m.Tensors {
		if strings.HasPrefix(name, "encoder.") && !strings.Contains(name, "LayerNorm") {
			for i := range x.Data {
				x.Data[i] *= 0.2 // so that tokens can still be told after the layers
			}
		}
	}
	dir := tb.TempDir()
	if err := m.Write(dir); err != nil {
		tb.Fatal(err)
	}
	return dir
}

func settings() tune.Settings {
	return tune.Settings{Rate: 3e-3, Epochs: 3, Batch: 8, Length: 16, Seed: 1}
}

// TestTrain learns what only the marks tell, stops and goes on to the same bytes, and
// checks that the folder says the same for any number of workers.
func TestTrain(t *testing.T) {
	all := toy(120)
	d := marks.Data{Name: "toy", Train: all[:90], Validation: all[90:]}
	from, dir := parent(t), filepath.Join(t.TempDir(), "model")
	result, err := marks.Train(t.Context(), from, dir, d, settings(), tune.Options{Pool: nn.NewPool(2)})
	if err != nil {
		t.Fatal(err)
	}
	if !(result.Accuracy > 0.95) { // a guess is right in half of them
		t.Errorf("validation accuracy is %.3f in epoch %d, want above 0.95", result.Accuracy, result.Epoch)
	}
	m, err := marks.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.Relations(), []string{"played", "plays"}; !slices.Equal(got, want) {
		t.Fatalf("relations are %q, want %q", got, want)
	}
	var bare []marks.Sentence
	for _, x := range d.Validation {
		bare = append(bare, x.Sentence)
	}
	bare[0].Types[0] = "never seen" // counts as none
	one, err := m.Classify(t.Context(), bare, 1)
	if err != nil {
		t.Fatal(err)
	}
	two, err := m.Classify(t.Context(), bare, 2)
	if err != nil || !slices.EqualFunc(one, two, slices.Equal[[]float32]) {
		t.Errorf("two workers say %v, %v, want %v", two, err, one)
	}
	right := 0
	for i, p := range one {
		if m.Relations()[nn.Argmax(p)] == d.Validation[i].Relation {
			right++
		}
	}
	if got := float64(right) / float64(len(one)); got < result.Accuracy-0.05 {
		t.Errorf("the folder has accuracy %v, want %v", got, result.Accuracy)
	}

	ctx, cancel := context.WithCancel(t.Context())
	var state *tune.State
	path := filepath.Join(t.TempDir(), "state")
	_, err = marks.Train(ctx, from, dir, d, settings(), tune.Options{
		Progress: func(p tune.Progress) {
			if p.Step == 17 {
				cancel()
			}
		},
		Save: func(s *tune.State) error {
			f, failed := os.Create(path)
			if failed != nil {
				return failed
			}
			return errors.Join(s.Write(f), f.Close())
		},
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("a training that was stopped returns %v", err)
	}
	if state, err = tune.ReadState(path); err != nil {
		t.Fatal(err)
	}
	again, err := marks.Train(t.Context(), from, filepath.Join(t.TempDir(), "again"), d, settings(), tune.Options{Resume: state})
	if err != nil || again.Manifest.Hash != result.Manifest.Hash || again.Manifest.HeadHash != result.Manifest.HeadHash {
		t.Errorf("stopped and resumed, the model is another: %v", err)
	}
}

func TestRefusals(t *testing.T) {
	from, out := parent(t), filepath.Join(t.TempDir(), "x")
	good := toy(4)
	outside := slices.Clone(good)
	outside[1].Object = rule.Span{First: 3, End: 9}
	typed := slices.Clone(good)
	typed[0].Types = [2]string{"person", "place"}
	for want, d := range map[string]marks.Data{
		"in validation sentences alone": {Train: good, Validation: []marks.Labelled{{Sentence: good[0].Sentence, Relation: "new"}}},
		"must be some of the sentence":  {Train: outside, Validation: good[:1]},
		"unused tokens":                 {Train: typed, Validation: good[:1]}, // the tiny vocabulary has four
	} {
		if _, err := marks.Train(t.Context(), from, out, d, settings(), tune.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one with %q", err, want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Error("something was written")
		}
	}
	if _, err := marks.Open(from); err == nil || !strings.Contains(err.Error(), "is no model of relations") {
		t.Errorf("a plain encoder is opened: %v", err)
	}
}
