package channel_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/compute/channel"
	"sotto/compute/nn"
	"sotto/promise/dp"
)

// drawn returns scores of texts and labels that have the probabilities for which
// the scores stand.
func drawn(rng *weakrand.Rand, texts int, classes []int) (nn.Matrix, [][]int) {
	width := 0
	for _, c := range classes {
		width += c
	}
	scores := nn.NewMatrix(texts, width)
	for i := range scores.Data {
		scores.Data[i] = float32(2 * rng.NormFloat64())
	}
	p, column := channel.Posteriors(scores, classes), 0
	var labels [][]int
	for _, c := range classes {
		label := make([]int, texts)
		for i := range label {
			u := rng.Float64()
			for label[i] < c-1 && u >= float64(p.Row(i)[column+label[i]]) {
				u -= float64(p.Row(i)[column+label[i]])
				label[i]++
			}
		}
		labels, column = append(labels, label), column+c
	}
	return scores, labels
}

// Bound is that of the program, or the mean of the labels' own where these have
// too many combinations; what the channel reaches on the labels is below it but
// for chance: √(ln(2·10⁵)/2n) of n texts has probability 10⁻⁵ (Hoeffding), and the
// calibration, which is by the same labels, moves the bound by less.
func TestKnown(t *testing.T) {
	for _, classes := range [][]int{{2}, {5}, {2, 3}, {11, 10, 10}} {
		texts := 800
		if len(classes) > 2 {
			texts = 100 // the time is that of many answers
		}
		chance := math.Sqrt(math.Log(2e5) / 2 / float64(texts))
		scores, labels := drawn(weakrand.New(weakrand.NewPCG(3, 4)), texts, classes)
		k := channel.Know(scores, classes, labels)
		for _, epsilon := range []dp.Epsilon{1, 4} {
			bound, err := k.Bound(t.Context(), epsilon)
			if err != nil {
				t.Fatal(err)
			}
			accuracy, err := k.Accuracy(t.Context(), epsilon)
			if err != nil {
				t.Fatal(err)
			}
			if !(accuracy <= bound+chance) {
				t.Errorf("classes %v, ε %v: accuracy is %v, want at most the bound %v but for chance", classes, epsilon, accuracy, bound)
			}
			if len(classes) == 1 && !(accuracy >= bound-chance) {
				t.Errorf("classes %v, ε %v: accuracy is %v, want the bound %v but for chance", classes, epsilon, accuracy, bound)
			}
		}
	}
	k := channel.Know(nn.NewMatrix(1, 2), []int{2}, [][]int{{0}})
	if _, err := k.Bound(t.Context(), 0); err == nil {
		t.Error("ε = 0 has a bound, want an error")
	}
	if _, err := k.Accuracy(t.Context(), 0); err == nil {
		t.Error("ε = 0 has an accuracy, want an error")
	}
}
