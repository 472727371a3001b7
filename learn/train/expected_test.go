package train_test

import (
	"math"
	"testing"

	"sotto/compute/channel"
	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/learn/train"
	"sotto/promise/dp"
)

func TestWeighings(t *testing.T) {
	counts := [][]int{{90, 10, 0}}
	if w := train.Accuracy.Weighings(counts); len(w) != 1 || w[0] != nil {
		t.Errorf("accuracy weighs %v, want nothing", w)
	}
	w := train.Balanced.Weighings(counts)
	if len(w) != 1 || math.Abs(w[0][0][0]-100.0/180) > 1e-12 || math.Abs(w[0][0][1]-5) > 1e-12 || w[0][0][2] != 0 {
		t.Errorf("balanced weighs %v, want half of the rows for each class that has some", w)
	}
	path := train.MacroF1.Weighings(counts)
	for i := 1; i < len(path); i++ {
		of := path[i][0]
		if mean := (90*of[0] + 10*of[1]) / 100; math.Abs(mean-1) > 1e-12 {
			t.Errorf("the mean row counts %v, want 1", mean)
		}
		if i > 1 && !(of[1] > path[i-1][0][1]) {
			t.Errorf("the rare class counts %v after %v, want more and more", of[1], path[i-1][0][1])
		}
	}
	if path[0] != nil {
		t.Error("macro-F1 does not try what is best for accuracy")
	}
}

func TestValidate(t *testing.T) {
	for _, o := range []train.Objective{"", "accuracy", "macro-f1", "balanced"} {
		if err := o.Validate(); err != nil {
			t.Errorf("%q: %v", o, err)
		}
	}
	if err := train.Objective("f1").Validate(); err == nil {
		t.Error("f1 was accepted, want an error that lists the objectives")
	}
}

// TestBalancedIsReweighted: the value of the program with weights is the balanced
// accuracy of its channel where the probabilities are right, and its bound holds
// for it.
func TestBalancedIsReweighted(t *testing.T) {
	// Four kinds of texts of which class 1 is rare; rows of each kind as common as
	// its probabilities say.
	kinds := []struct {
		rows int
		p    float64 // of class 1
	}{{400, 0.01}, {400, 0.05}, {150, 0.2}, {50, 0.6}}
	var posteriors []float32
	var labels []int
	counts := []int{0, 0}
	for _, k := range kinds {
		for i := range k.rows {
			y := 0
			if float64(i) < k.p*float64(k.rows) {
				y = 1
			}
			counts[y]++
			labels = append(labels, y)
			posteriors = append(posteriors, float32(1-k.p), float32(k.p))
		}
	}
	known := nn.Matrix{Rows: len(labels), Cols: 2, Data: posteriors}
	answers := [][]int{{0}, {1}}
	w := train.Balanced.Weighings([][]int{counts})[0]
	const epsilon = dp.Epsilon(2)
	scores := channel.Scores(w.Apply(known), []int{2}, nil, answers)
	s, err := channel.Solve(t.Context(), scores, epsilon, channel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := train.Expected(scores, s.Weights, epsilon, answers, [][]int{labels}, []int{2})
	value := train.Balanced.Value(got, []float64{1})
	if math.Abs(value-s.Value) > 1e-6 {
		t.Errorf("balanced accuracy is %v, the program's value %v: want the same", value, s.Value)
	}
	if value > s.Bound+1e-9 || s.Bound-s.Value > 1e-3 {
		t.Errorf("balanced accuracy is %v and the bound %v, want it below and near", value, s.Bound)
	}
	// What is best for accuracy says class 0 of all texts, and has a half.
	plain := channel.Scores(known, []int{2}, nil, answers)
	p, err := channel.Solve(t.Context(), plain, epsilon, channel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v := train.Balanced.Value(train.Expected(plain, p.Weights, epsilon, answers, [][]int{labels}, []int{2}), []float64{1}); v >= value-0.05 {
		t.Errorf("the channel for accuracy has a balanced accuracy of %v, that for balance %v: want it much higher", v, value)
	}
	// ε decides what the mechanism does, whatever is preferred.
	law := make([]float64, 2)
	least, most := []float64{1, 1}, []float64{0, 0}
	for i := range scores.Rows {
		channel.Probabilities(law, s.Weights, epsilon, scores.Row(i))
		for v := range law {
			least[v], most[v] = min(least[v], law[v]), max(most[v], law[v])
		}
	}
	for v := range law {
		if most[v] > math.Exp(float64(epsilon))*least[v]*(1+1e-9) {
			t.Errorf("answer %d has probabilities from %v to %v, more than e^ε apart", v, least[v], most[v])
		}
	}
}

// TestShiftIsWeighing: scores with the logarithms of weights on top stand for the
// weighed probabilities.
func TestShiftIsWeighing(t *testing.T) {
	w := train.Weighing{{0.5, 2, 1}, {3, 0.25}}
	scores := nn.Matrix{Rows: 1, Cols: 5, Data: []float32{1, -1, 0.5, 2, 1}}
	classes := []int{3, 2}
	want := w.Apply(channel.Posteriors(scores, classes))
	w.Normalise(want)
	w.Shift(scores.Data)
	got := channel.Posteriors(scores, classes)
	for i := range want.Data {
		if math.Abs(float64(got.Data[i]-want.Data[i])) > 1e-6 {
			t.Errorf("shifted scores stand for %v, want %v", got.Data, want.Data)
			break
		}
	}
}

func TestValue(t *testing.T) {
	c := measure.NewConfusion(2)
	c.Add([]int{0, 0, 0, 1}, []int{0, 0, 0, 0})
	for o, want := range map[train.Objective]float64{"": 0.75, train.Balanced: 0.5, train.MacroF1: 3.0 / 7} {
		if v := o.Value([]*measure.Confusion{c}, []float64{1}); math.Abs(v-want) > 1e-12 {
			t.Errorf("%v is %v, want %v", o, v, want)
		}
	}
}
