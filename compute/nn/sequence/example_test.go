package sequence_test

import (
	"fmt"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
	"sotto/compute/nn/sequence"
)

// Three sequences are read in both directions at once.
func ExampleBoth() {
	steps := sequence.NewSteps([]int{5, 3, 3})
	both := sequence.NewBoth(4, 6, weakrand.New(weakrand.NewPCG(1, 1)))
	states := both.Forward(nn.NewPool(2), nn.NewMatrix(steps.Rows(), 4), steps)
	fmt.Println(states.Rows, states.Cols, steps.Row(2, 1))
	// Output: 11 12 5
}
