package vector_test

import (
	"fmt"

	"sotto/compute/nn/vector"
)

func ExampleDot() {
	fmt.Println(vector.Dot([]float32{1, 2, 3, 4, 5}, []float32{5, 4, 3, 2, 1}), vector.Dot(nil, nil))
	// Output: 35 0
}
