package experiment_test

import (
	"path/filepath"
	"testing"

	"sotto/learn/experiment"
	"sotto/learn/model"
)

// Each model has a secret of its own, which two trainings share as little as two
// models do, and which goes on with a training that does.
func TestSecrets(t *testing.T) {
	spec := small("federate")
	one, two := t.TempDir(), t.TempDir()
	folders := []string{"reference", "seed-1", "seed-2"}
	secrets := func(dir string) (all []model.Secret) {
		t.Helper()
		for _, folder := range folders {
			s, err := model.ReadSecret(filepath.Join(dir, folder))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
		}
		return all
	}
	run(t, spec, experiment.Options{Out: one})
	run(t, spec, experiment.Options{Out: two})
	first, seen := secrets(one), map[model.Secret]bool{}
	for _, s := range append(first, secrets(two)...) {
		seen[s] = true
	}
	if len(seen) != 2*len(folders) {
		t.Errorf("%d models have %d secrets", 2*len(folders), len(seen))
	}
	run(t, spec, experiment.Options{Out: one, Resume: true})
	for i, s := range secrets(one) {
		if s != first[i] {
			t.Errorf("%s: resumed, the model has another secret", folders[i])
		}
	}
	run(t, spec, experiment.Options{Out: one})
	for i, s := range secrets(one) {
		if s == first[i] {
			t.Errorf("%s: trained anew, the model has the secret of before", folders[i])
		}
	}
}
