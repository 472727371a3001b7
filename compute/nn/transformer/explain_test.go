package transformer_test

import (
	"math"
	"slices"
	"testing"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer/tiny"
)

// TestAttention checks that weights are shares, and that the first layer's are those
// of the definition: with keys of zero every token takes up all alike.
func TestAttention(t *testing.T) {
	m, p := tiny.Even(), nn.NewPool(1)
	for _, name := range []string{"weight", "bias"} {
		clear(m.Tensors["encoder.layer.1.attention.self.key."+name].Data)
	}
	e := open(t, m, p.Kernel(), nil)
	b := batch(m, 5, 18)
	e.Forward(p, nn.Infer, b)
	for i, n := range []int{5, 18} {
		for head := range m.Heads {
			alike := e.Attention(1, head, i)
			for _, w := range alike.Data {
				if math.Abs(float64(w)-1/float64(n)) > 1e-6 {
					t.Fatalf("a weight among equal keys is %v, want %v", w, 1/float64(n))
				}
			}
			some := e.Attention(0, head, i)
			for row := range some.Rows {
				sum := 0.0
				for _, w := range some.Row(row) {
					sum += float64(w)
				}
				if some.Cols != n || slices.Min(some.Row(row)) < 0 || math.Abs(sum-1) > 1e-5 {
					t.Fatalf("weights of %d tokens among %d have sum %v, want 1", some.Cols, n, sum)
				}
			}
		}
	}
}

// TestTokenGradients compares with the gradients of words: that of a word is the sum
// over its tokens.
func TestTokenGradients(t *testing.T) {
	m, p := tiny.Even(), nn.NewPool(2)
	e := open(t, m, p.Kernel(), nil)
	b := batch(m, 9, 14)
	out := e.Forward(p, nn.Train, b)
	if len(e.TokenGradients().Data) != 0 {
		t.Error("there are gradients of tokens before the way back")
	}
	e.Backward(p, out.Clone(), false)
	got := e.TokenGradients()
	sums := nn.NewMatrix(m.Vocabulary, m.Hidden)
	for row, id := range b.IDs {
		for j, v := range got.Row(row) {
			sums.Row(int(id))[j] += v
		}
	}
	want := whole(e.Params()[0])
	for i, v := range sums.Data {
		if math.Abs(float64(v-want[i])) > 1e-4 {
			t.Fatalf("the gradients of the tokens of a word have sum %v, want %v", v, want[i])
		}
	}
}
