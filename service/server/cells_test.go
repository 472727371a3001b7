package server_test

import (
	"bytes"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/mech"
	"sotto/service/server"
)

// TestCells sends every cell as its vector and as its index.
func TestCells(t *testing.T) {
	d := train.Data{X: nn.NewMatrix(60, 2), Y: make([]int, 60), Classes: 2}
	for i := range d.Y {
		d.Y[i] = i % 2
		d.X.Row(i)[0], d.X.Row(i)[1] = float32(d.Y[i]), float32(i)/60
		if i < 40 {
			d.Train = append(d.Train, i)
		} else {
			d.Validation = append(d.Validation, i)
		}
	}
	own := mech.CellsParams{Centres: [][]float64{{0.1, 0.3}, {1, 0.2}, {0.9, 0.7}}}
	m, err := train.Fit(t.Context(), train.Cells{Epochs: 2, Release: mech.Params{Mechanism: "cells", Epsilon: 3, Own: own}}, d, train.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "cells")
	if err = m.Save(dir, model.Manifest{Method: "cells", Data: model.DataRecord{Name: "made up", Label: "mood", Classes: []string{"low", "high"}}}); err != nil {
		t.Fatal(err)
	}
	head, err := model.LoadHead(dir)
	if err != nil {
		t.Fatal(err)
	}
	url, _ := start(t, server.Config{Model: dir})
	request := func(body string) (int, []byte) {
		status, got, _ := ask(t, "POST", url+"/v2/models/cells/infer", body)
		return status, got
	}
	status, byVector := request(codesRequest(2, head.Cells().Data...))
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, byVector)
	}
	if status, byIndex := request(codesRequest(1, 0, 1, 2)); status != http.StatusOK || !bytes.Equal(byIndex, byVector) {
		t.Errorf("status %d: %s, want what the vectors are answered with, %s", status, byIndex, byVector)
	}
	for _, wrong := range []float32{-1, 3, 0.5} {
		if status, got := request(codesRequest(1, wrong)); status != http.StatusBadRequest || !strings.Contains(string(got), `"no_cell"`) {
			t.Errorf("cell %v: status %d: %s, want no_cell", wrong, status, got)
		}
	}
	if _, got, _ := ask(t, "GET", url+"/v2/models/cells", ""); !strings.Contains(string(got), `"cells":3`) {
		t.Errorf("metadata is %s, want the number of cells", got)
	}
}
