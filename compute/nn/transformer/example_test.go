package transformer_test

import (
	"fmt"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer"
	"sotto/compute/nn/transformer/tiny"
)

// Where attention goes, and which tokens a loss hangs on: what explainers read.
func ExampleEncoder_Attention() {
	m, p := tiny.Even(), nn.NewPool(1) // or what package bert reads from a folder
	e, err := transformer.New(transformer.Config{
		Hidden: m.Hidden, Layers: m.Layers, Heads: m.Heads, Intermediate: m.Inner, Vocabulary: m.Vocabulary,
		Positions: m.Positions, Types: m.Types, Epsilon: tiny.Epsilon, Frozen: transformer.Nothing,
	}, p.Kernel(), func(name string, _ ...int) []float32 { return m.Tensors[name].Data })
	if err != nil {
		fmt.Println(err)
		return
	}
	var b transformer.Batch
	b.Add([]int32{2, 5, 15, 3}, make([]int32, 4)) // four tokens
	out := e.Forward(p, nn.Train, &b)

	weights := e.Attention(0, 1, 0) // the first layer, the second head, the only text
	sum := float32(0)
	for _, w := range weights.Row(2) {
		sum += w
	}
	fmt.Printf("the third token looks at %d tokens with weights of sum %.3f\n", weights.Cols, sum)

	grad := nn.NewMatrix(out.Rows, out.Cols) // of a loss: here the first number of the first token
	grad.Row(0)[0] = 1
	e.Backward(p, grad, false)
	g := e.TokenGradients()
	fmt.Println("gradients of", g.Rows, "tokens, of", g.Cols, "numbers each")
	// Output:
	// the third token looks at 4 tokens with weights of sum 1.000
	// gradients of 4 tokens, of 32 numbers each
}
