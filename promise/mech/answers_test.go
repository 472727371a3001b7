package mech_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sotto/promise/mech"
)

// TestLaw holds the law of answers against the mechanism's own: as many answers as
// are named are so on average, and a raised answer is e^ε times as likely as one that
// is not where a release names one.
func TestLaw(t *testing.T) {
	for _, tt := range []struct {
		name          string
		p             mech.Params
		raised, named int
	}{
		{"two labels", mech.Params{Mechanism: "krr", Epsilon: 1, Own: mech.KRRParams{Classes: 2}}, 1, 1},
		{"many labels", mech.Params{Mechanism: "krr", Epsilon: 0.1, Own: mech.KRRParams{Classes: 1000}}, 1, 1},
		{"codes, one raised", mech.Params{Mechanism: "codes", Dim: 5, Epsilon: 2, Own: mech.CodesParams{Selected: 1}}, 1, 1},
		{"codes, three raised", mech.Params{Mechanism: "codes", Dim: 8, Epsilon: 0.5, Own: mech.CodesParams{Selected: 3}}, 3, 1},
		{"weights", mech.Params{Mechanism: "codes", Dim: 2, Epsilon: math.Log(3), Own: mech.CodesParams{Weights: []float64{0.25, 0.25}}}, 1, 1},
		{"cells", mech.Params{Mechanism: "cells", Dim: 2, Epsilon: 2, Own: mech.CellsParams{Centres: [][]float64{{1, 0}, {0, 1}, {1, 1}}}}, 1, 1},
		{"subset", mech.Params{Mechanism: "subset", Epsilon: 1, Own: mech.SubsetParams{Classes: 150}}, 1, 40},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m, err := mech.New(tt.p)
			if err != nil {
				t.Fatal(err)
			}
			l, err := m.(mech.Answering).Law()
			if err != nil {
				t.Fatal(err)
			}
			sum := l.Rise * float64(l.Raised)
			for _, v := range l.Least {
				sum += v
			}
			if math.Abs(sum-float64(tt.named)) > 1e-12*sum || l.Raised != tt.raised || l.Named != tt.named {
				t.Errorf("Law() sums to %v with %d raised of %d named, want %d named and %d", sum, l.Raised, l.Named, tt.named, tt.raised)
			}
			if got := math.Log1p(l.Rise / l.Least[0]); l.Named == 1 && math.Abs(got-float64(m.Guarantee().Epsilon)) > 1e-9 {
				t.Errorf("Law() raises an answer by e^%v, want e^%v", got, m.Guarantee().Epsilon)
			}
		})
	}
}

// TestLawRefused: where several codes are raised in part, no law speaks of the
// best one alone.
func TestLawRefused(t *testing.T) {
	m, err := mech.NewCodes(mech.Params{Dim: 3, Epsilon: 1, Own: mech.CodesParams{Weights: []float64{0.15, 0.15, 0.15}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = m.Law(); err == nil || !strings.Contains(err.Error(), "ranking") {
		t.Errorf("Law() of weights that raise two codes: error = %v, want one that speaks of the ranking", err)
	}
}

func TestMark(t *testing.T) {
	make1 := func(p mech.Params) mech.Answering {
		p.Epsilon = 1
		m, err := mech.New(p)
		if err != nil {
			t.Fatal(err)
		}
		return m.(mech.Answering)
	}
	k := make1(mech.Params{Mechanism: "krr", Own: mech.KRRParams{Classes: 3}})
	c := make1(mech.Params{Mechanism: "codes", Dim: 3})
	s := make1(mech.Params{Mechanism: "subset", Own: mech.SubsetParams{Classes: 3, Selected: 2}})
	centres := mech.CellsParams{Centres: [][]float64{{1, 0}, {0, 1}, {1, 1}}}
	cells := make1(mech.Params{Mechanism: "cells", Variant: mech.Centroid, Dim: 2, Own: centres})
	index := make1(mech.Params{Mechanism: "cells", Variant: mech.Index, Dim: 2, Own: centres})
	for _, tt := range []struct {
		m    mech.Answering
		y    []float64
		want []int // nil for an error
	}{
		{k, []float64{2}, []int{0, 0, 1}},
		{k, []float64{3}, nil},
		{k, []float64{0.5}, nil},
		{k, []float64{math.NaN()}, nil},
		{k, []float64{0, 1}, nil},
		{k, nil, nil},
		{c, []float64{0, 0, 1}, []int{0, 0, 1}},
		{c, []float64{1}, []int{0, 1, 0}},
		{c, []float64{3}, nil},
		{c, []float64{math.Inf(1)}, nil},
		{c, []float64{1, 1, 0}, nil},
		{c, []float64{0, 1}, nil},
		{s, []float64{1, 0, 1}, []int{1, 0, 1}},
		{s, []float64{1, 0, 0}, nil},
		{s, []float64{1, 1, 1}, nil},
		{s, []float64{1, 2, 0}, nil},
		{s, []float64{1}, nil},
		{cells, []float64{0, 1}, []int{0, 1, 0}},
		{cells, []float64{2}, []int{0, 0, 1}},
		{cells, []float64{0, 0.5}, nil},
		{cells, []float64{3}, nil},
		{index, []float64{2}, []int{0, 0, 1}},
		{index, []float64{1, 1}, nil},
	} {
		counts := make([]int, 3)
		err := tt.m.Mark(counts, tt.y)
		want := tt.want
		if want == nil {
			want = make([]int, 3)
		}
		if (err != nil) != (tt.want == nil) || !slices.Equal(counts, want) {
			t.Errorf("%s.Mark(%v) = %v, %v, want %v", tt.m.Params().Mechanism, tt.y, counts, err, tt.want)
		}
	}
}

func ExampleLaw() {
	m, err := mech.NewKRR(mech.Params{Epsilon: math.Log(2), Own: mech.KRRParams{Classes: 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := m.Law()
	fmt.Printf("%.2f %.2f %d %d %v\n", l.Least, l.Rise, l.Raised, l.Named, err)
	// Output: [0.25 0.25 0.25] 0.25 1 1 <nil>
}
