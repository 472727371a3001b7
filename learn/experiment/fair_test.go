package experiment_test

import (
	"path/filepath"
	"testing"

	"sotto/learn/experiment"
	"sotto/learn/model"
)

// Fair codes are stored, and measured again as they were: the labels that they
// answer are those that were asked for, and the ε that which was.
func TestFair(t *testing.T) {
	s := few("codes")
	s.Attribute, s.Fair, s.Threshold = "author", true, 5
	dir := t.TempDir()
	r := run(t, s, experiment.Options{Out: dir})
	e, err := experiment.Evaluate(t.Context(), dir, "", 1)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := r.Mean, e.Mean; a.Accuracy != b.Accuracy || a.Gap != b.Gap {
		t.Errorf("Evaluate measured %v with gap %v, train %v with %v", b.Accuracy, b.Gap, a.Accuracy, a.Gap)
	}
	if got, want := float64(*r.Configurations[0].Seeds[0].True), s.Epsilons[0]; !(got <= want && got > 0.999999*want) {
		t.Errorf("ε is %v, want %v", got, want)
	}
	m, info, err := model.Load(filepath.Join(dir, r.Configurations[0].Folder, "seed-1"))
	if err != nil {
		t.Fatal(err)
	}
	labels, err := info.Labels()
	if err != nil || len(labels) != 1 || m.Architecture().Classes != 2 || len(m.Architecture().More) != 0 {
		t.Errorf("labels are %v of %+v, %v, want one", labels, m.Architecture(), err)
	}
}
