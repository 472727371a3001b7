package nn_test

import (
	"testing"

	"sotto/compute/nn"
)

// rectified returns a model in which each ReLU stands next to a Dense layer.
// The widest layer has more columns than are computed at a time.
func rectified() nn.Sequential {
	r := rng(1)
	return nn.Sequential{
		nn.NewDense(5, 1100, r), &nn.ReLU{}, nn.NewDense(1100, 19, r), &nn.ReLU{}, nn.NewDense(19, 3, r),
	}
}

// TestSequentialPairs compares a ReLU that is computed with its neighbour to
// one that is computed by itself.
func TestSequentialPairs(t *testing.T) {
	for _, p := range pools() {
		together, apart := rectified(), rectified()
		for _, rows := range []int{130, 7, 0} { // buffers are used again
			x, grad := random(rng(2), rows, 5), random(rng(3), rows, 3)
			y := x
			for _, l := range apart {
				y = l.Forward(p, nn.Train, y)
			}
			if got := together.Forward(p, nn.Train, x); !sameBits(got, y) {
				t.Errorf("%s, %d rows: Forward differs", p.Kernel(), rows)
			}
			dx := grad
			for i := len(apart) - 1; i >= 0; i-- {
				dx = apart[i].Backward(p, dx)
			}
			if got := together.Backward(p, grad); !sameBits(got, dx) {
				t.Errorf("%s, %d rows: Backward differs", p.Kernel(), rows)
			}
			want := apart.Params()
			for i, q := range together.Params() {
				if !sameBits(q.Grad, want[i].Grad) {
					t.Errorf("%s, %d rows: gradient of %s differs", p.Kernel(), rows, q.Name)
				}
			}
		}
	}
}

// TestSequentialMixed calls the layers of a model by themselves between calls
// of the model.
func TestSequentialMixed(t *testing.T) {
	p := nn.NewPool(2)
	model, want := rectified(), rectified()
	x, grad := random(rng(2), 20, 5), random(rng(3), 20, 1100)
	model.Forward(p, nn.Train, x)
	first := model[0].Forward(p, nn.Train, x)
	before := first.Clone()
	model[1].Forward(p, nn.Train, first)
	if !sameBits(first, before) {
		t.Error("a ReLU by itself modified its input")
	}
	got := model[1].Backward(p, grad)
	if want[1].Forward(p, nn.Train, before); !sameBits(got, want[1].Backward(p, grad)) {
		t.Error("the gradient of a ReLU by itself differs")
	}
}
