package marks_test

import (
	"math"
	"testing"

	"sotto/compute/nn/transformer/tiny"
	"sotto/study/relation/marks"
)

// TestGradients compares the gradient of the loss of relations and rules with respect to the
// vectors of tokens with differences. Losses in single precision are right to about 1e-6, and
// so are differences of 0.02 to 1e-4.
func TestGradients(t *testing.T) {
	const width = 8
	h, err := marks.NewLearner(width, 2, [][]int{{2, 3, 2}, nil, {3}}, []int{1, 0, 1}, [][2]int{{0, 2}, {3, 1}, {1, 0}}, []int{4, 5, 3})
	if err != nil {
		t.Fatal(err)
	}
	x := tiny.Normal(tiny.Generator(), 12*width, 1)
	_, grad, err := h.Loss(x)
	if err != nil {
		t.Fatal(err)
	}
	some := 0.0
	for at := 0; at < len(x); at += 5 {
		const step = 0.01
		was := x[at]
		loss := func(v float32) float64 {
			x[at] = v
			l, _, err := h.Loss(x)
			if err != nil {
				t.Fatal(err)
			}
			return l
		}
		want := (loss(was+step) - loss(was-step)) / (2 * step)
		x[at] = was
		if got := float64(grad[at]); math.Abs(got-want) > 1e-3+0.02*math.Abs(want) {
			t.Errorf("gradient %d is %.5f, want %.5f", at, got, want)
		}
		some += math.Abs(want)
	}
	if !(some > 0.1) {
		t.Errorf("the gradients are %v together, want some", some)
	}
}
