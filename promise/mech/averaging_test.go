package mech_test

import (
	"cmp"
	"fmt"
	"math"
	"testing"

	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

// TestUnbias releases an input many times: the mean is that of what the mechanism
// says. By Bernstein's inequality for sums whose variance is estimated (Maurer and
// Pontil, 2009) it is off by more than here with probability 10⁻⁵, the range being
// that which was seen; unbounded noise leaves it with less than that.
func TestUnbias(t *testing.T) {
	x := []float64{0.6, -0.3, 0.2, 0.9}
	length, sum := 0.0, 0.0
	for _, v := range x {
		length += v * v
		sum += math.Abs(v)
	}
	scaled := func(by, add float64) []float64 {
		y := make([]float64, len(x))
		for i, v := range x {
			y[i] = v*by + add
		}
		return y
	}
	unit := scaled(1/math.Sqrt(length), 0)
	minmax := scaled(1/1.2, 0.25)
	cut := []float64{19. / 32, -9. / 32, 6. / 32, 28. / 32} // five bits behind the point
	centres := [][]float64{{1, 0, 0, 1}, {0, 1, 0, 0}, {-1, 0, 0.5, 0}}
	for _, tt := range []struct {
		p    mech.Params
		want []float64
	}{
		{mech.Params{Mechanism: "privunit", Dim: 4}, unit},
		{mech.Params{Mechanism: "laplace-l1", Dim: 4}, scaled(1/sum, 0)},
		{mech.Params{Mechanism: "laplace-l1", Variant: mech.Released, Dim: 4}, unit},
		{mech.Params{Mechanism: "laplace-l2", Dim: 4}, unit},
		{mech.Params{Mechanism: "gaussian", Dim: 4}, unit},
		{mech.Params{Mechanism: "dpnr", Dim: 4}, minmax},
		{mech.Params{Mechanism: "privemb", Variant: mech.M1, Own: mech.PrivEmbParams{InputDim: 4}}, x},
		{mech.Params{Mechanism: "cells", Epsilon: 2, Dim: 4, Own: mech.CellsParams{Centres: centres}}, centres[0]},
		{mech.Params{Mechanism: "cells", Variant: mech.Index, Epsilon: 2, Dim: 4, Own: mech.CellsParams{Centres: centres}}, centres[0]},
		{mech.Params{Mechanism: "bitrr", Dim: 4}, cut},
		{mech.Params{Mechanism: "bitrr", Variant: mech.OneBit, Dim: 4}, x},
		{mech.Params{Mechanism: "sue", Dim: 4, Own: mech.BitParams{Bits: 4}}, []float64{1, -1, 1, 1}},
		{mech.Params{Mechanism: "oue", Variant: mech.Tight, Dim: 4, Own: mech.AlphaParams{Bits: 4}}, []float64{1, -1, 1, 1}},
	} {
		tt.p.Epsilon = cmp.Or(tt.p.Epsilon, 8) // cells lie often enough at less
		t.Run(tt.p.Mechanism+tt.p.Variant, func(t *testing.T) {
			made, err := mech.New(tt.p)
			if err != nil {
				t.Fatal(err)
			}
			m := made.(mech.Averaging)
			n, src := dptest.Count(t, 3000, 60_000), dptest.Source(t, 1)
			d := m.Average().Width
			mean, square, low, high, y := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
			for i := range n {
				released, err := m.Privatize(x, src)
				if err != nil {
					t.Fatal(err)
				}
				if err = m.Unbias(y, released); err != nil {
					t.Fatal(err)
				}
				for j, v := range y {
					mean[j] += v / float64(n)
					square[j] += v * v / float64(n)
					if i == 0 {
						low[j], high[j] = v, v
					}
					low[j], high[j] = min(low[j], v), max(high[j], v)
				}
			}
			for j, want := range tt.want {
				l := math.Log(2e5 * float64(d))
				off := math.Sqrt(2*max(square[j]-mean[j]*mean[j], 0)*l/float64(n)) + 7*(high[j]-low[j])*l/(3*float64(n-1)) + m.Average().Bias
				if !(math.Abs(mean[j]-want) <= off) {
					t.Errorf("coordinate %d of %s is %v on average, want %v ± %v", j, m.Average().Of, mean[j], want, off)
				}
			}
			if err := m.Unbias(y, []float64{math.NaN()}); err == nil {
				t.Error("Unbias took what is no release")
			}
		})
	}
}

// TestNotAveraging: mechanisms of which no mean tells anything are no [mech.Averaging].
func TestNotAveraging(t *testing.T) {
	for _, name := range []string{"krr", "subset", "codes", "codebook"} {
		m, err := mech.New(valid(name))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := m.(mech.Averaging); ok {
			t.Errorf("%s tells a mean, want that it does not", name)
		}
	}
}

func ExampleAverage() {
	m, err := mech.NewPrivUnit(mech.Params{Dim: 8, Epsilon: 4})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Average().Of, m.Average().Width)
	// Output: inputs scaled to length 1 8
}
