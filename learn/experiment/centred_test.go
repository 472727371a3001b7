package experiment_test

import (
	"testing"

	"sotto/learn/experiment"
)

// TestCentred checks that an attacker who takes out what all numbers have in common is
// told of beside the one who does not, and not in its place.
func TestCentred(t *testing.T) {
	r, err := experiment.Run(t.Context(), experiment.Spec{
		Data: "reviews", Limit: 400, Methods: []string{"dpnr"}, Variant: "released", Alone: true, Epsilons: []float64{0.5}, Dims: []int{8}, Epochs: 2,
	}, experiment.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := r.Seeds[0]
	if s.Attack == nil || s.Centred == nil || s.Attack == s.Centred || s.Attack.Accuracy != float64(s.Leakage) {
		t.Errorf("leakage is %v, of attackers %+v and %+v; want that of the first, and two", s.Leakage, s.Attack, s.Centred)
	}
}
