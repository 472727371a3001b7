package transformer_test

import (
	"slices"
	"testing"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer"
)

func TestPooling(t *testing.T) {
	b := &transformer.Batch{}
	b.Add([]int32{1, 2}, []int32{0, 0})
	b.Add([]int32{3}, []int32{0})
	x := nn.Matrix{Rows: 3, Cols: 2, Data: []float32{1, 2, 3, 4, 5, 6}}
	grad := nn.Matrix{Rows: 2, Cols: 2, Data: []float32{2, 4, 6, 8}}
	windows := &transformer.Batch{} // two of the first text, one of the second
	windows.Add([]int32{1, 2}, []int32{0, 0})
	windows.More([]int32{3}, []int32{0})
	windows.Add([]int32{4}, []int32{0})
	long := nn.Matrix{Rows: 4, Cols: 2, Data: []float32{1, 8, 3, 6, 5, 1, 7, 9}}
	for name, tt := range map[string]struct {
		pooling transformer.Pooling
		batch   *transformer.Batch
		x       nn.Matrix
		y, dx   []float32
	}{
		"mean":                 {transformer.Pooling{}, b, x, []float32{2, 3, 5, 6}, []float32{1, 2, 1, 2, 6, 8}},
		"first":                {transformer.Pooling{First: true}, b, x, []float32{1, 2, 5, 6}, []float32{2, 4, 0, 0, 6, 8}},
		"max of one window":    {transformer.Pooling{Max: true}, b, x, []float32{2, 3, 5, 6}, []float32{1, 2, 1, 2, 6, 8}},
		"mean of windows":      {transformer.Pooling{}, windows, long, []float32{3, 5, 7, 9}, []float32{2 / 3., 4 / 3., 2 / 3., 4 / 3., 2 / 3., 4 / 3., 6, 8}},
		"first of windows":     {transformer.Pooling{First: true}, windows, long, []float32{3, 4.5, 7, 9}, []float32{1, 2, 0, 0, 1, 2, 6, 8}},
		"max of windows":       {transformer.Pooling{Max: true}, windows, long, []float32{5, 7, 7, 9}, []float32{0, 2, 0, 2, 2, 0, 6, 8}},
		"max of first windows": {transformer.Pooling{First: true, Max: true}, windows, long, []float32{5, 8, 7, 9}, []float32{0, 4, 0, 0, 2, 0, 6, 8}},
	} {
		p := nn.NewPool(2)
		if y := tt.pooling.Forward(p, tt.x, tt.batch); !slices.Equal(y.Data, tt.y) {
			t.Errorf("%s is %v, want %v", name, y.Data, tt.y)
		}
		if dx := tt.pooling.Backward(p, grad); !slices.Equal(dx.Data, tt.dx) {
			t.Errorf("gradient of %s is %v, want %v", name, dx.Data, tt.dx)
		}
	}
}
