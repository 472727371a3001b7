package tune_test

import (
	"math"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer/tiny"
	"sotto/text"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
)

// weighted is a head whose loss is the sum of the rows of each text, each number with a
// weight, so that its gradient is known.
type weighted struct{ noisy }

func (h *weighted) Learn(_ *nn.Pool, texts []int, x nn.Matrix) (float64, nn.Matrix, error) {
	grad, sum := nn.NewMatrix(x.Rows, x.Cols), 0.0
	for i, v := range x.Data {
		grad.Data[i] = float32(i%7) / float32(len(texts))
		sum += float64(grad.Data[i]) * float64(v)
	}
	return sum, grad, nil
}

// tokens has two texts, of which two and three tokens are looked at.
func tokens() tune.Data {
	one := func(ids ...int32) text.Tokens { return text.Tokens{IDs: ids, Types: make([]int32, len(ids))} }
	d := tune.Data{
		Tokens:  []text.Tokens{one(2, 16, 5, 17, 6, 3), one(2, 18, 7, 8, 9, 16, 3)},
		Places:  [][]int{{1, 3}, {0, 1, 5}},
		Labels:  [][]int{{0, 1}},
		Classes: []int{2}, Weights: []float64{1}, Train: []int{0, 1}, Validation: []int{1},
	}
	d.Head = &weighted{*newNoisy(d, 32)}
	return d
}

// TestTokenGradients compares the gradients of chosen tokens with differences, of each
// parameter at one number, as TestWordGradients does.
func TestTokenGradients(t *testing.T) {
	f, err := bert.Read(folder(t, tiny.Even(), false))
	if err != nil {
		t.Fatal(err)
	}
	s := settings(0)
	s.Dropout = 1e-12 // as good as none
	trainer, err := tune.New(f, tokens(), s)
	if err != nil {
		t.Fatal(err)
	}
	rows := []int{1, 0}
	_, params, err := trainer.Gradients(rows)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, q := range params {
		if q.Grad.Data == nil || strings.HasPrefix(q.Name, "head.") {
			continue // those of the table of words are kept by row
		}
		const h = 0.01
		got, was := float64(q.Grad.Data[3]), q.Value.Data[3]
		loss := func(v float32) float64 {
			q.Value.Data[3] = v
			l, _, err := trainer.Gradients(rows)
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		want := (loss(was+h) - loss(was-h)) / (2 * h)
		q.Value.Data[3] = was
		if checked++; math.Abs(got-want) > 0.02+0.02*math.Abs(want) { // losses of about 100 are right to 1e-5 of that
			t.Errorf("gradient of %s is %.5f, want %.5f", q.Name, got, want)
		}
	}
	if checked < 20 {
		t.Errorf("%d parameters were checked, want all", checked)
	}
}

func TestTokensRefused(t *testing.T) {
	dir := folder(t, tiny.Even(), false)
	for want, change := range map[string]func(*tune.Data){
		"one or the other":  func(d *tune.Data) { d.Texts = []string{"a", "b"} },
		"no head":           func(d *tune.Data) { d.Head = nil },
		"places of 1":       func(d *tune.Data) { d.Places = d.Places[:1] },
		"must ascend":       func(d *tune.Data) { d.Places[0] = []int{3, 1} },
		"from 0 to 5":       func(d *tune.Data) { d.Places[0] = []int{6} },
		"0 places":          func(d *tune.Data) { d.Places[1] = nil },
		"must have at most": func(d *tune.Data) { d.Tokens[0].IDs = make([]int32, 13); d.Tokens[0].Types = make([]int32, 13) },
		"the encoder lacks": func(d *tune.Data) { d.Tokens[0].IDs[2] = 20 },
		"a type a token":    func(d *tune.Data) { d.Tokens[0].Types = nil },
		"must have 2 texts": func(d *tune.Data) { d.Labels[0] = []int{0} },
	} {
		f, err := bert.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		d := tokens()
		change(&d)
		if _, err := tune.New(f, d, settings(0)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one with %q", err, want)
		}
	}
}
