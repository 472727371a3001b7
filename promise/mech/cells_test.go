package mech_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

func newCells(tb testing.TB, p mech.Params) *mech.Cells {
	tb.Helper()
	m, err := mech.NewCells(p)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// TestCellsEnumerated: the loss is exactly that of randomised response on as many
// labels, and LogRatio says so of every cell and release.
func TestCellsEnumerated(t *testing.T) {
	centres := vocabulary(3)
	n := len(centres)
	for _, variant := range []string{mech.Mean, mech.Centroid, mech.Index} {
		for _, eps := range []float64{mech.MinEpsilon, 0.05, 1, 8, 30} {
			m := newCells(t, mech.Params{Variant: variant, Dim: 3, Epsilon: eps, Own: mech.CellsParams{Centres: centres}})
			of := krr(t, n, eps)
			checkLoss(t, fmt.Sprintf("cells %s ε=%v", variant, eps), m.Guarantee(), krrLoss(of, n), 1e-9)
			if !(float64(m.Guarantee().Epsilon) <= eps*(1+1e-9)) {
				t.Errorf("cells ε=%v: Guarantee() = %v, want at most ε", eps, m.Guarantee())
			}
			for y := range n {
				_, out := m.Shape()
				released := make([]float64, out)
				m.Vector(released, y)
				want := func(x, x2 int) float64 {
					r, err := of.LogRatio([]float64{float64(y)}, []float64{float64(x)}, []float64{float64(x2)})
					if err != nil {
						t.Fatal(err)
					}
					return r
				}
				for x := range n {
					got, err := m.LogRatio(released, centres[x], centres[(x+5)%n])
					if err != nil || got != want(x, (x+5)%n) {
						t.Errorf("cells %s: LogRatio(%d, %d) = %v, %v, want %v", variant, y, x, got, err, want(x, (x+5)%n))
					}
				}
			}
		}
	}
}

// meanGiven computes by Bayes' rule what is expected of a centre if cell y was released.
func meanGiven(centres [][]float64, shares []float64, of *mech.KRR, y int) []float64 {
	n := len(centres)
	mean, total := make([]float64, len(centres[0])), 0.0
	for j, centre := range centres {
		chance := of.Keep().Not().Float64() / float64(n-1)
		if j == y {
			chance = of.Keep().Float64()
		}
		if shares != nil {
			chance *= shares[j]
		}
		total += chance
		for i, v := range centre {
			mean[i] += chance * v
		}
	}
	for i := range mean {
		mean[i] /= total
	}
	return mean
}

// TestCellsMean: a release is what Bayes' rule expects of the centres, by shares, and
// each says which cell was drawn.
func TestCellsMean(t *testing.T) {
	centres, shares := vocabulary(3), []float64{5, 1, 2, 9, 1, 1, 3, 4, 2, 7, 1, 1}
	for _, eps := range []float64{mech.MinEpsilon, 0.5, 3, 20} {
		for _, of := range [][]float64{nil, shares} {
			m := newCells(t, mech.Params{Dim: 3, Epsilon: eps, Own: mech.CellsParams{Centres: centres, Shares: of}})
			seen := map[int]bool{}
			draw(t, m, []float64{1, 1, 1}, 200, dptest.Source(t, 1), func(y []float64) {
				c, err := m.Index(y)
				if err != nil {
					t.Fatal(err)
				}
				seen[c] = true
				short := make([]float64, len(y))
				for i, v := range y {
					short[i] = float64(float32(v))
				}
				if again, err := m.Index(short); eps > 0.1 && (again != c || err != nil) {
					t.Errorf("ε = %v: Index of cell %d in float32 = %d, %v", eps, c, again, err)
				}
				for i, want := range meanGiven(centres, of, krr(t, len(centres), eps), c) {
					if math.Abs(y[i]-want) > 1e-9 {
						t.Errorf("ε = %v: cell %d is released as %v, want %v at %d", eps, c, y, want, i)
					}
				}
			})
			if eps < 1 && len(seen) < 10 {
				t.Errorf("ε = %v: %d cells were released, want nearly all", eps, len(seen))
			}
		}
	}
}

// TestCellsLaw: the cell of a vector comes as often as the channel says, each other
// one equally often.
func TestCellsLaw(t *testing.T) {
	const draws = 40000
	centres := vocabulary(2)
	m := newCells(t, mech.Params{Dim: 2, Epsilon: 2, Own: mech.CellsParams{Centres: centres}})
	x := []float64{0.3, -0.4}
	own, err := m.Cell(x)
	if err != nil {
		t.Fatal(err)
	}
	keep := krr(t, len(centres), 2).Keep()
	seen, law := make([]int, len(centres)), make([]float64, len(centres))
	for c := range law {
		law[c] = keep.Not().Float64() / float64(len(centres)-1)
	}
	law[own] = keep.Float64()
	draw(t, m, x, draws, dptest.Source(t, 1), func(y []float64) {
		c, err := m.Index(y)
		if err != nil {
			t.Fatal(err)
		}
		seen[c]++
	})
	checkCounts(t, "cells", seen, law)
}

// TestCellsNearest compares the cell with a search in plain words.
func TestCellsNearest(t *testing.T) {
	for _, dim := range []int{1, 2, 7} {
		centres := vocabulary(dim)
		m := newCells(t, mech.Params{Dim: dim, Epsilon: 1, Own: mech.CellsParams{Centres: centres}})
		for seed := range uint64(200) {
			x := normals(dim, seed)
			best, least := -1, math.Inf(1)
			for c, centre := range centres {
				far := 0.0
				for i, v := range centre {
					far = math.Hypot(far, v-x[i])
				}
				if far < least {
					best, least = c, far
				}
			}
			if got, err := m.Cell(x); got != best || err != nil {
				t.Errorf("Cell of %v = %d, %v, want %d", x, got, err, best)
			}
		}
	}
	// Between two centres the first counts; where every distance overflows, cell 0.
	m := newCells(t, mech.Params{Variant: mech.Centroid, Dim: 1, Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{{1e154}, {-1}, {1}}}})
	for x, want := range map[float64]int{0: 1, -5: 1, 5: 2, -1.3e154: 1} {
		if got, err := m.Cell([]float64{x}); got != want || err != nil {
			t.Errorf("Cell of %v = %d, %v, want %d", x, got, err, want)
		}
	}
}

func TestCellsRefused(t *testing.T) {
	nan := math.NaN()
	for name, tt := range map[string]struct {
		p    mech.Params
		want string
	}{
		"no centres":    {mech.Params{Dim: 2, Epsilon: 1}, "there are 0 centres"},
		"empty":         {mech.Params{Dim: 2, Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{}}}, "there are 0 centres"},
		"one":           {mech.Params{Dim: 1, Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{{1}}}}, "there are 1 centres"},
		"no dim":        {mech.Params{Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{{1}, {2}}}}, "dim of cells is 0"},
		"other dim":     {mech.Params{Dim: 3, Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{{1}, {2}}}}, "centre 0 of cells has 1 numbers"},
		"ragged":        {mech.Params{Dim: 1, Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{{1}, {2, 3}}}}, "centre 1 of cells has 2 numbers"},
		"NaN":           {mech.Params{Dim: 1, Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{{1}, {nan}}}}, "finite norm"},
		"overflow":      {mech.Params{Dim: 1, Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{{1}, {1e200}}}}, "finite norm"},
		"equal":         {mech.Params{Dim: 1, Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{{1}, {0}, {math.Copysign(0, -1)}}}}, "centres 1 and 2 of cells are equal"},
		"too near":      {mech.Params{Dim: 1, Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{{0}, {1e-200}}}}, "nearly equal"},
		"other digest":  {mech.Params{Dim: 1, Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{{1}, {2}}, SHA256: "00"}}, `cells_sha256 is "00"`},
		"few shares":    {mech.Params{Dim: 1, Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{{1}, {2}}, Shares: []float64{1}}}, "1 shares of 2 cells"},
		"no share":      {mech.Params{Dim: 1, Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{{1}, {2}}, Shares: []float64{1, 0}}}, "share 1 of cells is 0"},
		"NaN share":     {mech.Params{Dim: 1, Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{{1}, {2}}, Shares: []float64{nan, 1}}}, "share 0 of cells is NaN"},
		"large share":   {mech.Params{Dim: 1, Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{{1}, {2}}, Shares: []float64{1, 1e13}}}, "at most 1e+12"},
		"equal means":   {mech.Params{Dim: 1, Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{{1e154}, {-1}, {1}}}}, "have the same mean"},
		"not a table":   {mech.Params{Dim: 1, Epsilon: 1, Own: mech.Given{"cells": 1.5}}, "cells is of type float64"},
		"other's field": {mech.Params{Dim: 1, Epsilon: 1, Own: mech.Given{"cells": [][]float64{{1}, {2}}, "bits": 3}}, `takes no parameter "bits"`},
	} {
		if _, err := mech.NewCells(tt.p); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error = %v, want %q in it", name, err, tt.want)
		}
	}
	m := newCells(t, mech.Params{Dim: 2, Epsilon: 1, Own: mech.CellsParams{Centres: vocabulary(2)}})
	for _, x := range [][]float64{nil, {1}, {1, 2, 3}, {nan, 1}, {math.Inf(1), 0}, {1e200, 0}} {
		if c, err := m.Choose(x, dptest.Source(t, 1)); !errors.Is(err, dp.ErrDomain) || c != 0 {
			t.Errorf("Choose of %d numbers = %d, %v, want 0 and dp.ErrDomain", len(x), c, err)
		}
	}
}

// TestCellsParams: what Params returns makes the same mechanism again, nobody can
// change the centres from outside, and other centres are refused by their digest.
func TestCellsParams(t *testing.T) {
	centres := vocabulary(2)
	m := newCells(t, mech.Params{Dim: 2, Epsilon: 1, Own: mech.CellsParams{Centres: centres}})
	x := []float64{5, 5}
	want, err := m.Cell(x)
	if err != nil {
		t.Fatal(err)
	}
	again := newCells(t, m.Params())
	centres[want][0] = -100
	for _, m := range []*mech.Cells{m, again} {
		if got, err := m.Cell(x); got != want || err != nil {
			t.Errorf("Cell = %d, %v after centres changed outside, want %d", got, err, want)
		}
	}
	own := mech.OwnOf[mech.CellsParams](m.Params())
	if own.SHA256 == "" || own.SHA256 == (mech.CellsParams{Centres: centres}).Digest() {
		t.Errorf("Params has the digest %q, want that of its own centres", own.SHA256)
	}
	own.Centres = centres
	p := m.Params()
	p.Own = own
	if _, err := mech.NewCells(p); err == nil || !strings.Contains(err.Error(), "cells_sha256") {
		t.Errorf("other centres with the digest: error = %v, want one", err)
	}
}

// TestCellsFit: the centres say how wide an input is, unless dim does.
func TestCellsFit(t *testing.T) {
	p := mech.Params{Mechanism: "cells", Epsilon: 1}
	if got := p.Fit(9).Dim; got != 9 {
		t.Errorf("Fit without centres: dim is %d, want 9", got)
	}
	if got := p.With(mech.Given{"cells": vocabulary(4)}).Fit(9).Dim; got != 4 {
		t.Errorf("Fit with centres: dim is %d, want 4", got)
	}
}

// TestCellsDirection: along a direction distances count for more, the centre of every
// cell lies in it, the digest knows the direction, and ε is what it was.
func TestCellsDirection(t *testing.T) {
	own := mech.CellsParams{Centres: [][]float64{{0, 0}, {3, 0}, {0, 1}}}
	p := mech.Params{Dim: 2, Epsilon: 2, Own: own}
	plain := newCells(t, p)
	digest := own.Digest()
	own.Direction = []float64{0, 4}
	p.Own = own
	m := newCells(t, p)
	if m.Guarantee().Epsilon != plain.Guarantee().Epsilon || own.Digest() == digest {
		t.Errorf("a direction changes ε from %v to %v, or its digest is %s as without", plain.Guarantee(), m.Guarantee(), digest)
	}
	for c, centre := range own.Centres {
		if got, err := m.Cell(centre); err != nil || got != c {
			t.Errorf("centre %d lies in cell %d, error %v", c, got, err)
		}
	}
	// From (1.6, 0.6) it is 2.92, 2.32 and 2.72; 5.76, 5.76 and 2.56 come on top.
	x := []float64{1.6, 0.6}
	for m, want := range map[*mech.Cells]int{plain: 1, m: 2} {
		if got, err := m.Cell(x); err != nil || got != want {
			t.Errorf("Cell(%v) = %d, %v, want %d", x, got, err, want)
		}
	}
	for want, direction := range map[string][]float64{
		"direction of cells has 1": {1}, "norm NaN": {1, math.NaN()}, "norm 1e+13": {1e13, 0},
	} {
		own.Direction = direction
		p.Own = own
		if _, err := mech.NewCells(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("direction %v: error = %v, want %q in it", direction, err, want)
		}
	}
	p.Own = mech.CellsParams{Centres: [][]float64{{0, 0}, {1e150, 0}}, Direction: []float64{1e12, 0}}
	if _, err := mech.NewCells(p); err == nil || !strings.Contains(err.Error(), "along the direction") {
		t.Errorf("error = %v of a direction along which centres overflow", err)
	}
}

// TestCellsDigest: lists that have the same numbers have different digests, and those of
// before, which had no lengths, are still known.
func TestCellsDigest(t *testing.T) {
	a := mech.CellsParams{Centres: [][]float64{{1, 2}, {3, 4}, {5, 6}}, Shares: []float64{1, 1, 2}}
	seen := map[string]bool{}
	for _, own := range []mech.CellsParams{
		a,
		{Centres: [][]float64{{1, 2, 3}, {4, 5, 6}}, Shares: []float64{1, 1, 2}},
		{Centres: [][]float64{{1, 2, 3}, {4, 5, 6}}, Direction: []float64{1, 1, 2}},
		{Centres: [][]float64{{1, 2, 3}, {4, 5, 6}, {1, 1, 2}}},
	} {
		if seen[own.Digest()] {
			t.Errorf("%+v has the digest of others with the same numbers", own)
		}
		seen[own.Digest()] = true
	}
	const before = "ebca43458d52a3c62e9a9d4ee1c6a57f6c303012fee64a7b00854f1fd63b9d32"
	if !a.Is(before) || !a.Is(a.Digest()) || a.Is("") || before == a.Digest() {
		t.Errorf("Is does not know %s and %s, or knows others", before, a.Digest())
	}
	a.SHA256 = before
	m := newCells(t, mech.Params{Dim: 2, Epsilon: 1, Own: a})
	if got := mech.OwnOf[mech.CellsParams](m.Params()).SHA256; got != before {
		t.Errorf("the digest of a file of before became %s, must stay", got)
	}
}
