package aec_test

import (
	"context"
	"fmt"

	"sotto/compute/nn"
	"sotto/study/reproduce/aec"
)

// Two words tell the classes apart by their order alone.
func ExampleConfig_Fit() {
	table, train := orders(600, 1)
	_, dev := orders(200, 2)
	m, err := aec.Config{Widths: []int{2, 3}, Filters: 8, Epochs: 4, Batch: 20, Rate: 0.01, Seed: 1}.Fit(context.Background(), nn.NewPool(1), table, 2, train, dev, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Accuracy > 0.95)
	// Output: true
}
