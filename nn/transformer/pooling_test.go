package transformer_test

import (
	"slices"
	"testing"

	"sotto/nn"
	"sotto/nn/transformer"
)

func TestPooling(t *testing.T) {
	b := &transformer.Batch{}
	b.Add([]int32{1, 2}, []int32{0, 0})
	b.Add([]int32{3}, []int32{0})
	x := nn.Matrix{Rows: 3, Cols: 2, Data: []float32{1, 2, 3, 4, 5, 6}}
	grad := nn.Matrix{Rows: 2, Cols: 2, Data: []float32{2, 4, 6, 8}}
	for name, tt := range map[string]struct {
		pooling transformer.Pooling
		y, dx   []float32
	}{
		"mean":  {transformer.Pooling{}, []float32{2, 3, 5, 6}, []float32{1, 2, 1, 2, 6, 8}},
		"first": {transformer.Pooling{First: true}, []float32{1, 2, 5, 6}, []float32{2, 4, 0, 0, 6, 8}},
	} {
		p := nn.NewPool(2)
		if y := tt.pooling.Forward(p, x, b); !slices.Equal(y.Data, tt.y) {
			t.Errorf("%s is %v, want %v", name, y.Data, tt.y)
		}
		if dx := tt.pooling.Backward(p, grad); !slices.Equal(dx.Data, tt.dx) {
			t.Errorf("gradient of %s is %v, want %v", name, dx.Data, tt.dx)
		}
	}
}
