package mech_test

import (
	"encoding/json"
	"strings"
	"testing"

	"sotto/promise/mech"
)

// TestPublic: what JSON of parameters leaves out makes them whole again, to the last
// bit, and nothing else is taken in its place.
func TestPublic(t *testing.T) {
	m := newCells(t, mech.Params{Dim: 2, Epsilon: 1, Own: mech.CellsParams{Centres: vocabulary(2), Shares: nil}})
	public, err := m.Params().Public()
	if err != nil || public == nil {
		t.Fatalf("Public = %s, %v", public, err)
	}
	stored, err := json.Marshal(m.Params())
	if err != nil {
		t.Fatal(err)
	}
	var p mech.Params
	if err = json.Unmarshal(stored, &p); err != nil {
		t.Fatal(err)
	}
	if _, err = mech.New(p); err == nil {
		t.Error("parameters without centres make cells, want an error")
	}
	if p, err = p.WithPublic(public); err != nil {
		t.Fatal(err)
	}
	if _, err = mech.New(p); err != nil { // by the digest they are the same
		t.Error(err)
	}
	for _, wrong := range []string{`{"bits":[1]}`, `{"vocabulary":[[1]]}`, `{"cells":[["a"]]}`, `[]`, `{"cells_sha256":"00"}`} {
		if _, err = p.WithPublic([]byte(wrong)); err == nil || !strings.HasPrefix(err.Error(), "mech: public vectors") {
			t.Errorf("WithPublic(%s): error is %v, want one of public vectors", wrong, err)
		}
	}
	if public, err = (mech.Params{Mechanism: "laplace-l1", Dim: 2, Epsilon: 1}).Public(); public != nil || err != nil {
		t.Errorf("Public of a mechanism without = %s, %v, want nothing", public, err)
	}
}

// TestCellsShortNumbers: a release is known again by the digits that a file has of it.
func TestCellsShortNumbers(t *testing.T) {
	m := newCells(t, mech.Params{Dim: 2, Epsilon: 1, Own: mech.CellsParams{Centres: [][]float64{{0.1, 0.7}, {-0.3, 1.0 / 3}, {2, 5}}}})
	y := make([]float64, 2)
	for c := range 3 {
		m.Vector(y, c)
		short, err := json.Marshal([]float32{float32(y[0]), float32(y[1])})
		if err == nil {
			err = json.Unmarshal(short, &y)
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := m.Index(y); got != c || err != nil {
			t.Errorf("Index(%s) = %d, %v, want %d", short, got, err, c)
		}
	}
}
