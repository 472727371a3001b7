package experiment_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/text/encode/catalogue"
)

// Zero stands for the default, so it cannot be a value of a grid.
func TestGridRefusesZero(t *testing.T) {
	for _, tt := range []struct {
		spec experiment.Spec
		want string
	}{
		{experiment.Spec{Methods: []string{"adversarial"}, Lambdas: []float64{0, 1}}, "lambda is 0"},
		{experiment.Spec{Methods: []string{"adversarial"}, Lambdas: []float64{-1}}, "lambda is -1"},
		{experiment.Spec{Methods: []string{"unconstrained"}, Dims: []int{4, 0}}, "dim is 0"},
		{experiment.Spec{Methods: []string{"majority"}, Threshold: math.Inf(1)}, "relaxation"},
		{experiment.Spec{Methods: []string{"majority"}, FirstSeed: math.MaxUint64, Seeds: 2}, "seed"},
		{experiment.Spec{Methods: []string{"majority"}, Label: "Young"}, "label"},
	} {
		if _, err := tt.spec.Filled(t.Context()); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: error = %v, want one with %q", tt.spec, err, tt.want)
		}
	}
}

// A spec that is filled twice is filled once.
func TestFilledTwice(t *testing.T) {
	for _, threshold := range []float64{-1, 0, 3} {
		once, err := experiment.Spec{Methods: []string{"majority"}, Threshold: threshold}.Filled(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		twice, err := once.Filled(t.Context())
		if err != nil || once.Hash() != twice.Hash() {
			t.Errorf("threshold %v: filled twice it is %+v, %v, want %+v", threshold, twice, err, once)
		}
	}
}

// What a method refuses is refused before anything is trained or written.
func TestRefusedBeforeTraining(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	for _, spec := range []experiment.Spec{
		{Data: "reviews", Encoder: "hash:32", Methods: []string{"noise"}, Epsilons: []float64{1}, Rate: -1},
		{Data: "reviews", Encoder: "hash:32", Methods: []string{"noise"}, Epsilons: []float64{1}, Dims: []int{1 << 17}},
		{Data: "reviews", Encoder: "hash:32", Methods: []string{"privemb"}, Epsilons: []float64{1}, Dims: []int{33}},
		{Data: "reviews", Encoder: "hash:32", Methods: []string{"adversarial"}, Attribute: "none"},
		{Data: "reviews", Encoder: "hash:32", Methods: []string{"codes"}, Epsilons: []float64{1}, Fair: true, Attribute: "none"},
		{Data: "reviews", Encoder: "hash:32", Methods: []string{"majority"}, Attribute: "shoes"},
	} {
		_, err := experiment.Run(t.Context(), spec, experiment.Options{Out: dir, Progress: func(e experiment.Event) {
			t.Errorf("%v: %s was trained", spec.Methods, e.Job)
		}})
		if err == nil {
			t.Errorf("%+v was accepted", spec)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Fatalf("%+v: a refused command left a folder", spec)
		}
	}
}

// An interruption before the first epoch measures nothing: no zeros, nothing
// selected; and it leaves what was finished before.
func TestEarlyInterruption(t *testing.T) {
	dir := t.TempDir()
	spec := small("noise")
	run(t, spec, experiment.Options{Out: dir})
	before := contents(t, dir)
	whole, err := os.ReadFile(filepath.Join(dir, experiment.ResultsFile))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := experiment.Run(ctx, spec, experiment.Options{Out: dir, Progress: func(experiment.Event) { cancel() }})
	if !errors.Is(err, experiment.ErrInterrupted) || r == nil {
		t.Fatalf("Run = %v, %v, want an interruption", r, err)
	}
	c := r.Configurations[0]
	if c.Selected || len(c.Seeds) != 0 || !math.IsNaN(float64(c.Mean.Accuracy)) || !math.IsNaN(float64(c.Interval[0])) || r.Seeds == nil {
		t.Errorf("nothing was trained, but the result is %+v", c)
	}
	after, err := os.ReadFile(filepath.Join(dir, experiment.ResultsFile))
	if err != nil || string(after) != string(whole) {
		t.Errorf("an interrupted run took the place of a whole result, %v", err)
	}
	for name, content := range before {
		if got := contents(t, dir)[name]; got != content && !strings.HasPrefix(name, "unfinished") {
			t.Errorf("%s was changed by an interrupted run", name)
		}
	}
}

// A model in the wrong place, of another seed or with vectors of another
// encoder, is neither taken for finished nor evaluated.
func TestForeignModels(t *testing.T) {
	dir := t.TempDir()
	vectors := filepath.Join(t.TempDir(), "words.txt")
	write := func(text string) {
		if err := os.WriteFile(vectors, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("the 1 0\ngood 0 1\nbad 0 -1\n")
	spec := small("unconstrained")
	spec.Epsilons, spec.Encoder = nil, catalogue.Name(vectors)
	run(t, spec, experiment.Options{Out: dir})
	want := contents(t, dir)
	for _, name := range []string{model.ManifestFile, model.WeightsFile} {
		if err := os.WriteFile(filepath.Join(dir, "seed-2", name), []byte(want[filepath.Join("seed-1", name)]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := experiment.Evaluate(t.Context(), dir, "", 1); err == nil || !strings.Contains(err.Error(), "seed 1") {
		t.Errorf("the model of another seed: error = %v", err)
	}
	run(t, spec, experiment.Options{Out: dir, Resume: true})
	same(t, "after resuming over a foreign model", contents(t, dir), want)
	write("the 0 1\ngood 1 1\nbad 1 -1\n")
	if _, err := experiment.Evaluate(t.Context(), dir, "", 1); err == nil || !strings.Contains(err.Error(), "other vectors") {
		t.Errorf("another encoder under the same name: error = %v", err)
	}
}

// A damaged reference is refused, not left out.
func TestDamagedReference(t *testing.T) {
	dir := t.TempDir()
	run(t, small("noise"), experiment.Options{Out: dir})
	if err := os.WriteFile(filepath.Join(dir, experiment.ReferenceDir, model.WeightsFile), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := experiment.Evaluate(t.Context(), dir, "", 1); err == nil {
		t.Error("Evaluate took no notice of a damaged reference")
	}
}

// A training that diverges does not take the others with it.
func TestOneFails(t *testing.T) {
	dir := t.TempDir()
	spec := small("majority", "unconstrained")
	spec.Epsilons, spec.Rate, spec.Seeds = nil, 1e30, 2
	r, err := experiment.Run(t.Context(), spec, experiment.Options{Out: dir})
	if !errors.Is(err, experiment.ErrFailed) || r == nil || len(r.Failed) != 2 || r.Interrupted {
		t.Fatalf("Run = %+v, %v, want two failures", r, err)
	}
	if !strings.Contains(r.Failed[0].Reason, "diverged") || r.Failed[0].Job != "unconstrained-d16-seed-1" {
		t.Errorf("the failure is %+v, want the job and that it diverged", r.Failed[0])
	}
	if c := r.Configurations[0]; c.Method != "majority" || len(c.Seeds) != 2 || !c.Selected || r.Configurations[1].Selected {
		t.Errorf("the others are %+v", r.Configurations)
	}
	if _, err := os.Stat(filepath.Join(dir, experiment.ResultsFile)); err != nil {
		t.Error(err)
	}
}
