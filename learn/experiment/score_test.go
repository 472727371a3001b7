package experiment_test

import (
	"math"
	"testing"

	"sotto/compute/measure"
	"sotto/learn/experiment"
)

func TestSummarise(t *testing.T) {
	scores := []experiment.Score{{Accuracy: 0.5, Gap: measure.Number(math.NaN())}, {Accuracy: 0.7, Gap: 0.1}}
	mean, deviation, _ := experiment.Summarise(scores)
	if math.Abs(float64(mean.Accuracy)-0.6) > 1e-12 || math.Abs(float64(deviation.Accuracy)-math.Sqrt(0.02)) > 1e-12 {
		t.Errorf("Summarise: accuracy is %v ± %v, want 0.6 ± %v", mean.Accuracy, deviation.Accuracy, math.Sqrt(0.02))
	}
	if !math.IsNaN(float64(mean.Gap)) {
		t.Errorf("Summarise: gap is %v, want undefined, since one seed has none", mean.Gap)
	}
}

func TestMeansOfLabels(t *testing.T) {
	of := func(accuracy measure.Number, hits int) experiment.Score {
		c := measure.NewConfusion(2)
		c.Add([]int{0, 0, 1, 1}, []int{0, 0, 1, hits})
		b := c.Balance([]string{"no", "yes"})
		return experiment.Score{Accuracy: accuracy, Balance: &b, Labels: []experiment.LabelScore{{Name: "a", Accuracy: accuracy, Balance: &b}}}
	}
	mean, deviation, interval := experiment.Summarise([]experiment.Score{of(1, 1), of(0.75, 0)})
	if mean.Accuracy != 0.875 || mean.Balanced != 0.875 || mean.Labels[0].Accuracy != 0.875 || mean.Labels[0].Recalls[1].Value != 0.75 {
		t.Errorf("mean is %+v with %+v, want 0.875 everywhere and 0.75 of yes", mean, mean.Labels[0].Balance)
	}
	if deviation.Balance == nil || deviation.Balanced != deviation.Accuracy {
		t.Errorf("deviation is %+v, want that of the accuracy", deviation)
	}
	if mean.Low != interval[0] || mean.High != interval[1] || mean.BalancedLow != interval[0] {
		t.Errorf("interval is %v, of the mean %v to %v, want the same", interval, mean.Low, mean.High)
	}
	old := experiment.Score{Accuracy: 0.5} // of an older version
	if mean, _, _ := experiment.Summarise([]experiment.Score{of(1, 1), old}); mean.Balance != nil || !math.IsNaN(float64(mean.F1())) {
		t.Errorf("mean is %+v, want no balance, since one seed has none", mean.Balance)
	}
	if s := experiment.Unmeasured(); !math.IsNaN(float64(s.Accuracy)) || !math.IsNaN(float64(s.Seconds)) {
		t.Errorf("a score that nobody measured is %+v", s)
	}
}
