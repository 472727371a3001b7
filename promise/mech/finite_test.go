package mech_test

import (
	"fmt"
	"math"
	"testing"

	"sotto/promise/dp"
	"sotto/promise/mech"
)

// TestChances holds the matrix of each finite mechanism against its own ratio of
// likelihoods: rows sum to 1, and no entry is off.
func TestChances(t *testing.T) {
	for _, tt := range []struct {
		p      mech.Params
		inputs [][]float64
	}{
		{mech.Params{Mechanism: "krr", Own: mech.KRRParams{Classes: 4}}, [][]float64{{0}, {3}}},
		{mech.Params{Mechanism: "codes", Dim: 4}, [][]float64{{1, 0, 2, 0}, {0, 0, 0, 1}}},
		{mech.Params{Mechanism: "codes", Dim: 4, Own: mech.CodesParams{Weights: []float64{0.1, 0.15, 0.2, 0.1}}}, [][]float64{{1, 0, 2, 0}, {0, 0, 0, 1}}},
		{mech.Params{Mechanism: "codebook", Dim: 3, Own: mech.CodebookParams{Codewords: 16}}, [][]float64{{1, 0, 2}, {-1, 1, 0}}},
		{mech.Params{Mechanism: "cells", Dim: 2, Own: mech.CellsParams{Centres: [][]float64{{1, 0}, {0, 1}, {1, 1}}}}, [][]float64{{1, 0}, {0, 3}}},
	} {
		tt.p.Epsilon = 1.5
		t.Run(tt.p.Mechanism, func(t *testing.T) {
			made, err := mech.New(tt.p)
			if err != nil {
				t.Fatal(err)
			}
			m := made.(mech.Finite)
			n := m.Outcomes()
			var rows [2][]float64
			for i, x := range tt.inputs {
				rows[i] = make([]float64, n)
				if err := m.Chances(rows[i], x); err != nil {
					t.Fatal(err)
				}
				sum := 0.0
				for _, p := range rows[i] {
					sum += p
				}
				if math.Abs(sum-1) > 1e-12 {
					t.Errorf("chances of %v sum to %v, want 1", x, sum)
				}
			}
			_, out := m.Shape()
			y := make([]float64, out)
			for i := range n {
				m.Outcome(y, i)
				want, err := made.(dp.Distinguisher).LogRatio(y, tt.inputs[0], tt.inputs[1])
				if got := math.Log(rows[0][i] / rows[1][i]); err != nil || math.Abs(got-want) > 1e-9 {
					t.Errorf("outcome %d: ln of the ratio of chances is %v, want %v (%v)", i, got, want, err)
				}
			}
			if err := m.Chances(rows[0], []float64{math.NaN(), 0, 0, 0, 0}); err == nil || rows[0][0] != 0 {
				t.Errorf("Chances(NaN) = %v, %v, want an error and zeros", rows[0], err)
			}
		})
	}
}

func ExampleFinite() {
	m, err := mech.NewKRR(mech.Params{Epsilon: math.Log(2), Own: mech.KRRParams{Classes: 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	row := make([]float64, m.Outcomes())
	err = m.Chances(row, []float64{1})
	fmt.Printf("%.2f %v\n", row, err)
	// Output: [0.25 0.50 0.25] <nil>
}
