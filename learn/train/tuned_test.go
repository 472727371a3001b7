package train_test

import (
	"slices"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/learn/train"
)

// TestTunedHead checks that a teacher which was trained with the rows is taken where it
// does better than one that learns nothing, and only if it tells the same labels.
func TestTunedHead(t *testing.T) {
	d := plant(2000, 0.9, 0.6, 1)
	linear := settings(30)
	linear.Encoder, linear.Classifier = []int{}, []int{}
	good := fit(t, train.TrustedSide{Training: linear}, d, 1)
	tensors := good.Tensors()
	head := &model.Linear{Weight: tensors["classifier.0.weight"], Bias: tensors["classifier.0.bias"].Data}

	idle := settings(1)
	idle.Rate = 1e-12
	d.Head = head
	for name, m := range map[string]train.Method{"plain": train.TrustedSide{Training: idle}, "codes": train.Codes{Training: idle, Release: codes(8, 0, 0).Release}} {
		got := fit(t, m, d, 1)
		if a, b := accuracy(t, got, d, d.Validation), accuracy(t, good, d, d.Validation); !(a > b-0.05) {
			t.Errorf("%s: accuracy with a good head is %.3f, want about %.3f", name, a, b)
		}
	}
	if got := fit(t, train.TrustedSide{Training: linear}, d, 1); got.Kept.Accuracy < good.Kept.Accuracy-0.01 {
		t.Errorf("with a head, what is kept has accuracy %.3f, want about %.3f", got.Kept.Accuracy, good.Kept.Accuracy)
	}
	d.Head = &model.Linear{Weight: nn.NewMatrix(d.X.Cols, 5), Bias: make([]float32, 5)}
	if got := fit(t, train.TrustedSide{Training: settings(2)}, d, 1); slices.Equal(got.Architecture().Classifier, []int{5}) {
		t.Error("the head of another label is taken")
	}
}
