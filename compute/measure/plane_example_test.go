package measure_test

import (
	"context"
	"fmt"
	"math"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

func ExamplePCA() {
	x := nn.Matrix{Rows: 4, Cols: 3, Data: []float32{
		1, 0, 0,
		1, 8, 0,
		1, 0, 2,
		1, 9, 2,
	}}
	spots, explained, err := measure.PCA(x)
	fmt.Printf("%.1f from the mean, %.2f of the variance, %v\n", spots[3][0], explained[0], err)
	// Output: 4.8 from the mean, 0.95 of the variance, <nil>
}

func ExampleTSNE() {
	x := nn.NewMatrix(40, 5) // two kinds of rows
	for i := range x.Rows {
		x.Row(i)[i%2] = 1
		x.Row(i)[2] = float32(i) / 1000
	}
	spots, err := measure.TSNE(context.Background(), nn.NewPool(1), x, measure.PlaneOptions{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	kept := 0
	for i, a := range spots {
		nearest, distance := i, math.Inf(1)
		for j, b := range spots {
			if d := math.Hypot(float64(a[0]-b[0]), float64(a[1]-b[1])); j != i && d < distance {
				nearest, distance = j, d
			}
		}
		if nearest%2 == i%2 {
			kept++
		}
	}
	fmt.Println(kept, "of", len(spots), "lie beside one of their kind")
	// Output: 40 of 40 lie beside one of their kind
}
