package report

import (
	"math"
	"slices"

	"sotto/evidence/page"
	"sotto/promise/dp"
)

// This part of the package is the chart of accuracy against ε on which everything else is
// drawn: a logarithmic axis, the line of the commonest class, and the limit that no
// classifier of one release exceeds. It knows no method. The smallest use is
//
//	p := NewChart("Accuracy against ε", "three methods", " (text-level)")
//	if ChartFrame(p, epsilons, accuracies, priors, true) {

// hollowDot says what hollow marks are.
const hollowDot = "hollow: the ε that is claimed"

// NewChart is a chart of accuracy against ε without its points; of says of which unit,
// behind the ε of the axis.
func NewChart(title, holds, of string) *page.Chart {
	return &page.Chart{
		Title: title, Desc: holds + ". The table below has the same numbers.",
		X:     page.Axis{Label: "ε" + of + ", logarithmic", Log: true, Infinity: "∞ / none"},
		Y:     page.Axis{Label: "accuracy on the test part", Percent: true},
		Apart: true,
	}
}

// ChartFrame gives a chart its axes, the line of the commonest class and, where it is a
// theorem, the limit. It reports whether there is a finite ε to draw.
func ChartFrame(p *page.Chart, epsilons, accuracies, priors []float64, limited bool) (ok bool) {
	if p.X.Low, p.X.High, ok = epsilonRange(epsilons); !ok {
		return false
	}
	if m := slices.Max(append(slices.Clone(priors), 0)); m > 0 {
		p.Levels = append(p.Levels, page.Level{Name: "always the commonest class " + page.Decimal(100*m, 1) + " %", Value: m})
		accuracies = append(accuracies, m)
	}
	p.Y.Low, p.Y.High = page.Around(accuracies, 0, 1)
	if limited {
		p.Limit, p.LimitName = limitCurve(p.X, priors), "impossible at this ε"
		if n := len(p.Limit); n > 0 && p.Limit[n-1].Y > p.Y.High {
			p.Y.High = 1 // so that the whole curve is seen
		}
	}
	return true
}

// epsilonRange returns the ends of an axis that holds the finite values.
func epsilonRange(values []float64) (low, high float64, ok bool) {
	low, high = math.Inf(1), 0
	for _, v := range values {
		if v > 0 && !math.IsInf(v, 1) {
			v = min(max(v, 1e-6), 1e12) // what lies beyond stands at the edge
			low, high = min(low, v), max(high, v)
		}
	}
	if high == 0 {
		return 0, 0, false
	}
	room := 1.6
	if high/low < 3 {
		room = 4
	}
	return low / room, high * room, true
}

// limitCurve computes the limit along an axis, nothing if there is none.
func limitCurve(x page.Axis, priors []float64) []page.Point {
	const steps = 160
	var curve []page.Point
	for i := range steps + 1 {
		epsilon := x.Low * math.Pow(x.High/x.Low, float64(i)/steps)
		v, err := dp.AccuracyBound(dp.Epsilon(epsilon), priors)
		if err != nil {
			return nil
		}
		curve = append(curve, page.Point{X: epsilon, Y: v})
	}
	return curve
}
