package train_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/train"
)

// tiny is a search that takes a moment.
func tiny(epsilon float64) train.Auto {
	t := train.Training{Shape: train.Shape{Encoder: []int{8}}, Epochs: 1, Batch: 50, Rate: 0.01}
	return train.Auto{Training: t, Epsilon: epsilon, Rows: 300}
}

// timeless drops what differs from run to run.
func timeless(trials []train.Trial) []train.Trial {
	var all []train.Trial
	for _, t := range trials {
		t.Seconds = 0
		all = append(all, t)
	}
	return all
}

// search looks for the method to fit.
func search(ctx context.Context, h train.Auto, d planted, o train.Options) (*train.Found, error) {
	f, err := h.Prepare(d.Data)
	if err != nil {
		return nil, err
	}
	return f.Search(ctx, o)
}

func TestAuto(t *testing.T) {
	d := second(plant(1200, 2, 2, 1), 0, false)
	told, last := 0, 0.0
	search := func(workers int) *train.Found {
		found, err := search(t.Context(), tiny(2), d, train.Options{Seed: 1, Pool: nn.NewPool(workers), Trial: func(_ train.Trial, done float64) {
			told++
			if !(done >= last && done <= 1) {
				t.Errorf("done is %v after %v, want from there to 1", done, last)
			}
			last = done
		}})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	found := search(1)
	if last != 1 || told < len(found.Trials) {
		t.Errorf("%d trials were told up to %v, want all %d and 1", told, last, len(found.Trials))
	}
	last = 0
	if again := search(2); !reflect.DeepEqual(timeless(again.Trials), timeless(found.Trials)) || !reflect.DeepEqual(again.Method, found.Method) {
		t.Error("a second search with another number of workers found something else")
	}
	tried, chosen, teachers := map[string]bool{}, 0, 0
	best := train.Trial{}
	for _, trial := range found.Trials {
		tried[trial.Mechanism] = true
		if trial.Mechanism == "" && trial.Chosen {
			teachers++
		}
		if trial.Mechanism == "" {
			continue
		}
		if trial.Failed != "" {
			t.Errorf("%s failed: %s", trial.Name, trial.Failed)
		}
		if trial.Chosen {
			chosen++
			best = trial
		}
	}
	for _, name := range []string{"", "codes", "laplace-l1", "laplace-l2", "privunit", "codebook", "bitrr"} {
		if !tried[name] {
			t.Errorf("%q was not tried", name)
		}
	}
	if chosen != 1 || teachers != 1 {
		t.Errorf("%d releases and %d models of the trusted side were chosen, want one each", chosen, teachers)
	}
	for _, trial := range found.Trials {
		if trial.Mechanism != "" && len(trial.Scores) == len(best.Scores) && trial.Accuracy > best.Accuracy {
			t.Errorf("%s has %v, above the chosen one's %v", trial.Name, trial.Accuracy, best.Accuracy)
		}
	}
	checkAutoFit(t, d, found)
}

// checkAutoFit holds Fit to what Search found.
func checkAutoFit(t *testing.T, d planted, found *train.Found) {
	t.Helper()
	m := fit(t, tiny(2), d, 1)
	if !bytes.Equal(weights(t, m), weights(t, fit(t, found.Method, d, 1))) {
		t.Error("Fit gives another model than what Search found")
	}
	if g := m.Guarantee(); !(float64(g.Epsilon) <= 2*(1+1e-9) && g.Epsilon > 0) {
		t.Errorf("guarantee is %v, want at most ε = 2", g)
	}
}

func TestAutoStops(t *testing.T) {
	d := plant(400, 2, 2, 1)
	for _, after := range []int{0, 2, 6} {
		ctx, cancel := context.WithCancel(t.Context())
		trials := 0
		if after == 0 {
			cancel()
		}
		_, err := search(ctx, tiny(2), d, train.Options{Seed: 1, Trial: func(train.Trial, float64) {
			if trials++; trials == after {
				cancel()
			}
		}})
		cancel()
		if !errors.Is(err, context.Canceled) || trials != after {
			t.Errorf("Search ended after %d trials with %v, want %d and %v", trials, err, after, context.Canceled)
		}
	}
	for _, epsilon := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := search(t.Context(), tiny(epsilon), d, train.Options{}); err == nil || !strings.Contains(err.Error(), "epsilon") {
			t.Errorf("Search at ε = %v: %v, want a refusal", epsilon, err)
		}
	}
}
