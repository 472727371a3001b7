package tune_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer/tiny"
	"sotto/text/encode"
	"sotto/text/encode/bert"
	"sotto/text/encode/bert/tune"
)

// pairs has texts that say the same in another order, or not.
func pairs(n int) tune.Data {
	d := data(2 * n)
	out := tune.Data{Classes: []int{2}, Weights: []float64{1}, Labels: [][]int{{}}}
	for i := range n {
		words := strings.Fields(d.Texts[2*i])
		second := slices.Clone(words)
		slices.Reverse(second)
		if i%2 == 0 {
			second = append(strings.Fields(d.Texts[2*i+1]), "cat")
		}
		out.Texts, out.Second = append(out.Texts, strings.Join(words, " ")), append(out.Second, strings.Join(second, " "))
		out.Labels[0] = append(out.Labels[0], i%2)
		if i < n*2/3 {
			out.Train = append(out.Train, i)
		} else {
			out.Validation = append(out.Validation, i)
		}
	}
	return out
}

// TestPairs tunes on pairs, with all layers and with one, and checks that they are told
// apart, and that vectors are those which package encode makes.
func TestPairs(t *testing.T) {
	for _, layers := range []int{0, 1} {
		d, s := pairs(480), settings(layers)
		f, err := bert.Read(folder(t, tiny.Even(), false))
		if err != nil {
			t.Fatal(err)
		}
		trainer, err := tune.New(f, d, s)
		if err != nil {
			t.Fatal(err)
		}
		run(t, trainer, tune.Options{Pool: nn.NewPool(2)})
		if kept, epoch := trainer.Kept(); !(kept.Accuracy >= 0.8) { // chance is 0.5 ± 0.04
			t.Errorf("%d layers: validation accuracy is %.2f in epoch %d, want at least 0.8", layers, kept.Accuracy, epoch)
		}
		out, _ := write(t, trainer)
		m, err := bert.Open(out, bert.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, err := encode.Pairs(t.Context(), m, d.Texts[:8], d.Second[:8], 1)
		if err != nil {
			t.Fatal(err)
		}
		if f, err = bert.Read(out); err != nil {
			t.Fatal(err)
		}
		again, err := tune.New(f, d, s)
		if err != nil {
			t.Fatal(err)
		}
		got := again.Vectors(nn.Indices(8))
		for i, v := range want.Data {
			if off := math.Abs(float64(v - got.Data[i])); !(off < 1e-5) {
				t.Fatalf("%d layers: number %d of the vectors is off by %g, want less than 1e-5", layers, i, off)
			}
		}
		if head, err := tune.ReadHead(out); err != nil || head.Weight.Rows != want.Cols {
			t.Errorf("%d layers: the head is %+v with error %v, want one for %d numbers", layers, head, err, want.Cols)
		}
	}
	f, err := bert.Read(folder(t, tiny.Even(), false))
	if err != nil {
		t.Fatal(err)
	}
	d := pairs(48)
	d.Second = d.Second[1:]
	if _, err := tune.New(f, d, settings(0)); err == nil || !strings.Contains(err.Error(), "48 first and 47 second") {
		t.Errorf("a second text too few gives %v", err)
	}
}

// TestPairGradient compares with differences. They are exact but for rounding: in
// each number the function is linear, or linear in pieces.
func TestPairGradient(t *testing.T) {
	rng := tiny.Generator()
	x, weights := nn.NewMatrix(6, 5), nn.NewMatrix(3, 10)
	for _, m := range []nn.Matrix{x, weights} {
		for i := range m.Data {
			m.Data[i] = float32(rng.NormFloat64())
		}
	}
	value := func() (sum float64) {
		y, _ := tune.Pair(x, weights)
		for i, v := range y.Data {
			sum += float64(v) * float64(weights.Data[i])
		}
		return sum
	}
	_, dx := tune.Pair(x, weights)
	for i := range x.Data {
		const h = 1.0 / 512
		was := x.Data[i]
		x.Data[i] = was + h
		up := value()
		x.Data[i] = was - h
		down := value()
		x.Data[i] = was
		if want := (up - down) / (2 * h); !(math.Abs(want-float64(dx.Data[i])) < 1e-3) {
			t.Errorf("number %d: the gradient is %v, differences say %v", i, dx.Data[i], want)
		}
	}
}
