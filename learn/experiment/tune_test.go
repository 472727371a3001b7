package experiment_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/compute/nn/transformer/tiny"
	"sotto/data/dataset"
	"sotto/learn/experiment"
	"sotto/promise/dp/dptest"
	"sotto/text/encode/bert"
	"sotto/text/encode/catalogue"
)

// transformer writes a random transformer to a folder.
func transformer(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := tiny.Even().Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// fewReviews writes reviews to a file, so that a tuned encoder has no more texts to
// encode than are used. It returns a spec that tunes the encoder on them.
func fewReviews(t *testing.T, encoder string) experiment.Spec {
	t.Helper()
	set, err := dataset.Reviews{Rows: 240}.Generate()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("text,sentiment,author\n")
	for i, text := range set.Text {
		fmt.Fprintf(&b, "%q,%d,%d\n", text, set.Label.IDs[i], set.Attributes[0].IDs[i])
	}
	path := filepath.Join(t.TempDir(), "reviews.csv")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return experiment.Spec{
		In: experiment.Path(path), Label: "sentiment", Attribute: "author", Layout: dataset.Layout{Text: "text"},
		Encoder: catalogue.Name(encoder), Tune: true, TuneLength: 16,
	}
}

// TestTune trains a method on a tuned encoder, stops it in the middle of tuning,
// resumes it, and evaluates what lies in the folder, also where it was moved to.
func TestTune(t *testing.T) {
	spec := fewReviews(t, transformer(t))
	spec.TuneEpochs, spec.Methods, spec.Epsilons, spec.Epochs = 2, []string{"label"}, []float64{4}, 2
	run := func(ctx context.Context, out string, resume bool, progress func(experiment.Event)) (*experiment.Result, error) {
		return experiment.Run(ctx, spec, experiment.Options{Out: out, Resume: resume, Workers: 2, Progress: progress})
	}
	whole := filepath.Join(t.TempDir(), "whole")
	want, err := run(t.Context(), whole, false, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(want.Data.Encoder), bert.TunedPrefix) || !strings.Contains(strings.Join(want.Notes, " "), string(want.Data.Encoder)) {
		t.Errorf("the data is encoded by %q, with notes %q; want a tuned encoder that a note names", want.Data.Encoder, want.Notes)
	}

	if !dptest.Long() {
		return // what follows tunes as much again, twice
	}
	stopped := filepath.Join(t.TempDir(), "stopped")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = run(ctx, stopped, false, func(e experiment.Event) {
		if e.Tuning != nil && e.Tuning.Step == 3 {
			cancel()
		}
	})
	if !errors.Is(err, experiment.ErrInterrupted) {
		t.Fatalf("a run that was stopped in tuning returns %v, want ErrInterrupted", err)
	}
	got, err := run(t.Context(), stopped, true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Data.Encoder != want.Data.Encoder || got.Data.Vectors != want.Data.Vectors {
		t.Errorf("resumed, the encoder is %s, want %s", got.Data.Encoder, want.Data.Encoder)
	}
	tuned := 0
	if _, err = run(t.Context(), stopped, true, func(e experiment.Event) {
		if e.Tuning != nil {
			tuned++
		}
	}); err != nil || tuned > 0 {
		t.Errorf("resumed when all is done, it takes %d steps of tuning with error %v, want none", tuned, err)
	}

	moved := filepath.Join(t.TempDir(), "moved")
	if err = os.Rename(whole, moved); err != nil {
		t.Fatal(err)
	}
	e, err := experiment.Evaluate(t.Context(), moved, spec.In, 2)
	if err != nil {
		t.Fatal(err)
	}
	if e.Mean.Accuracy != want.Mean.Accuracy {
		t.Errorf("evaluated, the accuracy is %v, want %v", e.Mean.Accuracy, want.Mean.Accuracy)
	}
	if err := os.RemoveAll(filepath.Join(moved, "encoder")); err != nil {
		t.Fatal(err)
	}
	if _, err := experiment.Evaluate(t.Context(), moved, spec.In, 2); err == nil || !strings.Contains(err.Error(), "is not beside the model") {
		t.Errorf("without its encoder, an evaluation gives %v", err)
	}
}

// TestTunedBefore trains on an encoder that another training has tuned: the folder of the
// result has it too, so that it can be used when the other one is gone.
func TestTunedBefore(t *testing.T) {
	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
	spec := fewReviews(t, transformer(t))
	spec.TuneEpochs, spec.Limit, spec.Methods, spec.Epsilons, spec.Epochs, spec.Attribute = 1, 100, []string{"label"}, []float64{4}, 2, "none"
	made, err := experiment.Run(t.Context(), spec, experiment.Options{Out: first, Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	spec.Encoder, spec.Tune, spec.TuneEpochs, spec.TuneLength = catalogue.Name(filepath.Join(first, "encoder")), false, 0, 0
	for _, resume := range []bool{false, true} {
		want, err := experiment.Run(t.Context(), spec, experiment.Options{Out: second, Workers: 2, Resume: resume})
		if err != nil {
			t.Fatal(err)
		}
		if want.Data.Encoder != made.Data.Encoder || !strings.Contains(strings.Join(want.Notes, " "), "was tuned before") {
			t.Errorf("the data is encoded by %q, with notes %q; want %q, and a note that it was tuned before", want.Data.Encoder, want.Notes, made.Data.Encoder)
		}
	}
	if err := os.RemoveAll(first); err != nil {
		t.Fatal(err)
	}
	if _, err := experiment.Evaluate(t.Context(), second, spec.In, 2); err != nil {
		t.Errorf("evaluated without the folder in which it was tuned: %v", err)
	}
}

func TestTuneRefuses(t *testing.T) {
	dir := transformer(t)
	for want, spec := range map[string]experiment.Spec{
		"needs":                                {Data: "reviews", Encoder: catalogue.Name(dir), Tune: true, Attribute: "none", Methods: []string{"adversarial"}},
		"settings of tuning are given":         {Data: "reviews", Encoder: catalogue.Name(dir), TuneOnce: true, Methods: []string{"plain"}},
		`encoder is "default", must be minilm`: {Data: "reviews", Tune: true, Methods: []string{"plain"}},
		`encoder is "hash:64", must be minilm`: {Data: "reviews", Encoder: "hash:64", Tune: true, Methods: []string{"plain"}},
		"layers is 3, must be from 1 to 2":     {Data: "reviews", Encoder: catalogue.Name(dir), Tune: true, TuneLayers: 3, Methods: []string{"plain"}},
	} {
		out := filepath.Join(t.TempDir(), "out")
		if _, err := experiment.Run(t.Context(), spec, experiment.Options{Out: out, Workers: 1}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one with %q", err, want)
		}
		if _, err := os.Stat(out); err == nil {
			t.Errorf("%s: a folder is left", want)
		}
	}
}

// TestTuneMethods runs every method that takes a tuned encoder on one, with two
// labels where it can serve several.
func TestTuneMethods(t *testing.T) {
	file := fewReviews(t, transformer(t))
	for _, spec := range []experiment.Spec{
		{Methods: []string{"plain", "unconstrained", "inlp", "majority", "random"}},
		{Methods: []string{"codes", "noise", "ldpnn"}, Epsilons: []float64{4}},
		{Methods: []string{"adversarial", "multiple", "dpnr"}, Epsilons: []float64{400}, Alone: true},
		{Methods: []string{"codes"}, Epsilons: []float64{4}, Labels: []string{"sentiment", "author"}},
		{Methods: []string{"codes"}, Epsilons: []float64{4}, Reserve: 0.2},
		{Methods: []string{"label"}, Epsilons: []float64{4}, Dropout: 0.2},
		{Methods: []string{"auto"}, Epsilons: []float64{4}},
		{Methods: []string{"dpnr"}, Epsilons: []float64{8}, Labels: []string{"sentiment", "author"}},
	}[:dptest.Count(t, 3, 8)] { // each method once, and in the long run what else it takes
		spec.In, spec.Layout, spec.Encoder, spec.Tune, spec.TuneLayers, spec.TuneEpochs, spec.Epochs = file.In, file.Layout, file.Encoder, true, 1, 1, 2
		if spec.Labels == nil {
			spec.Label, spec.Attribute = file.Label, file.Attribute
		}
		r, err := experiment.Run(t.Context(), spec, experiment.Options{Workers: 2})
		if err != nil {
			t.Errorf("%v: %v", spec.Methods, err)
			continue
		}
		for _, c := range r.Configurations {
			if len(c.Seeds) != 1 || !(c.Mean.Accuracy > 0) {
				t.Errorf("%s has %d seeds with accuracy %v, want one above 0", c.Name(), len(c.Seeds), c.Mean.Accuracy)
			}
		}
	}
}

// TestTuneTogether trains methods together with their encoders, each seed with its own,
// and checks that every model finds its own again, that neither workers nor a stop show
// in the result, and that seeds share an encoder where that was asked for.
func TestTuneTogether(t *testing.T) {
	spec := fewReviews(t, transformer(t))
	spec.TuneEpochs, spec.Methods, spec.Epsilons, spec.Dims, spec.Epochs, spec.Seeds = 2, []string{"federate", "label"}, []float64{16}, []int{8}, 2, 2
	whole := filepath.Join(t.TempDir(), "whole")
	want, err := experiment.Run(t.Context(), spec, experiment.Options{Out: whole, Workers: 3})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	folders, err := filepath.Glob(filepath.Join(whole, "encoder*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range folders {
		m, failed := bert.ReadManifest(dir)
		if failed != nil || m == nil {
			t.Fatalf("%s: %v", dir, failed)
		}
		names[m.Name()] = filepath.Base(dir)
	}
	if len(names) != 4 { // of two seeds, for label and for federate
		t.Fatalf("the encoders are %v, want four different ones", names)
	}
	if e := *want.Mean.True; !(float64(e) > 15.99 && float64(e) < 16.01) {
		t.Errorf("true ε is %v, want 16, but for its rounding: no training changes it", e)
	}
	if notes := strings.Join(want.Notes, " "); !strings.Contains(notes, "federate has an encoder of its own") || !strings.Contains(notes, "4 encoders") {
		t.Errorf("the notes are %q", notes)
	}

	e, err := experiment.Evaluate(t.Context(), whole, spec.In, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range e.Models {
		if got, was := c.Mean.Accuracy, want.Configurations[i].Mean.Accuracy; got != was {
			t.Errorf("%s: evaluated, the accuracy is %v, was %v", c.Method, got, was)
		}
	}
	seen := 0
	for r, err := range experiment.Releases(t.Context(), filepath.Join(whole, "federate-laplace-l1-e16-d8"), experiment.ReleaseOptions{Workers: 1, In: spec.In}) {
		if err != nil || r.Score.Vectors.Cols != 8 {
			t.Fatalf("releases have %v with error %v", r, err)
		}
		seen++
	}
	if seen != 2 {
		t.Errorf("there are releases of %d models, want 2", seen)
	}

	stopped := filepath.Join(t.TempDir(), "stopped")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err = experiment.Run(ctx, spec, experiment.Options{Out: stopped, Workers: 1, Progress: func(e experiment.Event) {
		if e.Tuning != nil && strings.HasPrefix(e.Job, "encoder-federate") && e.Tuning.Step == 6 {
			cancel()
		}
	}})
	if !errors.Is(err, experiment.ErrInterrupted) {
		t.Fatalf("a run that was stopped in tuning returns %v, want ErrInterrupted", err)
	}
	got, err := experiment.Run(t.Context(), spec, experiment.Options{Out: stopped, Workers: 1, Resume: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range got.Configurations {
		if c.Mean.Accuracy != want.Configurations[i].Mean.Accuracy {
			t.Errorf("%s: stopped and resumed, the accuracy is %v, want %v", c.Name(), c.Mean.Accuracy, want.Configurations[i].Mean.Accuracy)
		}
	}
	for name, folder := range names {
		if m, err := bert.ReadManifest(filepath.Join(stopped, folder)); err != nil || m == nil || m.Name() != name {
			t.Errorf("stopped and resumed on one core, %s is %+v with error %v, want %s", folder, m, err, name)
		}
	}

	spec.TuneOnce = true
	once := filepath.Join(t.TempDir(), "once")
	if _, err := experiment.Run(t.Context(), spec, experiment.Options{Out: once, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	if folders, err := filepath.Glob(filepath.Join(once, "encoder*")); err != nil || len(folders) != 2 {
		t.Errorf("tuned once, the encoders are %v with error %v, want two", folders, err)
	}
}
