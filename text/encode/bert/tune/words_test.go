package tune_test

import (
	"math"
	"slices"
	"testing"

	"sotto/compute/nn/transformer/tiny"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
)

// words has two sentences, of which the second needs two sequences.
func words() tune.Data {
	return tune.Data{
		Words:   [][]string{{"cats", "playing", "a"}, {"the", "man", "plays", "no", "guitar", "playing", "is"}},
		Tags:    [][]int{{0, 1, 2}, {2, 0, 1, 2, 0, 1, 1}},
		Classes: []int{3}, Weights: []float64{1}, Train: []int{0, 1}, Validation: []int{1},
	}
}

// TestWordGradients compares the gradients of a label a word with differences: of
// each parameter at its largest gradient. Losses in single precision are right to
// about 1e-6, and so are differences of 0.02 to 1e-4; their curvature adds the rest.
func TestWordGradients(t *testing.T) {
	f, err := bert.Read(folder(t, tiny.Even(), false))
	if err != nil {
		t.Fatal(err)
	}
	s := settings(0)
	s.Length, s.Dropout = 8, 1e-12 // as good as none
	trainer, err := tune.New(f, words(), s)
	if err != nil {
		t.Fatal(err)
	}
	rows := []int{1, 0}
	_, params, err := trainer.Gradients(rows)
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range params {
		if q.Grad.Data == nil {
			continue // those of the table of words are kept by row
		}
		grads := slices.Clone(q.Grad.Data)
		at := 0
		for i, g := range grads {
			if math.Abs(float64(g)) > math.Abs(float64(grads[at])) {
				at = i
			}
		}
		const h = 0.01
		was := q.Value.Data[at]
		loss := func(v float32) float64 {
			q.Value.Data[at] = v
			got, _, err := trainer.Gradients(rows)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		want := (loss(was+h) - loss(was-h)) / (2 * h)
		q.Value.Data[at] = was
		if got := float64(grads[at]); math.Abs(got-want) > 1e-3+0.02*math.Abs(want) {
			t.Errorf("gradient %d of %s is %.5f, want %.5f", at, q.Name, got, want)
		}
	}
}

func TestWordsRefused(t *testing.T) {
	dir := folder(t, tiny.Small(), false)
	for name, change := range map[string]func(*tune.Data){
		"no tag":         func(d *tune.Data) { d.Tags[0] = d.Tags[0][:2] },
		"a tag too high": func(d *tune.Data) { d.Tags[1][0] = 3 },
		"one class":      func(d *tune.Data) { d.Classes[0] = 1 },
		"no words":       func(d *tune.Data) { d.Words[1], d.Tags[1] = nil, nil },
		"texts beside":   func(d *tune.Data) { d.Texts = []string{"a", "b"} },
		"no sentence":    func(d *tune.Data) { d.Train = []int{2} },
		"nothing":        func(d *tune.Data) { d.Validation = nil },
	} {
		f, err := bert.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		d := words()
		change(&d)
		if _, err := tune.New(f, d, settings(0)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	f, err := bert.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	s := settings(0)
	s.Length = 2
	if _, err := tune.New(f, words(), s); err == nil {
		t.Error("sequences without a word are taken")
	}
}
