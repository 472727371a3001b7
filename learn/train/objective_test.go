package train_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// rare is planted rows of which few are of class 1.
func rare(rows int) planted {
	d := plant(rows, 0.8, 0, 3)
	rng := weakrand.New(weakrand.NewPCG(8, 1))
	keep := func(part []int) []int {
		var some []int
		for _, row := range part {
			if d.Y[row] == 0 || rng.Float64() < 0.12 {
				some = append(some, row)
			}
		}
		return some
	}
	d.Z, d.Groups = nil, 0
	d.Train, d.Validation, d.test = keep(d.Train), keep(d.Validation), keep(d.test)
	return d
}

// lawOf returns what a model of codes is expected to answer to the test rows.
func lawOf(t *testing.T, m *model.Model, d planted) measure.Balance {
	t.Helper()
	p := nn.NewPool(1)
	law, coded, err := m.Law(p, d.X, d.test)
	if err != nil || !coded {
		t.Fatalf("Law: %t, %v", coded, err)
	}
	each := nn.NewMatrix(law.Cols, law.Cols)
	for c := range law.Cols {
		each.Row(c)[c] = 1
	}
	told := m.Predict(p, each, 1)[0]
	counted := measure.NewConfusion(d.Classes)
	shares := make([]float64, d.Classes)
	for i, row := range d.test {
		clear(shares)
		for code, share := range law.Row(i) {
			shares[told[code]] += float64(share)
		}
		counted.AddLaw(d.Y[row], shares)
	}
	return counted.Balance(nil)
}

// A rare class vanishes where accuracy alone counts, and is told where classes
// count alike, at the same ε.
func TestObjectives(t *testing.T) {
	d := rare(8000)
	for name, of := range map[string]func(train.Objective) train.Method{
		"codes": func(o train.Objective) train.Method {
			h := codes(1, 0, 0)
			h.Objective = o
			return h
		},
		"label": func(o train.Objective) train.Method {
			return train.Label{Training: settings(4), Release: mech.Params{Epsilon: 1}, Objective: o}
		},
	} {
		t.Run(name, func(t *testing.T) {
			plain := lawOf(t, fit(t, of(""), d, 1), d)
			if plain.Least > 1e-6 {
				t.Fatalf("for accuracy the rare class has a recall of %v: nothing is tested", plain.Least)
			}
			m := fit(t, of(train.Balanced), d, 1)
			balanced := lawOf(t, m, d)
			// With the best threshold a coin of ±0.8·√2 is told in 87 %, and at ε = 1 a
			// response keeps (e−1)/(e+1) = 0.46 of what is above a half: 0.67.
			if balanced.Balanced < 0.6 || balanced.Least < 0.5 {
				t.Errorf("balanced accuracy is %v with a recall of %v, want some 0.67", balanced.Balanced, balanced.Least)
			}
			if float64(balanced.Balanced) > bound(t, 1)+0.03 {
				t.Errorf("balanced accuracy is %v, above %v, which no release has", balanced.Balanced, bound(t, 1))
			}
			f1 := lawOf(t, fit(t, of(train.MacroF1), d, 1), d)
			if f1.MacroF1 < plain.MacroF1-0.01 || f1.MacroF1 < balanced.MacroF1-0.01 {
				t.Errorf("macro-F1 is %v where it is sought, %v and %v where it is not", f1.MacroF1, plain.MacroF1, balanced.MacroF1)
			}
			if g := m.Guarantee(); !(g.Epsilon <= 1) || g.Delta != 0 || g.Unit != dp.Text {
				t.Errorf("the guarantee is %v, want ε = 1 whatever is sought", g)
			}
		})
	}
}

// bound is what the balanced accuracy of two classes cannot exceed.
func bound(t *testing.T, epsilon dp.Epsilon) float64 {
	t.Helper()
	v, err := dp.AccuracyBound(epsilon, []float64{0.5, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestObjectiveOfSearch(t *testing.T) {
	d := rare(3000)
	h := train.Auto{Training: settings(2), Epsilon: 1, Objective: train.Balanced}
	f, err := h.Prepare(d.Data)
	if err != nil {
		t.Fatal(err)
	}
	found, err := f.Search(t.Context(), train.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	best, most := train.Trial{}, 0.0
	for _, trial := range found.Trials {
		if trial.Mechanism == "" {
			continue
		}
		if len(trial.Values) != len(trial.Scores) || trial.Failed == "" && !(trial.Value > 0 && trial.Value <= 1) {
			t.Errorf("%s has values %v for scores %v", trial.Name, trial.Values, trial.Scores)
		}
		if trial.Chosen {
			best = trial
		}
		if len(trial.Values) > 1 {
			most = max(most, trial.Value)
		}
	}
	// Noise must win by more than chance, codes by more than a trifle.
	chance := 2 * math.Sqrt(0.25/30+0.25/340) / 2
	if best.Value < most-chance {
		t.Errorf("%s was chosen with %v, want the best, %v", best.Name, best.Value, most)
	}
	if found.Advice != "" {
		t.Errorf("advice is %q, which is of accuracy", found.Advice)
	}
}

func TestObjectivesRefused(t *testing.T) {
	d := plant(2000, 0.8, 0.6, 1)
	wrong, fair := codes(1, 0, 0), codes(1, 0, 0)
	wrong.Objective = "f1"
	fair.Fair, fair.Objective = true, train.Balanced
	for name, m := range map[string]train.Method{
		"unknown": wrong, "fair": fair,
		"label": train.Label{Release: mech.Params{Epsilon: 1}, Objective: "recall"},
		"auto":  train.Auto{Epsilon: 1, Objective: "recall"},
	} {
		if _, err := m.Prepare(d.Data); err == nil {
			t.Errorf("%s was prepared, want an error", name)
		}
	}
}
