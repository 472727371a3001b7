package experiment_test

import (
	"math"
	"testing"

	"sotto/experiment"
	"sotto/internal/testenv"
)

// The model without protection reaches what was published for it, within a
// point: FEDERATE's tables 3 and 2.
func TestPublishedAccuracy(t *testing.T) {
	if testing.Short() {
		t.Skip("trains on whole data sets")
	}
	for _, tt := range []struct {
		spec experiment.Spec
		want float64
	}{
		{experiment.Spec{Data: "adult", Methods: []string{"unconstrained"}, Attribute: "none"}, 0.8341},
		{experiment.Spec{Data: "celeba", DataVariant: "published", Methods: []string{"unconstrained"}, Attribute: "none", Epochs: 10}, 0.8570},
	} {
		t.Run(tt.spec.Data, func(t *testing.T) {
			testenv.Set(t, tt.spec.Data)
			r, err := experiment.Run(t.Context(), tt.spec, experiment.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if got := float64(r.Mean.Accuracy); math.Abs(got-tt.want) > 0.01 {
				t.Errorf("accuracy is %.4f, published is %.4f", got, tt.want)
			}
		})
	}
}

// A set of texts without validation part, and one of pairs.
func TestTexts(t *testing.T) {
	for _, data := range []string{"imdb", "mrpc"} {
		testenv.Set(t, data)
		r, err := experiment.Run(t.Context(), experiment.Spec{Data: data, Methods: []string{"unconstrained"}, Epochs: 2, Hidden: []int{16}, Dims: []int{8}}, experiment.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Notes) == 0 || r.Rows.Validation == 0 || !(r.Mean.Accuracy > 0.4) {
			t.Errorf("%s: %+v, notes %q, accuracy %v, want a carved validation part that is noted", data, r.Rows, r.Notes, r.Mean.Accuracy)
		}
	}
}
