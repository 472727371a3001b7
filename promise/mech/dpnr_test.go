package mech_test

import (
	"math"
	"slices"
	"testing"

	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

// scaled returns x scaled to [0, 1].
func scaled(x []float64) []float64 {
	lo, hi := slices.Min(x), slices.Max(x)
	y := make([]float64, len(x))
	for i, v := range x {
		if hi > lo {
			y[i] = (v - lo) / (hi - lo)
		}
	}
	return y
}

// TestDPNRReleasedIsInverted is the attack: the published code adds one number
// to all coordinates, and subtracting the least one removes it. What is left of
// the input is off by the rounding of a sum as large as the noise, which
// reaches some thirty times its scale 1/ε: 600·2⁻⁵³ < 10⁻¹².
func TestDPNRReleasedIsInverted(t *testing.T) {
	for _, dim := range []int{2, 3, 10, 50, 300, 768} {
		for _, eps := range []float64{0.05, 0.5, 1, 8} {
			m := must(t, mech.Params{Mechanism: "dpnr", Variant: mech.Released, Dim: dim, Epsilon: eps})
			src := dptest.Source(t, uint64(dim))
			for seed := range uint64(20) {
				x := normals(dim, seed)
				want := scaled(x)
				draw(t, m, x, 5, src, func(y []float64) {
					if slices.Equal(y, want) {
						t.Errorf("dim=%d ε=%v: the release has no noise at all", dim, eps)
					}
					got := mech.Denoise(y)
					for i := range got {
						if !(math.Abs(got[i]-want[i]) <= 1e-12) {
							t.Fatalf("dim=%d ε=%v: Denoise recovers %v, want %v up to 1e-12", dim, eps, got[i], want[i])
						}
					}
				})
			}
		}
	}
}

// TestDPNRReleasedRatio: the distinguisher names the input without doubt.
func TestDPNRReleasedRatio(t *testing.T) {
	m := must(t, mech.Params{Mechanism: "dpnr", Variant: mech.Released, Dim: 20, Epsilon: 0.05}).(*mech.DPNR)
	a, b := normals(20, 1), normals(20, 2)
	for i, x := range [][]float64{a, b} {
		want := math.Inf(1 - 2*i)
		draw(t, m, x, 100, dptest.Source(t, 9), func(y []float64) {
			if got, err := m.LogRatio(y, a, b); got != want || err != nil {
				t.Errorf("LogRatio of a release of input %d = %v, %v, want %v", i, got, err, want)
			}
		})
	}
}

func TestDenoise(t *testing.T) {
	for _, tt := range []struct{ y, want []float64 }{
		{nil, nil},
		{[]float64{7}, []float64{0}},
		{[]float64{-1, -0.5, -2}, []float64{1, 1.5, 0}},
	} {
		if got := mech.Denoise(tt.y); !slices.Equal(got, tt.want) {
			t.Errorf("Denoise(%v) = %v, want %v", tt.y, got, tt.want)
		}
	}
	y := []float64{3, 4}
	mech.Denoise(y)
	if !slices.Equal(y, []float64{3, 4}) {
		t.Errorf("Denoise changed its argument to %v", y)
	}
}

// TestDPNRNormalizes: inputs that are affine images of each other have the same
// integers, and a constant one has none.
func TestDPNRNormalizes(t *testing.T) {
	m := must(t, mech.Params{Mechanism: "dpnr", Dim: 4, Epsilon: 1}).(mech.Lattice)
	r := float64(m.Radius())
	want := []float64{0, r, math.Trunc(r / 2), math.Trunc(r / 4)}
	for _, x := range [][]float64{{0, 1, 0.5, 0.25}, {-8, 8, 0, -4}, {0, 0x1p-1070, 0x1p-1071, 0x1p-1072}, {-0x1p1022, 0x1p1022, 0, -0x1p1021}} {
		if got, err := m.Cells(x); err != nil || !slices.Equal(got, want) {
			t.Errorf("integers of %v are %v, %v, want %v", x, got, err, want)
		}
	}
	if got, err := m.Cells([]float64{5, 5, 5, 5}); err != nil || !slices.Equal(got, make([]float64, 4)) {
		t.Errorf("integers of a constant are %v, %v, want zeros", got, err)
	}
	for _, x := range [][]float64{{-math.MaxFloat64, math.MaxFloat64, 0, 0}, {math.NaN(), 0, 0, 0}} {
		if _, err := m.Cells(x); err == nil {
			t.Errorf("integers of %v: no error, want one", x)
		}
	}
}
