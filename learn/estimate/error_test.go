package estimate_test

import (
	"math"
	"testing"
)

// TestErrorAtTheEdge: an answer that nobody released has the standard error of a share
// of 0, and one that all released that of a share of 1; neither is certain.
func TestErrorAtTheEdge(t *testing.T) {
	const n, classes, epsilon = 40, 4, 1.0
	s, err := counted(tally(t, classes, epsilon), []int{n, 0, 0, 0}).Shares(0.95)
	if err != nil {
		t.Fatal(err)
	}
	p := math.Exp(epsilon) / (math.Exp(epsilon) + classes - 1)
	q := (1 - p) / (classes - 1)
	for a, f := range []float64{p, q, q, q} {
		want := math.Sqrt(f*(1-f)/n) / (p - q)
		if got := float64(s.Each[a].Error); math.Abs(got-want) > 1e-9 {
			t.Errorf("answer %d: standard error is %v, want %v", a, got, want)
		}
	}
}
