package estimate_test

import (
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"testing"

	"sotto/compute/nn"
	"sotto/learn/estimate"
	"sotto/promise/dp/dptest"
	"sotto/promise/mech"
)

// made draws people of several classes: a released vector, the released label, and
// the true one.
func made(t testing.TB, n, classes int, epsilon float64, labels mech.Params, seed uint64) (estimate.TrainingData, []int) {
	t.Helper()
	const dim = 8
	vectors, err := mech.New(mech.Params{Mechanism: "privunit", Dim: dim, Epsilon: epsilon})
	if err != nil {
		t.Fatal(err)
	}
	l, err := mech.New(labels)
	if err != nil {
		t.Fatal(err)
	}
	rng := weakrand.New(weakrand.NewPCG(seed, 1))
	d := estimate.TrainingData{X: nn.NewMatrix(n, dim), Classes: classes, Labels: l}
	truth := make([]int, n)
	for i := range n {
		truth[i] = rng.IntN(classes)
		x := make([]float64, dim)
		for j := range x {
			x[j] = 0.3 * rng.NormFloat64()
		}
		x[truth[i]]++
		y, err := vectors.Privatize(x, rng)
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range y {
			d.X.Row(i)[j] = float32(v)
		}
		label, err := l.Privatize([]float64{float64(truth[i])}, rng)
		if err != nil {
			t.Fatal(err)
		}
		d.Y = append(d.Y, label)
	}
	return d, truth
}

func accuracy(m *estimate.ReleasedModel, x nn.Matrix, truth []int) float64 {
	right := 0
	for i, c := range m.Predict(x) {
		if c == truth[i] {
			right++
		}
	}
	return float64(right) / float64(len(truth))
}

var sixLabels = mech.Params{Mechanism: "krr", Epsilon: 1, Own: mech.KRRParams{Classes: 6}}

// TestBeatsLabelsAsTheyAre: with the channel in the loss, more true labels are told
// rightly than by training on released ones as they are. Five fixed draws decide.
func TestBeatsLabelsAsTheyAre(t *testing.T) {
	if !dptest.Long() {
		t.Skip("it takes seconds: set SOTTO_LONG=1")
	}
	better, gain := 0, 0.0
	for seed := range uint64(5) {
		d, _ := made(t, 1000, 6, 8, sixLabels, seed)
		test, truth := made(t, 2000, 6, 8, sixLabels, seed+100)
		var right [2]float64
		for i, plain := range []bool{false, true} {
			m, err := estimate.FitReleases(t.Context(), d, estimate.TrainingOptions{AsTheyAre: plain})
			if err != nil {
				t.Fatal(err)
			}
			right[i] = accuracy(m, test.X, truth)
		}
		gain += (right[0] - right[1]) / 5
		if right[0] > right[1] {
			better++
		}
	}
	if better < 4 || gain < 0.02 {
		t.Errorf("the channel in the loss is better in %d of 5 draws, by %v on average, want at least 4 and 0.02", better, gain)
	}
}

// TestFit: labels that are seldom lies are learnt, by sets of labels too, and the
// accuracy that released labels tell is that of true ones.
func TestFit(t *testing.T) {
	for _, labels := range []mech.Params{
		{Mechanism: "krr", Epsilon: 4, Own: mech.KRRParams{Classes: 3}},
		{Mechanism: "subset", Epsilon: 4, Own: mech.SubsetParams{Classes: 3}},
	} {
		d, _ := made(t, 600, 3, 12, labels, 1)
		m, err := estimate.FitReleases(t.Context(), d, estimate.TrainingOptions{Epochs: 6})
		if err != nil {
			t.Fatal(err)
		}
		test, truth := made(t, 600, 3, 12, labels, 2)
		got := accuracy(m, test.X, truth)
		// Intervals of 120 rows are ±0.1 wide; the true accuracy is within twice that.
		if !(got > 0.85) || m.Accuracy.Rows != 120 || math.Abs(m.Accuracy.Value-got) > 0.2 || !(float64(m.Accuracy.Low) <= m.Accuracy.Value && m.Accuracy.Value <= float64(m.Accuracy.High)) {
			t.Errorf("%s: accuracy %v, told %+v, want above 0.85 and about as told", labels.Mechanism, got, m.Accuracy)
		}
		again, err := estimate.FitReleases(t.Context(), d, estimate.TrainingOptions{Epochs: 6, Workers: 2})
		if err != nil || again.Loss != m.Loss {
			t.Errorf("%s: two workers have loss %v, %v, want %v", labels.Mechanism, again.Loss, err, m.Loss)
		}
	}
}

// TestGradient holds the gradient against differences of the loss.
func TestGradient(t *testing.T) {
	d, _ := made(t, 400, 6, 8, sixLabels, 3)
	scores := []float32{0.3, -1, 2, 0.1, 0, -0.5}
	grad, shifted := make([]float32, 6), make([]float32, 6)
	estimate.Descend(&d, grad, scores, 7)
	for c := range scores {
		const step = 1e-2
		var loss [2]float64
		for i, by := range []float32{step, -step} {
			moved := slices.Clone(scores)
			moved[c] += by
			loss[i] = estimate.Descend(&d, shifted, moved, 7)
		}
		if want := (loss[0] - loss[1]) / (2 * step); math.Abs(float64(grad[c])-want) > 1e-4 {
			t.Errorf("gradient of class %d is %v, want %v", c, grad[c], want)
		}
	}
}

func TestRefuses(t *testing.T) {
	good, _ := made(t, 400, 6, 8, sixLabels, 3)
	for name, spoil := range map[string]func(*estimate.TrainingData){
		"fewer labels": func(d *estimate.TrainingData) { d.Y = d.Y[:300] },
		"one class":    func(d *estimate.TrainingData) { d.Classes = 1 },
		"few rows":     func(d *estimate.TrainingData) { d.X, d.Y = d.X.Slice(0, 100), d.Y[:100] },
		"no label":     func(d *estimate.TrainingData) { d.Y = append([][]float64{{0.5}}, d.Y[1:]...) },
		"not a number": func(d *estimate.TrainingData) { d.X = d.X.Clone(); d.X.Row(0)[0] = float32(math.NaN()) },
		"labels of vectors": func(d *estimate.TrainingData) {
			m, err := mech.New(mech.Params{Mechanism: "privunit", Dim: 8, Epsilon: 1})
			if err != nil {
				t.Fatal(err)
			}
			d.Labels = m
		},
	} {
		d := good
		spoil(&d)
		if _, err := estimate.FitReleases(t.Context(), d, estimate.TrainingOptions{Epochs: 1}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func ExampleFitReleases() {
	labels, err := mech.NewKRR(mech.Params{Epsilon: 3, Own: mech.KRRParams{Classes: 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	d := estimate.TrainingData{X: nn.NewMatrix(200, 1), Classes: 2, Labels: labels}
	for i := range 200 { // as if released
		d.X.Row(i)[0] = float32(2*(i%2) - 1)
		d.Y = append(d.Y, []float64{float64(i % 2)})
	}
	m, err := estimate.FitReleases(context.Background(), d, estimate.TrainingOptions{Epochs: 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(d.X.Slice(0, 2)))
	// Output: [0 1]
}
