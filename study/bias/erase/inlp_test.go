package erase_test

import (
	"context"
	"errors"
	weakrand "math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/study/bias/erase"
)

func TestINLP(t *testing.T) {
	for _, classes := range []int{2, 3} {
		s := newSample(uint64(classes), 2000, 12, classes)
		data := s.labelled()
		data.Z[0], data.Z[1] = -1, -1 // unknown
		told := 0
		h := erase.INLP{Iterations: 4, Probe: measure.Probe{Epochs: 30}, Seed: 1, Progress: func(erase.Iteration) { told++ }}
		e, found, err := h.Fit(t.Context(), nn.NewPool(2), data, classes)
		if err != nil {
			t.Fatal(err)
		}
		if e.Method() != erase.MethodINLP || e.Dim() != 12 {
			t.Errorf("eraser = %s of %d, want inlp of 12", e.Method(), e.Dim())
		}
		p := wantProjection(t, e)
		if !mat.EqualApprox(p, p.T(), 1e-12) {
			t.Error("P is not symmetric")
		}
		if told != len(found) {
			t.Errorf("Progress was called %d times for %d classifiers", told, len(found))
		}
		if len(found) == 0 || found[len(found)-1].Removed != e.Rank() {
			t.Fatalf("iterations = %+v, want the last to have removed %d", found, e.Rank())
		}
		if most := len(found) * (classes - 1); e.Rank() > most {
			t.Errorf("rank removed = %d, want at most %d", e.Rank(), most)
		}
		// W·P = 0, but for what is dropped of a direction that hardly differs
		// from those before, 1e-8 of it.
		removed := 0
		for k, it := range found {
			if it.Removed == removed { // it was idle and is left
				continue
			}
			removed = it.Removed
			for c, row := range it.Weights {
				w := mat.NewDense(1, 12, row)
				var left mat.Dense
				left.Mul(w, p)
				if got, whole := mat.Norm(&left, 2), mat.Norm(w, 2); got > 2e-8*whole {
					t.Errorf("classifier %d, class %d: ‖W·P‖ = %v of ‖W‖ = %v, want 0", k, c+1, got, whole)
				}
			}
		}
		if first := found[0]; !(first.Accuracy > first.Majority) {
			t.Errorf("first classifier = %+v, want better than the majority", first)
		}
	}
}

// In narrow vectors idle classifiers do not remove what says nothing of the
// concept. Four rows in five are of one class, so that a classifier of the other
// seven coordinates, which are noise, never leaves it: its log odds of −1.39 vary
// by about √(7/(3000·.7·.16)) = 0.14, a tenth of that. A second direction is
// allowed for what the first one misses.
func TestINLPNarrow(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(3, 1))
	const rows, width = 3000, 8
	data := measure.Labelled{X: nn.NewMatrix(rows, width), Z: make([]int, rows)}
	for i := range rows {
		for j := range data.X.Row(i) {
			data.X.Row(i)[j] = float32(rng.NormFloat64())
		}
		if i%5 == 0 {
			data.Z[i] = 1
			data.X.Row(i)[0] += 6
		}
	}
	e, found, err := erase.INLP{}.Fit(t.Context(), nn.NewPool(2), data, 2)
	if err != nil {
		t.Fatal(err)
	}
	if e.Rank() < 1 || e.Rank() > 2 || !(found[0].Accuracy > 0.95) {
		t.Errorf("%d of %d directions are removed after a first accuracy of %v, want one or two", e.Rank(), width, found[0].Accuracy)
	}
	if last := found[len(found)-1]; last.Accuracy > last.Majority {
		t.Errorf("the last classifier has an accuracy of %v, want the majority, %v", last.Accuracy, last.Majority)
	}
}

// The result depends on the seed, not on the workers.
func TestINLPWorkers(t *testing.T) {
	s := newSample(2, 300, 4, 2)
	fit := func(workers int) *mat.Dense {
		e, _, err := erase.INLP{Iterations: 2, Probe: measure.Probe{Epochs: 10}}.Fit(t.Context(), nn.NewPool(workers), s.labelled(), 2)
		if err != nil {
			t.Fatal(err)
		}
		return e.Matrix()
	}
	if !mat.Equal(fit(1), fit(3)) {
		t.Error("P differs with the number of workers")
	}
}

func TestINLPRefuses(t *testing.T) {
	s := newSample(2, 50, 2, 2)
	for name, h := range map[string]erase.INLP{
		"negative iterations": {Iterations: -1},
		"negative patience":   {Patience: -1},
		"all held out":        {Held: 1},
		"none held out":       {Held: 0.001},
		"bad classifier":      {Probe: measure.Probe{Rate: -1}},
	} {
		if _, _, err := h.Fit(t.Context(), nn.NewPool(1), s.labelled(), 2); err == nil {
			t.Errorf("%s: Fit = nil, want an error", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := (erase.INLP{}).Fit(ctx, nn.NewPool(1), s.labelled(), 2); !errors.Is(err, context.Canceled) {
		t.Errorf("Fit that is cancelled = %v, want %v", err, context.Canceled)
	}
}
