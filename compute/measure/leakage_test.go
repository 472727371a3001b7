package measure_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

func leak(t *testing.T, h measure.Probe, fit, score measure.Labelled, classes int) measure.Leakage {
	t.Helper()
	l, err := measure.Leak(context.Background(), nn.NewPool(2), h, fit, score, classes)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLeakXOR(t *testing.T) {
	l := leak(t, measure.Probe{}, xor(400), xor(40), 2)
	low, _ := measure.ClopperPearson(40, 40, 0.95)
	linear := l.Linear
	l.Linear = 0
	want := measure.Leakage{
		Accuracy: 1, Low: low, High: 1, Majority: 0.5, Balanced: 1, AUC: 1,
		RowsFitted: 400, RowsScored: 40,
	}
	if l != want {
		t.Errorf("Leak = %+v, want %+v", l, want)
	}
	if !(linear <= 0.75) {
		t.Errorf("linear accuracy = %v, want at most 0.75", linear)
	}
	if l := leak(t, measure.Probe{Hidden: []int{}}, xor(400), xor(40), 2); l.Linear != l.Accuracy {
		t.Errorf("linear probe: accuracy %v and linear accuracy %v differ", l.Accuracy, l.Linear)
	}
}

// TestLeakLinear: however few epochs the probe has, the linear accuracy is that of
// a linear probe which takes what it needs.
func TestLeakLinear(t *testing.T) {
	r := rng(17)
	fit, score := planted(r, 200, 4, 2), planted(r, 100, 4, 2)
	want := leak(t, measure.Probe{Hidden: []int{}}, fit, score, 2).Accuracy
	for _, h := range []measure.Probe{{}, {Epochs: 1}, {Hidden: []int{4, 4}, Epochs: 2}} {
		if got := leak(t, h, fit, score, 2).Linear; got != want {
			t.Errorf("linear accuracy under %+v is %v, want %v", h, got, want)
		}
	}
	if short := leak(t, measure.Probe{Hidden: []int{}, Epochs: 1}, fit, score, 2); short.Linear != short.Accuracy {
		t.Errorf("linear probe of one epoch: accuracy %v and linear accuracy %v differ", short.Accuracy, short.Linear)
	}
}

// TestLeakClasses scores three classes of which the last does not occur among
// the rows scored, with rows that have no attribute between them.
func TestLeakClasses(t *testing.T) {
	r := rng(14)
	score := planted(r, 60, 4, 2)
	score.Z[0], score.Z[1] = -1, -1
	score.X.Row(0)[2] = float32(nan) // a row that does not count may be anything
	l := leak(t, measure.Probe{}, planted(r, 300, 4, 3), score, 3)
	if l.Accuracy != 1 || l.Balanced != 1 || l.AUC != 1 || l.Linear < 0.9 || l.RowsScored != 58 {
		t.Errorf("Leak = %+v, want all right on 58 rows", l)
	}
}

func TestLeakJSON(t *testing.T) {
	r := rng(15)
	score := planted(r, 10, 3, 2)
	for i := range score.Z {
		score.Z[i] = 1
	}
	l := leak(t, measure.Probe{Epochs: 1}, planted(r, 50, 3, 2), score, 2)
	if !math.IsNaN(float64(l.AUC)) || l.Majority != 1 {
		t.Errorf("AUC = %v and majority = %v of one class, want NaN and 1", l.AUC, l.Majority)
	}
	b, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(b, &fields); err != nil {
		t.Fatal(err)
	}
	if v, ok := fields["auc"]; v != nil || !ok || len(fields) != 9 {
		t.Errorf("JSON is %s, want nine fields and auc null", b)
	}
}

func TestLeakErrors(t *testing.T) {
	r := rng(16)
	good := planted(r, 20, 3, 2)
	spoilt := measure.Labelled{X: good.X.Clone(), Z: good.Z}
	spoilt.X.Data[4] = float32(nan)
	unknown := measure.Labelled{X: good.X, Z: []int{19: -1}}
	for i := range unknown.Z {
		unknown.Z[i] = -1
	}
	for _, c := range []struct {
		name       string
		fit, score measure.Labelled
	}{
		{"columns", good, planted(r, 20, 4, 2)},
		{"NaN to fit", spoilt, good},
		{"NaN to score", good, spoilt},
		{"nothing to fit", unknown, good},
		{"nothing to score", good, unknown},
		{"too many classes", measure.Labelled{X: good.X, Z: []int{0: 2, 19: 0}}, good},
	} {
		if l, err := measure.Leak(context.Background(), nn.NewPool(1), measure.Probe{Epochs: 1}, c.fit, c.score, 2); err == nil {
			t.Errorf("%s: Leak = %+v, want an error", c.name, l)
		}
	}
}

// A value that no row to fit has counts for itself and is missed.
func TestLeakStrangers(t *testing.T) {
	r := rng(17)
	fit, score := planted(r, 200, 3, 2), planted(r, 100, 3, 2)
	for i := range 60 {
		score.Z[i] = 2 + i
	}
	l, err := measure.Leak(context.Background(), nn.NewPool(1), measure.Probe{}, fit, score, 2)
	if err != nil {
		t.Fatal(err)
	}
	if want := measure.Majority(score.Z); l.Majority != want || l.Majority >= 0.4 || l.Accuracy > 0.4 || l.RowsScored != 100 {
		t.Errorf("leakage is %+v, want at most 40 of 100 rows right, beside a majority of %v", l, want)
	}
}
