package estimate_test

import (
	"testing"

	"sotto/learn/estimate"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

// BenchmarkAdd counts one release: ten million of them must take less than ten
// seconds, with what it takes to read them.
func BenchmarkAdd(b *testing.B) {
	centres := make([][]float64, 200)
	for i := range centres {
		centres[i] = []float64{float64(i), 1, float64(-i)}
	}
	for _, tt := range []struct {
		name string
		p    mech.Params
		x    []float64
	}{
		{"krr", mech.Params{Mechanism: "krr", Epsilon: 1, Own: mech.KRRParams{Classes: 10}}, []float64{3}},
		{"subset of 150", mech.Params{Mechanism: "subset", Epsilon: 1, Own: mech.SubsetParams{Classes: 150}}, []float64{3}},
		{"cells by number", mech.Params{Mechanism: "cells", Variant: mech.Index, Dim: 3, Epsilon: 8, Own: mech.CellsParams{Centres: centres}}, []float64{3, 1, -3}},
		{"cells by centre", mech.Params{Mechanism: "cells", Variant: mech.Centroid, Dim: 3, Epsilon: 8, Own: mech.CellsParams{Centres: centres}}, []float64{3, 1, -3}},
	} {
		b.Run(tt.name, func(b *testing.B) {
			m, err := mech.New(tt.p)
			if err != nil {
				b.Fatal(err)
			}
			y, err := m.Privatize(tt.x, dptest.Source(b, 1))
			if err != nil {
				b.Fatal(err)
			}
			t := must(b)(estimate.NewTally(m))
			for b.Loop() {
				if err := t.Add(y); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
