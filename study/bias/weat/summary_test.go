package weat_test

import (
	"math"
	"testing"

	"sotto/study/bias/weat"
)

func TestSummarise(t *testing.T) {
	variant := func(effect, p float64, refused string) weat.Result {
		return weat.Result{Variants: []weat.Variant{{Measure: weat.Cosine, Statistic: weat.Mean, Effect: effect, P: 0, Inclusive: p, Refused: refused}}}
	}
	nan := math.NaN()
	got := weat.Summarise([]weat.Result{variant(1, 0.001, ""), variant(-2, 0.02, ""), variant(nan, nan, "lost"), variant(3, 0.01, "")}, 0.01)
	if s := got[0]; len(got) != 1 || s.Tests != 3 || s.Significant != 1 || s.Mean != 2 || s.Deviation != 1 {
		t.Errorf("summary is %+v, want 3 tests, 1 significant, mean 2, deviation 1", got)
	}
	one := weat.Summarise([]weat.Result{variant(1, 0.5, "")}, 0.01)[0]
	none := weat.Summarise([]weat.Result{variant(nan, nan, "lost")}, 0.01)[0]
	if one.Mean != 1 || !math.IsNaN(one.Deviation) || none.Tests != 0 || !math.IsNaN(none.Mean) {
		t.Errorf("of one test %+v, of none %+v", one, none)
	}
	if weat.Summarise(nil, 0.01) != nil {
		t.Error("there is a summary of nothing")
	}
}

func TestStars(t *testing.T) {
	for p, want := range map[float64]string{1: "", 0.01: "", 0.009: "*", 0.0009: "**", 0.00009: "***", 0.000009: "****", 0: "****"} {
		if got := weat.Stars(p); got != want {
			t.Errorf("Stars(%v) = %q, want %q", p, got, want)
		}
	}
	if got := weat.Stars(math.NaN()); got != "" {
		t.Errorf("Stars(NaN) = %q", got)
	}
}
