package gateway_test

import (
	weakrand "math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/learn/train"
	"sotto/promise/mech"
	"sotto/service/gateway"
)

// trained saves a small model that was fitted with a seed, and loads it again.
func trained(t *testing.T, method train.Method, seed uint64) (*model.Model, model.Manifest) {
	t.Helper()
	return trainedWith(t, method, model.Manifest{Method: "noise", Seed: seed})
}

func trainedWith(t *testing.T, method train.Method, info model.Manifest) (*model.Model, model.Manifest) {
	t.Helper()
	r := weakrand.New(weakrand.NewPCG(1, 2))
	d := train.Data{X: nn.NewMatrix(60, width), Y: make([]int, 60), Classes: 2}
	for i := range d.Y {
		d.Y[i] = i % 2
		for j := range width {
			d.X.Row(i)[j] = float32(r.NormFloat64() + float64(i%2))
		}
		if i < 40 {
			d.Train = append(d.Train, i)
		} else {
			d.Validation = append(d.Validation, i)
		}
	}
	m, err := train.Fit(t.Context(), method, d, train.Options{Seed: info.Seed})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "model")
	if err = m.Save(dir, info); err != nil {
		t.Fatal(err)
	}
	m, info, err = model.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m, info
}

func TestFromModel(t *testing.T) {
	method := train.Noise{Training: train.Training{Shape: train.Shape{Encoder: []int{8}}, Epochs: 1}, Release: mech.Params{Mechanism: "laplace-l1", Epsilon: 2}}
	var vectors [2][]float32
	c := config(t)
	for i := range vectors {
		m, err := gateway.FromModel(trained(t, method, uint64(i+1)))
		if err != nil {
			t.Fatal(err)
		}
		c.Mechanism = m
		g := newGateway(t, c)
		e := embed(t, g, "alice", gateway.Options{}, "one text")
		if vectors[i] = e.Vectors[0]; len(vectors[i]) != 8 || e.Privacy.Paid != 1 || e.Privacy.Model == "" || e.Privacy.Mechanism != "laplace-l1" {
			t.Errorf("model %d: %d numbers, paid %d, %+v, want 8, and to be paid for: it is another model", i, len(vectors[i]), e.Privacy.Paid, e.Privacy)
		}
		if a := e.Privacy.Assumptions; len(a) == 0 || !strings.Contains(a[len(a)-1], "are not covered") {
			t.Errorf("model %d: the gateway assumes %q, want that texts of the training are not covered", i, a)
		}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if e, err := g.Embed(t.Context(), "alice", []string{"one text"}, gateway.Options{}); err != nil || !slices.Equal(e.Vectors[0], vectors[i]) || e.Privacy.Cost != 0 {
					t.Errorf("asked again: %v, want the same and no cost", err)
				}
			})
		}
		all.Wait()
	}
	if slices.Equal(vectors[0], vectors[1]) {
		t.Error("two models released the same")
	}
}

func TestFromModelRefused(t *testing.T) {
	if _, err := gateway.FromModel(trained(t, train.Majority{}, 1)); err == nil {
		t.Error("a model that releases nothing was accepted")
	}
	bare := train.Unprotected{Training: train.Training{Shape: train.Shape{Encoder: []int{8}}, Epochs: 1}}
	if _, err := gateway.FromModel(trained(t, bare, 1)); err == nil {
		t.Error("a model without mechanism was accepted")
	}
}
