package model_test

import (
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/promise/mech"
)

// random returns the tensors of an architecture, drawn from a seed.
func random(t *testing.T, a model.Architecture, released int, seed uint64) *model.Model {
	t.Helper()
	rng := weakrand.New(weakrand.NewPCG(seed, 1))
	tensors := model.Tensors{}
	fill := func(name string, rows, cols int, shift float32) {
		m := nn.NewMatrix(rows, cols)
		for i := range m.Data {
			m.Data[i] = shift + float32(rng.NormFloat64()*0.5)
		}
		tensors[name] = m
	}
	if a.Standardise {
		fill("input.shift", 1, a.Inputs, 0)
		fill("input.scale", 1, a.Inputs, 2)
	}
	for part, widths := range map[string][]int{"encoder": a.Encoder, "classifier": a.Classifier} {
		in := a.Inputs
		if part == "classifier" {
			in = released
		}
		for i, out := range widths {
			fill(fmt.Sprintf("%s.%d.weight", part, i), in, out, 0)
			fill(fmt.Sprintf("%s.%d.bias", part, i), 1, out, 0)
			in = out
		}
	}
	if a.Groups > 0 {
		fill("answers.tilt", a.Classes, a.Groups, 0)
	}
	m, err := model.New(a, tensors)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// bareModels are models of each form that has an answer before its release.
func bareModels(t *testing.T) map[string]*model.Model {
	t.Helper()
	noisy := &mech.Params{Mechanism: "laplace-l1", Dim: 5, Epsilon: 8}
	codes := &mech.Params{Mechanism: "codes", Dim: 3, Epsilon: 2}
	answers := [][]int{{0}, {1}, {2}}
	return map[string]*model.Model{
		"bare":   random(t, model.Architecture{Inputs: 6, Classifier: []int{4, 3}, Classes: 3}, 6, 1),
		"noise":  random(t, model.Architecture{Inputs: 6, Standardise: true, Encoder: []int{7, 5}, Release: noisy, Classifier: []int{3}, Classes: 3}, 5, 2),
		"zscore": random(t, model.Architecture{Inputs: 6, Encoder: []int{5}, Scaling: model.ZScore, Release: noisy, Classifier: []int{3, 3}, Classes: 3}, 5, 3),
		"codes":  random(t, model.Architecture{Inputs: 6, Encoder: []int{3}, Release: codes, Classifier: []int{3}, Classes: 3, Answers: answers}, 3, 4),
		"tilted": random(t, model.Architecture{Inputs: 6, Encoder: []int{3 + 6}, Release: codes, Classifier: []int{3}, Classes: 3, Answers: answers, Groups: 2}, 3, 5),
	}
}

// TestBareGradient compares gradients with differences of the scores.
func TestBareGradient(t *testing.T) {
	p := nn.NewPool(1)
	for name, m := range bareModels(t) {
		b, err := m.Bare()
		if err != nil {
			t.Fatal(name, err)
		}
		rng := weakrand.New(weakrand.NewPCG(9, 9))
		x, g := nn.NewMatrix(2, 6), nn.NewMatrix(2, 3)
		for i := range x.Data {
			x.Data[i] = float32(rng.NormFloat64())
		}
		for i := range g.Data {
			g.Data[i] = float32(rng.NormFloat64())
		}
		value := func() float64 {
			sum := 0.0
			for i, v := range b.Scores(p, x).Data {
				sum += float64(v) * float64(g.Data[i])
			}
			return sum
		}
		value()
		got := b.Gradient(p, g.Clone()).Clone()
		for i := range x.Data {
			was := x.Data[i]
			const h = 1.0 / 256
			x.Data[i] = was + h
			up := value()
			x.Data[i] = was - h
			want := (up - value()) / (2 * h)
			x.Data[i] = was
			// The second difference of scores of this size is below 10² and the rounding of
			// float32 sums below 10⁻⁵, which h divides.
			if math.Abs(float64(got.Data[i])-want) > 2e-2*(1+math.Abs(want)) {
				t.Errorf("%s: gradient %d is %v, want about %v", name, i, got.Data[i], want)
			}
		}
	}
}

// TestBareScores compares with the scores of a release whose noise is next to
// nothing, and of codes with what is chosen if everything is told.
func TestBareScores(t *testing.T) {
	p := nn.NewPool(1)
	a := model.Architecture{
		Inputs: 6, Standardise: true, Encoder: []int{7, 5}, Scaling: model.ZScore, Classifier: []int{3}, Classes: 3,
		Release: &mech.Params{Mechanism: "laplace-l1", Dim: 5, Epsilon: 1e6},
	}
	m := random(t, a, 5, 7)
	b, err := m.Bare()
	if err != nil {
		t.Fatal(err)
	}
	x := nn.NewMatrix(1, 6)
	for i := range x.Data {
		x.Data[i] = float32(i) - 2
	}
	y, err := m.Release(p, x, []int{0}, model.SimulationKey(1))
	if err != nil {
		t.Fatal(err)
	}
	want := m.Logits(p, y)
	for i, v := range b.Scores(p, x).Data {
		if math.Abs(float64(v-want.Data[i])) > 1e-3 {
			t.Errorf("score %d is %v, want %v", i, v, want.Data[i])
		}
	}
}

func TestBareRefuses(t *testing.T) {
	m, err := model.New(model.Architecture{Inputs: 2, Constant: model.AnyClass, Classes: 2}, model.Tensors{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Bare(); err == nil {
		t.Error("a model that answers at random has an answer before its release")
	}
	released := mech.Params{Mechanism: "bitrr", Dim: 4, Epsilon: 4}.With(mech.Given{"bits": 2})
	bits := random(t, model.Architecture{Inputs: 4, Release: &released, Classifier: []int{2}, Classes: 2}, 8, 1)
	if _, err := bits.Bare(); err == nil {
		t.Error("a model whose classifier knows only bits has an answer before its release")
	}
}
