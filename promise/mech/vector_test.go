package mech_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"sotto/promise/dp"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

// TestPrivatizeRows: a matrix is released row by row, from one source.
func TestPrivatizeRows(t *testing.T) {
	m := must(t, mech.Params{Mechanism: "bitrr", Dim: 3, Epsilon: 2, Own: mech.BitParams{Bits: 4}})
	x := normals(15, 1)
	got := make([]float64, 60)
	rows, err := mech.PrivatizeRows(m, got, x, dptest.Source(t, 1))
	if rows != 5 || err != nil {
		t.Fatalf("PrivatizeRows = %d, %v, want 5 rows and no error", rows, err)
	}
	src := dptest.Source(t, 1)
	for i := range 5 {
		want, err := m.Privatize(x[3*i:3*i+3], src)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got[12*i:12*i+12], want) {
			t.Errorf("row %d = %v, want %v", i, got[12*i:12*i+12], want)
		}
	}
	if rows, err := mech.PrivatizeRows(m, nil, nil, src); rows != 0 || err != nil {
		t.Errorf("PrivatizeRows of nothing = %d, %v, want 0 and no error", rows, err)
	}
}

// TestPrivatizeRowsRefuses: a bad row stops the release, and nothing of the
// rows before it is left.
func TestPrivatizeRowsRefuses(t *testing.T) {
	m := must(t, mech.Params{Mechanism: "laplace-l1", Dim: 2, Epsilon: 1})
	for bad := range 4 {
		x := normals(8, 1)
		x[2*bad+1] = math.NaN()
		dst := slices.Repeat([]float64{7}, 8)
		row, err := mech.PrivatizeRows(m, dst, x, dptest.Source(t, 1))
		if row != bad || !errors.Is(err, dp.ErrDomain) {
			t.Errorf("PrivatizeRows with a NaN in row %d = %d, %v, want that row and dp.ErrDomain", bad, row, err)
		}
		if !slices.Equal(dst, make([]float64, 8)) {
			t.Errorf("PrivatizeRows with a NaN in row %d left %v, want zeros", bad, dst)
		}
	}
}

func TestPrivatizeRowsPanics(t *testing.T) {
	m := must(t, mech.Params{Mechanism: "laplace-l1", Dim: 2, Epsilon: 1})
	for _, tt := range [][2]int{{4, 3}, {3, 4}, {2, 4}, {0, 2}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("PrivatizeRows of %d numbers into %d did not panic", tt[1], tt[0])
				}
			}()
			_, _ = mech.PrivatizeRows(m, make([]float64, tt[0]), make([]float64, tt[1]), dptest.Source(t, 1))
		}()
	}
}

// TestPrivatizeRowsAllocates not at all.
func TestPrivatizeRowsAllocates(t *testing.T) {
	m := must(t, mech.Params{Mechanism: "gaussian", Dim: 8, Epsilon: 1})
	x, dst, src := normals(80, 1), make([]float64, 80), dptest.Source(t, 1)
	run := func() {
		if _, err := mech.PrivatizeRows(m, dst, x, src); err != nil {
			t.Error(err)
		}
	}
	if n := testing.AllocsPerRun(10, run); n != 0 {
		t.Errorf("PrivatizeRows allocates %v times, want 0", n)
	}
}
