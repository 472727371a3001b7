package mech_test

import (
	"math"
	"testing"

	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

// TestLatticeL2Cells: whatever the input, the integers stay in the ball that the
// guarantee pays for, and are the input but for a step a coordinate.
func TestLatticeL2Cells(t *testing.T) {
	for _, dim := range []int{1, 2, 3, 65, 768} {
		for _, eps := range []float64{0.05, 8, mech.MaxEpsilon} {
			m := must(t, mech.Params{Mechanism: "laplace-l2", Variant: mech.OnLattice, Dim: dim, Epsilon: eps}).(mech.Lattice)
			r := float64(m.Radius())
			equal, first := make([]float64, dim), make([]float64, dim)
			for i := range equal {
				equal[i] = 1e-100
			}
			first[0] = -3
			for _, x := range [][]float64{normals(dim, 1), equal, first, make([]float64, dim)} {
				cells, err := m.Cells(x)
				if err != nil {
					t.Fatal(err)
				}
				sum := 0.0
				for _, c := range cells {
					sum += c * c
				}
				if sum > r*r*(1+1e-12) {
					t.Errorf("D=%d ε=%v: Σcell² = %v, want at most R² = %v", dim, eps, sum, r*r)
				}
				if length(x) == 0 {
					continue
				}
				for i, u := range directed(x) {
					if math.Abs(cells[i]-u*r) > 2+1e-12*r {
						t.Errorf("D=%d ε=%v: cell %v of %v", dim, eps, cells[i], u*r)
					}
				}
			}
		}
	}
}

// TestLatticeL2Near: the error is within 2 % of that of laplace-l2 from 50
// coordinates on if they are even in number, and from 99 otherwise.
func TestLatticeL2Near(t *testing.T) {
	type stated interface{ MSE() float64 }
	for _, dim := range []int{50, 64, 99, 128, 384, 769} {
		for _, eps := range []float64{0.1, 4, 8, 100} {
			p := mech.Params{Mechanism: "laplace-l2", Dim: dim, Epsilon: eps}
			want := must(t, p).(stated).MSE()
			p.Variant = mech.OnLattice
			if got := must(t, p).(stated).MSE(); !(got <= 1.0201*want) || got < want {
				t.Errorf("D=%d ε=%v: mean squared error %v, want within 2 %% above %v", dim, eps, got, want)
			}
		}
	}
}

// TestLatticeL2Error compares the stated error with releases.
func TestLatticeL2Error(t *testing.T) {
	const dim, draws = 50, 4000
	m := must(t, mech.Params{Mechanism: "laplace-l2", Variant: mech.OnLattice, Dim: dim, Epsilon: 8})
	x := normals(dim, 4)
	u, sum := directed(x), 0.0
	draw(t, m, x, draws, dptest.Source(t, 1), func(y []float64) {
		for i := range y {
			sum += (y[i] - u[i]) * (y[i] - u[i])
		}
	})
	// ‖Z‖² has relative deviation √((D+2)/D·(1+1/26) − 1) = 0.28; five of the mean's
	// are 2.3 %, which has probability 6·10⁻⁷.
	want := m.(interface{ MSE() float64 }).MSE()
	if got := sum / draws; !within(got, want, 0.023) {
		t.Errorf("mean squared error over %d draws is %v, want %v up to 2.3 %%", draws, got, want)
	}
}

// TestLatticeL2Refuses: too little ε for the integers, and another's variant.
func TestLatticeL2Refuses(t *testing.T) {
	for _, p := range []mech.Params{
		{Variant: mech.OnLattice, Dim: 768, Epsilon: 1e-3},
		{Variant: mech.AsStated, Dim: 8, Epsilon: 1},
		{Variant: mech.OnLattice, Dim: 0, Epsilon: 1},
	} {
		if _, err := mech.NewLatticeL2(p); err == nil {
			t.Errorf("NewLatticeL2(%+v) made one, want an error", p)
		}
	}
	if _, err := mech.NewLaplaceL2(mech.Params{Variant: mech.OnLattice, Dim: 8, Epsilon: 1}); err == nil {
		t.Error("NewLaplaceL2 made the variant lattice, want an error")
	}
}
