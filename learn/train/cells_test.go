package train_test

import (
	"path/filepath"
	"strings"
	"testing"

	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/mech"
)

// centres returns n centres of cells near rows of d, which no float32 holds exactly.
func centres(d planted, n int) [][]float64 {
	all := make([][]float64, n)
	for i := range all {
		for _, v := range d.X.Row(i) {
			all[i] = append(all[i], float64(v)/3)
		}
	}
	return all
}

// TestCellsHead: the head of a model on cells is stored with the vectors of all cells,
// and what is not a vector, or as wide as the data, is refused.
func TestCellsHead(t *testing.T) {
	d := plant(100, 1, 1, 1)
	release := mech.Params{Mechanism: "cells", Epsilon: 3, Own: mech.CellsParams{Centres: centres(d, 5), Shares: []float64{1, 2, 3, 1, 1.0 / 3}}}
	_, dir := saved(t, train.Cells{Epochs: 1, Release: release})
	head, err := model.LoadHead(dir)
	if err != nil {
		t.Fatal(err)
	}
	bare := filepath.Join(t.TempDir(), "head")
	if err = head.Save(bare); err != nil {
		t.Fatal(err)
	}
	if head, err = model.LoadHead(bare); err != nil {
		t.Fatal(err)
	}
	release.Dim = d.X.Cols
	m, err := mech.NewCells(release)
	if err != nil {
		t.Fatal(err)
	}
	got, want := head.Cells(), make([]float64, d.X.Cols)
	if got.Rows != 5 {
		t.Fatalf("the head knows %d cells, want 5", got.Rows)
	}
	for c := range got.Rows {
		m.Vector(want, c)
		for j, v := range got.Row(c) {
			if v != float32(want[j]) {
				t.Fatalf("number %d of cell %d is %v, want %v", j, c, v, want[j])
			}
		}
	}
	for text, change := range map[string]func(*mech.Params){
		"from which a classifier learns":    func(p *mech.Params) { p.Variant = mech.Index },
		"must have those of the vectors":    func(p *mech.Params) { p.Dim++ },
		"must be given":                     func(p *mech.Params) { p.Own = nil },
		"must be that of the centres":       func(p *mech.Params) { *p = p.With(mech.Given{"cells_sha256": "00"}) },
		"mechanism is laplace-l1 , must be": func(p *mech.Params) { *p = mech.Params{Mechanism: "laplace-l1", Epsilon: 3} },
	} {
		p := release
		change(&p)
		if _, err := (train.Cells{Release: p}).Prepare(d.Data); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("error is %v, want one with %q", err, text)
		}
	}
}
