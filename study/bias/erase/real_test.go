package erase_test

import (
	"math"
	"testing"

	"sotto/compute/nn"
	"sotto/data/testenv"
	"sotto/promise/dp/dptest"
	"sotto/study/bias"
	"sotto/study/bias/erase"
)

// On GloVe, INLP and LEACE take the linear probe of gender from 100 % to chance,
// while the one with hidden units still reads it.
//
// Chance has two tolerances. An eraser zeroes what n rows of width d say; the
// difference of the classes' means over all rows then still has, in whitened
// coordinates, an error of 4/n in each, so a squared length of 4/n times a χ² of
// d degrees, by which a linear reader gains Φ(√(χ²/n)) − ½ at most. That χ² of
// 100 is above 176 with probability 5·10⁻⁶ (Wilson and Hilferty). And the
// accuracy on m rows deviates by 4.42·√(¼/m) with that probability.
func TestGloVe(t *testing.T) {
	if !dptest.Long() {
		t.Skip("takes some seconds: SOTTO_LONG=1 runs it")
	}
	table, _, err := bias.Read(testenv.Data(t, "glove", "glove.6B.100d.102858.txt.gz"), bias.Options{})
	if err != nil {
		t.Fatal(err)
	}
	concept, err := erase.Gender{}.Choose(table)
	if err != nil {
		t.Fatal(err)
	}
	sample := erase.NewSample(table.Dim(), [3]int{}, 0)
	moments, err := erase.NewMoments(table.Dim(), 2)
	if err != nil {
		t.Fatal(err)
	}
	for k, i := range concept.Rows {
		part := erase.PartOf(0, k)
		sample.Add(part, table.Row(i), concept.Z[k])
		if part == erase.ForEraser {
			if err = moments.AddClass(table.Row(i), concept.Z[k]); err != nil {
				t.Fatal(err)
			}
		}
	}
	pool := nn.NewPool(2)
	read := func(s *erase.Sample) erase.Readings {
		r, failed := erase.Probes{}.Read(t.Context(), pool, s.Rows(erase.ForProbes), s.Rows(erase.ForScore), 2)
		if failed != nil {
			t.Fatal(failed)
		}
		return r
	}
	if raw := read(sample); raw.Linear.Accuracy < 0.99 || raw.MLP.Accuracy < 0.99 {
		t.Errorf("raw: linear probe = %v, with hidden units %v, want 1", raw.Linear.Accuracy, raw.MLP.Accuracy)
	}
	leace, err := erase.LEACE{}.Fit(moments)
	if err != nil {
		t.Fatal(err)
	}
	inlp, _, err := erase.INLP{}.Fit(t.Context(), pool, sample.Rows(erase.ForEraser), 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []*erase.Eraser{leace, inlp} {
		r := read(sample.Erase(pool, e))
		t.Logf("%s removes %d directions: linear probe %.3f [%.3f, %.3f], with hidden units %.3f [%.3f, %.3f], majority %.3f", e.Method(), e.Rank(),
			r.Linear.Accuracy, r.Linear.Low, r.Linear.High, r.MLP.Accuracy, r.MLP.Low, r.MLP.High, r.Linear.Majority)
		chi := math.Sqrt(176 / float64(moments.Rows()))
		gain := math.Erf(chi/math.Sqrt2) / 2
		deviation := 4.42 * math.Sqrt(0.25/float64(r.Linear.RowsScored))
		chance := r.Linear.Majority + gain
		if r.Linear.Accuracy > chance+deviation {
			t.Errorf("%s: linear probe = %v, want at most %v", e.Method(), r.Linear.Accuracy, chance+deviation)
		}
		if r.MLP.Accuracy < chance+deviation {
			t.Errorf("%s: probe with hidden units = %v, want more than chance, %v", e.Method(), r.MLP.Accuracy, chance+deviation)
		}
	}
}
