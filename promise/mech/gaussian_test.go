package mech_test

import (
	"fmt"
	"math"
	"testing"

	"sotto/promise/mech"
	"sotto/promise/noise"
)

// hockeyStick returns Σ max(0, P(y|x) − e^ε·P(y|x′)) over all releases y, when
// the integers of x and x′ are ±c in one coordinate and equal in the others: the
// smallest δ for which (ε, δ) holds between them.
func hockeyStick(c int64, eps float64) float64 {
	const cells = 1 << 14 // of the table: its logarithm is −∞ beyond
	delta := 0.0
	for k := -cells - c; k < cells+c; k++ {
		p, q := math.Exp(noise.GaussianLog(k-c)), math.Exp(eps+noise.GaussianLog(k+c))
		delta += max(0, p-q)
	}
	return delta
}

// TestGaussianHockeyStick compares δ with the exact divergence in one dimension,
// over all integers that can be released, in both directions and for all pairs
// of inputs: there are three inputs, 1, −1 and 0.
//
// The guarantee speaks of real noise and pays for the table beside it, so that
// it lies above: by (1+e^ε)·η, which is 0.2 % of δ = 10⁻⁶ at ε = 14 and less
// than 10⁻⁴ of it up to ε = 8; rounding to cells takes still less.
func TestGaussianHockeyStick(t *testing.T) {
	for _, tt := range []struct{ eps, delta, excess float64 }{
		{0.05, 1e-6, 1e-6},
		{0.05, 1e-3, 1e-6},
		{0.5, 1e-6, 1e-6},
		{1, 1e-6, 1e-6},
		{1, 1e-9, 1e-4},
		{1, 0.1, 1e-6},
		{5, 1e-6, 1e-5},
		{8, 1e-6, 1e-4},
		{10, 1e-6, 1e-3},
		{14, 1e-6, 3e-3},
	} {
		m := must(t, mech.Params{Mechanism: "gaussian", Dim: 1, Epsilon: tt.eps, Delta: tt.delta}).(mech.Lattice)
		cells, err := m.Cells([]float64{1})
		if err != nil {
			t.Fatal(err)
		}
		if int64(cells[0]) != m.Radius() {
			t.Errorf("ε=%v: 1 stands for %v integers, want the radius, %d", tt.eps, cells[0], m.Radius())
		}
		g := m.Guarantee()
		exact := hockeyStick(m.Radius(), tt.eps)
		t.Logf("ε=%v δ=%v: R=%d, guarantee %.6g, exact %.6g", tt.eps, tt.delta, m.Radius(), g.Delta, exact)
		if !(exact <= g.Delta && g.Delta <= tt.delta) {
			t.Errorf("ε=%v: δ is exactly %v, the guarantee says %v, %v was asked for", tt.eps, exact, g.Delta, tt.delta)
		}
		if !(exact >= g.Delta*(1-tt.excess)) {
			t.Errorf("ε=%v: δ is exactly %v, the guarantee says %v, want them within %v", tt.eps, exact, g.Delta, tt.excess)
		}
		// Between 0 and ±1 the integers are half as far apart.
		if half := hockeyStick((m.Radius()+1)/2, tt.eps); !(half <= g.Delta) {
			t.Errorf("ε=%v: δ between 0 and 1 is %v, above the guarantee, %v", tt.eps, half, g.Delta)
		}
	}
}

// TestGaussianLargestRadius: one integer more to a unit would break δ.
func TestGaussianLargestRadius(t *testing.T) {
	for _, eps := range []float64{0.5, 1, 4, 8} {
		m := must(t, mech.Params{Mechanism: "gaussian", Dim: 1, Epsilon: eps, Delta: 1e-6}).(mech.Lattice)
		sigma := noise.GaussianScale / float64(m.Radius()+1)
		// Balle and Wang, Theorem 8, with sensitivity 2.
		tail := func(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }
		delta := tail(eps*sigma/2-1/sigma) - math.Exp(eps)*tail(eps*sigma/2+1/sigma)
		if !(delta > 1e-6) {
			t.Errorf("ε=%v: radius %d, but %d would give δ = %v, want the largest below 1e-6", eps, m.Radius(), m.Radius()+1, delta)
		}
	}
}

// TestGaussianDirection: rounding to integers keeps the direction, to within
// half a cell in each coordinate, and nearly the length.
func TestGaussianDirection(t *testing.T) {
	for _, dim := range []int{1, 2, 50, 300} {
		m := must(t, mech.Params{Mechanism: "gaussian", Dim: dim, Epsilon: 4}).(mech.Lattice)
		for seed := range uint64(10) {
			x := normals(dim, seed)
			cells, err := m.Cells(x)
			if err != nil {
				t.Fatal(err)
			}
			r := float64(m.Radius())
			for i, u := range directed(x) {
				// Half a cell of rounding, and what is kept free of the radius.
				if d := math.Abs(cells[i] - r*u); !(d <= 0.5+math.Abs(u)*(math.Sqrt(float64(dim))/2+1)) {
					t.Errorf("dim=%d: coordinate %v stands for %v integers, want %v", dim, u, cells[i], r*u)
				}
			}
		}
	}
}

// TestGaussianRefusesGrid: a promise that the table cannot keep is refused when
// the mechanism is made, not weakened.
func TestGaussianRefusesGrid(t *testing.T) {
	for _, p := range []mech.Params{
		{Dim: 1, Epsilon: 100, Delta: 1e-6},
		{Dim: 1 << 20, Epsilon: 1, Delta: 1e-6},
		{Dim: 1, Epsilon: 1, Delta: 1e-17},
		{Dim: 1, Epsilon: 1e-5, Delta: 1e-9},
	} {
		if m, err := mech.NewGaussian(p); err == nil {
			t.Errorf("NewGaussian(%s) = %v, want an error", fmt.Sprintf("%+v", p), m.Guarantee())
		}
	}
}
