package experiment_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sotto/compute/nn/transformer/tiny"
	"sotto/learn/experiment"
	"sotto/text/encode/catalogue"
	"sotto/text/encode/distill"
)

// trained trains a model on an encoder that is tuned first, or not.
func distilledTrained(t *testing.T, tune bool, dropout float64) (dir, parent string) {
	t.Helper()
	parent = t.TempDir()
	if err := tiny.Even().Write(parent); err != nil {
		t.Fatal(err)
	}
	spec := experiment.Spec{Data: "reviews", Limit: 240, Methods: []string{"plain"}, Epochs: 2}
	spec.Dropout = dropout
	if tune {
		spec.Encoder, spec.Tune, spec.TuneEpochs, spec.TuneLength = catalogue.Name(parent), true, 1, 16
	}
	dir = filepath.Join(t.TempDir(), "task")
	if _, err := experiment.Run(t.Context(), spec, experiment.Options{Out: dir, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	return dir, parent
}

// TestRun distils a tuned encoder, and checks that what is reported fits together,
// that the file is an encoder, and that the number of workers does not show in it.
func TestRun(t *testing.T) {
	dir, parent := distilledTrained(t, true, 0)
	var files [][]byte
	for workers := range 2 {
		stages := map[string]int{}
		o := experiment.DistillOptions{
			TaskSettings: distill.TaskSettings{Student: distill.Words, Dim: 16, Buckets: 5000, Epochs: 4, Name: "small"},
			Workers:      1 + workers, Texts: []string{"a man is playing", "no cat"}, Progress: func(r distill.Report) { stages[r.Stage]++ },
		}
		if workers == 1 {
			o.Parent = parent
		}
		r, student, err := experiment.Distill(t.Context(), dir, "", o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Data != "reviews" || r.Rows.Train != 240 || r.Rows.Validation != 60 || r.Rows.Test != 60 || r.Rows.Unlabelled != 2 || r.Rows.Variants < 900 || stages["epoch"] == 0 {
			t.Errorf("the report is %+v, after stages %v", r, stages)
		}
		for _, s := range []experiment.DistillScore{r.Tuned, r.Before, r.Distilled} {
			if !(s.Low <= s.Accuracy && s.Accuracy <= s.High && s.High <= 1) {
				t.Errorf("a score is %+v", s)
			}
		}
		if (r.Frozen == nil) != (workers == 0) || math.IsNaN(float64(r.GainLarge)) != (workers == 0) {
			t.Errorf("the encoder before is %+v, the large gain %v; want both exactly where it is given", r.Frozen, r.GainLarge)
		}
		if d := r.GainSmall - (r.Distilled.Accuracy - r.Before.Accuracy); math.Abs(d) > 1e-12 || !(r.Speed.Distilled > 0 && r.Speed.Tuned > 0) {
			t.Errorf("the small gain is off by %v, speeds are %+v", d, r.Speed)
		}
		path := filepath.Join(t.TempDir(), "small.static")
		if err = student.Save(path); err != nil {
			t.Fatal(err)
		}
		e, err := catalogue.Open(t.Context(), catalogue.Said(path), "")
		if err != nil || e.Dim() != 16 {
			t.Fatalf("the file is no encoder: %v", err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, content)
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("two workers make another file than one")
	}
	ctx, cancel := context.WithCancel(t.Context())
	o := experiment.DistillOptions{Progress: func(distill.Report) { cancel() }}
	if _, _, err := experiment.Distill(ctx, dir, "", o); !errors.Is(err, context.Canceled) {
		t.Errorf("after ctx ended: %v", err)
	}
	cancel()
}

func TestRunRefuses(t *testing.T) {
	if _, _, err := experiment.Distill(t.Context(), "nowhere", "", experiment.DistillOptions{TaskSettings: distill.TaskSettings{Student: "dog"}}); err == nil || !strings.Contains(err.Error(), "must be one of table, words, chars") {
		t.Errorf("a student that there is not gives %v, before anything is opened", err)
	}
	plain, _ := distilledTrained(t, false, 0)
	masked, _ := distilledTrained(t, true, 0.1)
	for dir, want := range map[string]string{plain: "must be one that was tuned", masked: "with masks", t.TempDir(): "holds no model"} {
		if _, _, err := experiment.Distill(t.Context(), dir, "", experiment.DistillOptions{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error is %v, want one with %q", err, want)
		}
	}
}
