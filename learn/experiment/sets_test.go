package experiment_test

import (
	"encoding/json"
	"testing"

	"sotto/learn/experiment"
)

// TestSets checks that runs, evaluations and attacks of the same data share it,
// and that nothing changes by that.
func TestSets(t *testing.T) {
	spec := experiment.Spec{Data: "reviews", Encoder: "hash:16", Methods: []string{"noise"}, Epsilons: []float64{4}, Limit: 60, Epochs: 1}
	var sets experiment.Sets
	without := ""
	for _, with := range []*experiment.Sets{nil, &sets, &sets} {
		dir := t.TempDir()
		r, err := experiment.Run(t.Context(), spec, experiment.Options{Out: dir, Workers: 1, Sets: with})
		if err != nil {
			t.Fatal(err)
		}
		r.Configurations[0].Seeds[0].Seconds = 0
		got, err := json.Marshal(r.Configurations[0].Seeds)
		if err != nil {
			t.Fatal(err)
		}
		if with == nil {
			without = string(got)
		} else if string(got) != without {
			t.Errorf("with shared data the scores are\n%s, want\n%s", got, without)
		}
		for _, err := range experiment.Releases(t.Context(), dir, experiment.ReleaseOptions{Workers: 1, Sets: with}) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if n := sets.Len(); n != 1 {
		t.Errorf("the data was prepared %d times, want once", n)
	}
	spec.Attribute = "none"
	if _, err := experiment.Run(t.Context(), spec, experiment.Options{Workers: 1, Sets: &sets}); err != nil {
		t.Fatal(err)
	}
	if n := sets.Len(); n != 2 {
		t.Errorf("what differs was prepared %d times, want twice", n)
	}
}
