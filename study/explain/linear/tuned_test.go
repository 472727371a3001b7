package linear_test

import (
	"path/filepath"
	"testing"

	"sotto/compute/nn/transformer/tiny"
	"sotto/study/explain/linear"
	"sotto/text/encode/bert/tune"
)

// TestTuning: a transformer is tuned on texts with labels, and a model is fitted to what it
// then makes of them.
func TestTuning(t *testing.T) {
	dir := t.TempDir()
	if err := tiny.Even().Write(dir); err != nil {
		t.Fatal(err)
	}
	texts, labels := corpus(60, 2, 3)
	f, err := linear.Tuning{Encoder: dir, Dir: filepath.Join(t.TempDir(), "tuned"), Settings: tune.Settings{Epochs: 1}}.Learn(t.Context(), texts, labels, 2)
	if err != nil {
		t.Fatal(err)
	}
	x, err := f.Rows(t.Context(), texts)
	if err != nil || x.Len() != 60 || x.Width != f.Width() {
		t.Fatalf("rows are %d of %d numbers, %v, want 60 of %d", x.Len(), x.Width, err, f.Width())
	}
	m, err := linear.Fit(t.Context(), f, x, labels, names(2), linear.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if opened, err := m.Open(t.Context(), texts[0], nil); opened != nil || err != nil {
		t.Error("a model over vectors opens texts, want it not to")
	}
	if _, err := m.Path(t.Context(), texts[0], nil, 0); err == nil {
		t.Error("a model over vectors has gradients in words, want an error")
	}
	if _, err := (linear.Tuning{Encoder: filepath.Join(dir, "nonesuch"), Dir: t.TempDir()}).Learn(t.Context(), texts, labels, 2); err == nil {
		t.Error("no such encoder: no error")
	}
}
