package gateway_test

import (
	"net/http"
	"strings"
	"testing"

	"sotto/promise/mech"
	"sotto/service/gateway"
	"sotto/text/encode"
)

// TestCells: a release is the vector of a public cell, or its index for who asks for one
// number, at no further price; the page says what the cell is about, and the list of
// models what can be asked for.
func TestCells(t *testing.T) {
	e, err := encode.NewHash(64)
	if err != nil {
		t.Fatal(err)
	}
	words, centres := []string{"about: one", "about: two", "about: three"}, make([][]float64, 3)
	row := make([]float32, e.Dim())
	for c, w := range []string{"one", "two", "three"} {
		e.Encode(row, w)
		for _, v := range row {
			centres[c] = append(centres[c], float64(v)/3) // no float32
		}
	}
	for _, variant := range []string{mech.Mean, mech.Centroid} {
		m, err := mech.NewCells(mech.Params{Variant: variant, Dim: e.Dim(), Epsilon: 3, Own: mech.CellsParams{Centres: centres, Shares: []float64{1, 2, 3}}})
		if err != nil {
			t.Fatal(err)
		}
		c := config(t)
		c.Encoder, c.Mechanism, c.Words = e, m, words
		s := serve(t, c, gateway.ServiceConfig{Page: &gateway.Page{Vocabulary: vocabulary}})
		const body = `{"input": ["one", "two", "three"]`
		vectors, indices := s.embed(t, body+`}`), s.embed(t, body+`, "dimensions": 1}`)
		if vectors.Privacy.Paid != 3 || indices.Privacy.Paid != 0 || vectors.Privacy.Epsilon > 3.001 {
			t.Errorf("paid for %d and then %d texts at ε = %v, want 3, none and 3", vectors.Privacy.Paid, indices.Privacy.Paid, vectors.Privacy.Epsilon)
		}
		for i, d := range vectors.Data {
			v, at := numbers(t, d.Embedding), numbers(t, indices.Data[i].Embedding)
			want := make([]float64, e.Dim())
			if len(at) != 1 || at[0] < 0 || at[0] > 2 || len(v) != e.Dim() {
				t.Fatalf("%s: text %d is released as %v and %v, want a vector and the index of a cell", variant, i, v, at)
			}
			m.Vector(want, int(at[0]))
			for j, x := range want {
				if float32(x) != v[j] {
					t.Errorf("%s: text %d is released as %v, want the vector of cell %v, %v", variant, i, v, at[0], want)
				}
			}
		}
		status, content, _ := s.ask(t, http.MethodPost, "/v1/embeddings", body+`, "dimensions": 2}`)
		if status != http.StatusBadRequest || !strings.Contains(content, "or 1 for the index of a cell") {
			t.Errorf("two dimensions: status %d, %s", status, content)
		}
		if _, content, _ = s.ask(t, http.MethodGet, "/v1/models", ""); !strings.Contains(content, `"mechanism":"cells","variant":"`+variant+`","epsilon":3`) || !strings.Contains(content, `"dimensions":[64,1]`) {
			t.Errorf("models are %s, want cells at ε = 3", content)
		}
		got, _ := s.trials(t, `{"input": "one"}`)
		if x := got[0].Code; x == nil || x.Of != 3 || len(x.Means) != 1 || x.Means[0].Class != words[x.Index] {
			t.Errorf("the page shows %+v, want a cell of three and what it is about", x)
		}
	}
}
