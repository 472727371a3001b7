package forest_test

import (
	"context"
	"fmt"

	"sotto/compute/forest"
	"sotto/compute/nn"
)

func ExampleOptions_Fit() {
	var rows []forest.Row
	var y []bool
	for i := range 60 {
		rows = append(rows, forest.Row{{Column: 0, Value: float64(i + 1)}})
		y = append(y, i >= 30)
	}
	m, err := forest.NewMatrix(1, rows)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := forest.Options{}.Fit(context.Background(), m, nn.Indices(60), y, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Predict(m, []int{0, 59}, 1))
	// Output: [0 1]
}
