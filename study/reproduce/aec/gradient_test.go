package aec_test

import (
	"math"
	"testing"

	"sotto/compute/nn"
	"sotto/study/reproduce/aec"
)

// The gradient of every parameter is that of finite differences. Single precision
// leaves some four digits of a difference of losses at a step of 0.01.
func TestGradients(t *testing.T) {
	table, texts := orders(6, 3)
	n := aec.NewGraph(aec.Config{Widths: []int{2, 4}, Filters: 3, Seed: 2}, table, 2)
	weights := []float64{1, 2.5}
	p := nn.NewPool(1)
	n.Learn(p, texts, weights)
	for _, param := range n.Params() {
		rows, grad := nn.Indices(param.Value.Rows), param.Grad.Clone()
		if param.Touched != nil {
			rows, grad = append([]int(nil), param.Touched.Rows...), param.Touched.Grad.Clone()
		}
		for k, row := range rows {
			for j := range param.Value.Cols {
				x := &param.Value.Row(row)[j]
				kept := *x
				*x = kept + 0.01
				up := n.Learn(p, texts, weights)
				*x = kept - 0.01
				down := n.Learn(p, texts, weights)
				*x = kept
				want, got := (up-down)/0.02, float64(grad.Row(k)[j])
				if math.Abs(want-got) > 2e-3+0.02*math.Abs(want) {
					t.Errorf("%s[%d,%d]: gradient %v, by differences %v", param.Name, row, j, got, want)
				}
			}
		}
	}
}
