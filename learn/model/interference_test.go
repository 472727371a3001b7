package model_test

import (
	"math"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/compute/nn"
)

// TestNonInterference: what the mechanism of a model is given of a row is the same to the
// bit, whatever the other rows are, in which order, how many, and on how many workers.
func TestNonInterference(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(3, 3))
	x := nn.NewMatrix(600, 6)
	for i := range x.Data {
		x.Data[i] = float32(rng.NormFloat64())
	}
	bits := func(row []float32) []uint32 {
		all := make([]uint32, len(row))
		for i, v := range row {
			all[i] = math.Float32bits(v)
		}
		return all
	}
	for name, m := range bareModels(t) {
		if name == "bare" { // releases nothing
			continue
		}
		want, err := m.Represent(nn.NewPool(1), x, nn.Indices(x.Rows))
		if err != nil {
			t.Fatal(name, err)
		}
		batch, err := m.Batch(2)
		if err != nil {
			t.Fatal(name, err)
		}
		beside := nn.Matrix{Rows: x.Rows, Cols: x.Cols, Data: slices.Clone(x.Data)}
		for j := range beside.Row(0) {
			beside.Row(0)[j] = float32(math.NaN())
		}
		if _, refused, err := batch.Release(beside); err != nil || refused[0] == nil || slices.ContainsFunc(refused[1:], func(err error) bool { return err != nil }) {
			t.Errorf("%s: a row of nothing refuses others, or is released (%v, %v)", name, refused[0], err)
		}
		for i, other := range []float32{0, 1e9, -1e12, 1e-40} {
			changed := nn.Matrix{Rows: x.Rows, Cols: x.Cols, Data: slices.Clone(x.Data)}
			for j := range changed.Row(0) {
				changed.Row(300)[j], changed.Row(0)[j] = other, -other
			}
			order := rng.Perm(x.Rows)[:x.Rows-7*i]
			got, err := m.Represent(nn.NewPool(1+i), changed, order)
			if err != nil {
				t.Fatal(name, err)
			}
			for k, row := range order {
				if row != 0 && row != 300 && !slices.Equal(bits(got.Row(k)), bits(want.Row(row))) {
					t.Fatalf("%s: beside a row of %v, row %d is another", name, other, row)
				}
			}
		}
	}
}
