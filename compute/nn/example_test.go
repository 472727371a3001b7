package nn_test

import (
	"fmt"

	"sotto/compute/nn"
)

func ExampleMatrix() {
	m := nn.Matrix{Rows: 3, Cols: 2, Data: []float32{1, 2, 3, 4, 5, 6}}
	fmt.Println(m.Row(1), m.Slice(1, 3).Data)
	// Output: [3 4] [3 4 5 6]
}

func ExampleL1Normalize() {
	var l nn.L1Normalize
	p := nn.NewPool(1)
	y := l.Forward(p, nn.Train, nn.Matrix{Rows: 2, Cols: 2, Data: []float32{3, -1, 0, 0}})
	fmt.Println(y.Data)
	// Output: [0.75 -0.25 0 0]
}

func ExampleL2Normalize() {
	var l nn.L2Normalize
	y := l.Forward(nn.NewPool(1), nn.Train, nn.Matrix{Rows: 1, Cols: 2, Data: []float32{0, -4}})
	fmt.Println(y.Data)
	// Output: [0 -1]
}

func ExampleMinMaxNormalize() {
	var l nn.MinMaxNormalize
	y := l.Forward(nn.NewPool(1), nn.Train, nn.Matrix{Rows: 1, Cols: 3, Data: []float32{-1, 3, 0}})
	fmt.Println(y.Data)
	// Output: [0 1 0.25]
}

func ExampleReLU() {
	var l nn.ReLU
	p := nn.NewPool(1)
	y := l.Forward(p, nn.Train, nn.Matrix{Rows: 1, Cols: 2, Data: []float32{-3, 4}})
	g := l.Backward(p, nn.Matrix{Rows: 1, Cols: 2, Data: []float32{1, 1}})
	fmt.Println(y.Data, g.Data)
	// Output: [0 4] [0 1]
}

func ExampleGradientReversal() {
	l := nn.GradientReversal{Lambda: 0.5}
	p := nn.NewPool(1)
	x := nn.Matrix{Rows: 1, Cols: 2, Data: []float32{1, 2}}
	fmt.Println(l.Forward(p, nn.Train, x).Data, l.Backward(p, x).Data)
	// Output: [1 2] [-0.5 -1]
}

func ExampleSequential() {
	r := rng(1)
	encoder := nn.Sequential{nn.NewDense(4, 3, r), &nn.ReLU{}, nn.NewDense(3, 2, r)}
	for _, q := range encoder.Params() {
		fmt.Printf("%s %d×%d\n", q.Name, q.Value.Rows, q.Value.Cols)
	}
	// Output:
	// 0.weight 4×3
	// 0.bias 1×3
	// 2.weight 3×2
	// 2.bias 1×2
}

func ExampleAdamW() {
	_, err := nn.AdamW{Adam: nn.Adam{Rate: 5e-5}, Decay: -1}.New(nil)
	fmt.Println(err)
	// Output: nn: decay is -1, must be finite and not negative
}
