package report_test

import (
	"math"
	"testing"

	"sotto/promise/dp"
	"sotto/report"
)

// The frame holds every ε, the whole limit and the line of the commonest class.
func TestFrame(t *testing.T) {
	priors := []float64{0.3, 0.7}
	p := report.NewChart("title", "two methods", " (text-level)")
	if !report.ChartFrame(p, []float64{0.5, 8, math.Inf(1)}, []float64{0.72, 0.8}, priors, true) {
		t.Fatal("nothing to draw of finite ε")
	}
	if !(p.X.Low < 0.5) || !(p.X.High > 8) || !(p.Y.Low < 0.7) || len(p.Levels) != 1 || p.Levels[0].Value != 0.7 {
		t.Errorf("axes %+v and %+v, levels %+v", p.X, p.Y, p.Levels)
	}
	for _, a := range p.Limit {
		if want, err := dp.AccuracyBound(dp.Epsilon(a.X), priors); err != nil || a.Y != want || a.Y > p.Y.High {
			t.Fatalf("at ε = %v the limit is %v on an axis up to %v, want %v (%v)", a.X, a.Y, p.Y.High, want, err)
		}
	}
	if report.ChartFrame(report.NewChart("", "", ""), []float64{math.Inf(1), math.NaN()}, []float64{0.9}, priors, true) {
		t.Error("without a finite ε there is something to draw")
	}
	p = report.NewChart("", "", "")
	if report.ChartFrame(p, []float64{1}, []float64{0.9}, priors, false); p.Limit != nil {
		t.Error("a limit is drawn where it is no theorem")
	}
}
