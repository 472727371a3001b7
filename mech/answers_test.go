package mech_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"sotto/mech"
)

// TestLaw holds the law of answers against the mechanism's own: probabilities
// have sum 1, and a raised answer is e^ε times as likely as one that is not.
func TestLaw(t *testing.T) {
	for _, tt := range []struct {
		name   string
		p      mech.Params
		raised int
	}{
		{"two labels", mech.Params{Mechanism: "krr", Epsilon: 1, Own: mech.KRRParams{Classes: 2}}, 1},
		{"many labels", mech.Params{Mechanism: "krr", Epsilon: 0.1, Own: mech.KRRParams{Classes: 1000}}, 1},
		{"codes, one raised", mech.Params{Mechanism: "codes", Dim: 5, Epsilon: 2, Own: mech.CodesParams{Selected: 1}}, 1},
		{"codes, three raised", mech.Params{Mechanism: "codes", Dim: 8, Epsilon: 0.5, Own: mech.CodesParams{Selected: 3}}, 3},
		{"cells", mech.Params{Mechanism: "cells", Dim: 3, Epsilon: 2, Own: mech.CellsParams{Centres: vocabulary(3)}}, 1},
		{"weights", mech.Params{Mechanism: "codes", Dim: 2, Epsilon: math.Log(3), Own: mech.CodesParams{Weights: []float64{0.25, 0.25}}}, 1},
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
			if math.Abs(sum-1) > 1e-12 || l.Raised != tt.raised {
				t.Errorf("Law() sums to %v with %d raised, want 1 and %d", sum, l.Raised, tt.raised)
			}
			if got := math.Log1p(l.Rise / l.Least[0]); math.Abs(got-float64(m.Guarantee().Epsilon)) > 1e-9 {
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

func TestAnswer(t *testing.T) {
	k, err := mech.NewKRR(mech.Params{Epsilon: 1, Own: mech.KRRParams{Classes: 3}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := mech.NewCodes(mech.Params{Dim: 3, Epsilon: 1})
	if err != nil {
		t.Fatal(err)
	}
	cells := newCells(t, mech.Params{Dim: 2, Epsilon: 1, Own: mech.CellsParams{Centres: vocabulary(2)}})
	second := make([]float64, 2)
	cells.Vector(second, 1)
	for _, tt := range []struct {
		m    mech.Answering
		y    []float64
		want int // negative for an error
	}{
		{k, []float64{2}, 2},
		{k, []float64{3}, -1},
		{k, []float64{0.5}, -1},
		{k, []float64{math.NaN()}, -1},
		{k, []float64{0, 1}, -1},
		{k, nil, -1},
		{c, []float64{0, 0, 1}, 2},
		{c, []float64{1}, 1},
		{c, []float64{3}, -1},
		{c, []float64{math.Inf(1)}, -1},
		{c, []float64{1, 1, 0}, -1},
		{c, []float64{0, 1}, -1},
		{cells, second, 1},
		{cells, []float64{11}, 11},
		{cells, []float64{12}, -1},
		{cells, []float64{0, 0}, -1},
	} {
		got, err := tt.m.Answer(tt.y)
		if (err != nil) != (tt.want < 0) || err == nil && got != tt.want {
			t.Errorf("%s.Answer(%v) = %d, %v, want %d", tt.m.Params().Mechanism, tt.y, got, err, tt.want)
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
	fmt.Printf("%.2f %.2f %d %v\n", l.Least, l.Rise, l.Raised, err)
	// Output: [0.25 0.25 0.25] 0.25 1 <nil>
}
