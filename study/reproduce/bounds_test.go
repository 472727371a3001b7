package reproduce_test

import (
	"math"
	"testing"

	"sotto/study/reproduce"
)

// Propositions 7 and 8, written out.
func TestPaperBounds(t *testing.T) {
	const d, m, n, epsilon, tau, delta = 300, 50, 200, 5, 6, 1e-6
	b := reproduce.PaperBounds(d, m, delta)
	b.N, b.Epsilon, b.Tau = n, epsilon, tau
	l := math.Log(2 * n * m / delta)
	beta := (math.Sqrt(math.Log2(d)) + math.Sqrt(math.Log(1/delta))) / math.Sqrt(m)
	if got, want := b.Distance(), 2*beta*tau+4*m*l/epsilon; math.Abs(got-want) > 1e-9*want {
		t.Errorf("Distance = %v, want %v", got, want)
	}
	if got, want := b.Inner(), beta*tau*tau+8*tau*m*l/epsilon+(2*m*l)*(2*m*l)/(epsilon*epsilon); math.Abs(got-want) > 1e-9*want {
		t.Errorf("Inner = %v, want %v", got, want)
	}
}

// The square of √log₂ 300 + √ln 10⁶ is 43.369; the paper has 50, 100 and 200
// for the first three.
func TestProjectedDim(t *testing.T) {
	for _, tt := range []struct {
		d    int
		beta float64
		want int
	}{{300, 0.93, 51}, {300, 0.66, 100}, {300, 0.468, 199}, {300, 0.9, 54}, {100, 0.9, 49}, {100, 0.5, 159}} {
		m := reproduce.ProjectedDim(tt.d, tt.beta, 1e-6)
		if m != tt.want {
			t.Errorf("ProjectedDim(%d, %v) = %d, want %d", tt.d, tt.beta, m, tt.want)
		}
		if got, one := reproduce.Beta(tt.d, m, 1e-6), reproduce.Beta(tt.d, m-1, 1e-6); !(got <= tt.beta && one > tt.beta) {
			t.Errorf("Beta(%d, %d) = %v and one less %v, want %v between them", tt.d, m, got, one, tt.beta)
		}
	}
}
