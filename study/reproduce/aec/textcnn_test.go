package aec_test

import (
	"context"
	"errors"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/study/reproduce/aec"
)

// orders makes texts whose class is the order of two words that all of them have:
// nothing that counts words tells them apart.
func orders(n int, seed uint64) (nn.Matrix, aec.Texts) {
	rng := weakrand.New(weakrand.NewPCG(seed, 0))
	fixed := weakrand.New(weakrand.NewPCG(9, 9))
	table := nn.NewMatrix(aec.First+12, 8)
	for i := aec.First * 8; i < len(table.Data); i++ {
		table.Data[i] = float32(fixed.NormFloat64())
	}
	var t aec.Texts
	for range n {
		words := make([]int, 2+rng.IntN(8))
		for k := range words {
			words[k] = aec.Unknown + rng.IntN(11) // never the last two
		}
		at, label := rng.IntN(len(words)-1), rng.IntN(2)
		words[at+label], words[at+1-label] = aec.First+10, aec.First+11
		t.Words, t.Labels = append(t.Words, words), append(t.Labels, label)
	}
	return table, t
}

var textcnnSmall = aec.Config{Widths: []int{2, 3}, Filters: 8, Epochs: 4, Batch: 20, Rate: 0.01, Seed: 1}

func TestOrder(t *testing.T) {
	table, train := orders(600, 1)
	_, dev := orders(200, 2)
	before := slices.Clone(table.Data)
	var losses []float64
	m, err := textcnnSmall.Fit(context.Background(), nn.NewPool(1), table, 2, train, dev, func(_ int, loss, _ float64) { losses = append(losses, loss) })
	if err != nil {
		t.Fatal(err)
	}
	if m.Accuracy < 0.95 || len(losses) != 4 || losses[3] >= losses[0] {
		t.Errorf("accuracy is %v with losses %v, want at least 0.95", m.Accuracy, losses)
	}
	if !slices.Equal(before, table.Data) {
		t.Error("the table was changed")
	}
	again, err := textcnnSmall.Fit(context.Background(), nn.NewPool(3), table, 2, train, dev, nil)
	if err != nil {
		t.Fatal(err)
	}
	one, three := m.Probabilities(nn.NewPool(1), dev.Words), again.Probabilities(nn.NewPool(2), dev.Words)
	if !slices.Equal(one.Data, three.Data) {
		t.Error("three workers train another model than one")
	}
	if p := m.Probabilities(nn.NewPool(1), [][]int{{}}); p.Rows != 1 || p.Finite() != nil {
		t.Errorf("an empty text has the probabilities %v", p.Data)
	}
}

func TestTextcnnRefuses(t *testing.T) {
	table, train := orders(10, 1)
	for _, tt := range []struct {
		name   string
		change func(*aec.Config, *aec.Texts)
		want   string
	}{
		{"no rate", func(c *aec.Config, _ *aec.Texts) { c.Rate = -1 }, "rate is -1"},
		{"a width of nothing", func(c *aec.Config, _ *aec.Texts) { c.Widths = []int{0} }, "widths 1 to 64"},
		{"weights of other classes", func(c *aec.Config, _ *aec.Texts) { c.Weights = []float64{1} }, "1 weights for 2 classes"},
		{"a word that is not there", func(_ *aec.Config, x *aec.Texts) { x.Words = [][]int{{99}}; x.Labels = []int{0} }, "text 1"},
		{"a class that is not there", func(_ *aec.Config, x *aec.Texts) { x.Words = [][]int{{2}}; x.Labels = []int{2} }, "text 1"},
		{"no text", func(_ *aec.Config, x *aec.Texts) { *x = aec.Texts{} }, "there is no text"},
		{"no label", func(_ *aec.Config, x *aec.Texts) { x.Labels = nil }, "0 labels"},
		{"a dropout of everything", func(c *aec.Config, _ *aec.Texts) { c.Dropout = 1 }, "1"},
	} {
		c, x := textcnnSmall, train
		tt.change(&c, &x)
		if _, err := c.Fit(context.Background(), nn.NewPool(1), table, 2, x, train, nil); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := textcnnSmall.Fit(ctx, nn.NewPool(1), table, 2, train, train, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Fit after its end = %v", err)
	}
}
