package channel_test

import (
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/compute/channel"
	"sotto/compute/nn"
	"sotto/promise/dp"
)

// TestBestSubset checks that the value is that of the channel it describes, that
// Solve's bound holds for it, and that one more answer would not help.
func TestBestSubset(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(8, 1))
	for _, epsilon := range []float64{0.5, 2, 5} {
		for selected := 1; selected <= 3; selected++ {
			scores := random(rng, 30, 4+rng.IntN(5))
			got, err := channel.BestSubset(t.Context(), scores, dp.Epsilon(epsilon), selected, scores.Cols)
			if err != nil {
				t.Fatal(err)
			}
			if got.Selected != selected || len(got.Answers) <= selected {
				t.Errorf("ε = %v: BestSubset = %+v, want more than %d answers", epsilon, got, selected)
			}
			if want := equal(t, scores, got.Answers, selected, epsilon); math.Abs(got.Value-want) > 1e-6 {
				t.Errorf("ε = %v, %d selected: value is %v, want %v", epsilon, selected, got.Value, want)
			}
			if bound := solve(t, scores, epsilon).Bound; got.Value > bound {
				t.Errorf("ε = %v, %d selected: value is %v, above the bound %v", epsilon, selected, got.Value, bound)
			}
			for v := range scores.Cols {
				if slices.Contains(got.Answers, v) {
					continue
				}
				if more := equal(t, scores, append(slices.Clone(got.Answers), v), selected, epsilon); more > got.Value+1e-6 {
					t.Errorf("ε = %v, %d selected: one more answer has %v, above %v", epsilon, selected, more, got.Value)
				}
			}
		}
	}
}

// equal is the value of a channel of equal weights.
func equal(t *testing.T, scores nn.Matrix, answers []int, selected int, epsilon float64) float64 {
	t.Helper()
	weights := make([]float64, scores.Cols)
	for _, v := range answers {
		weights[v] = 1 / (float64(len(answers)) + math.Expm1(epsilon)*float64(selected))
	}
	return valueOf(t, scores, weights, epsilon)
}

// TestBestSubsetByHand: randomised response over three answers of which each is
// the best of a text, and over two where the third is nobody's.
func TestBestSubsetByHand(t *testing.T) {
	const e = 4
	one := matrix([]float32{1, 0, 0}, []float32{0, 1, 0}, []float32{0, 0, 1})
	two := matrix([]float32{1, 0, 0}, []float32{0, 1, 0})
	for _, c := range []struct {
		name   string
		scores nn.Matrix
		most   int
		count  int
		want   float64
	}{
		{"three", one, 3, 3, 4. / 6},
		{"at most two", one, 2, 2, 2 * 4. / 5 / 3}, // nothing of the third text
		{"two", two, 3, 2, 4. / 5},
	} {
		got, err := channel.BestSubset(t.Context(), c.scores, dp.Epsilon(math.Log(e)), 1, c.most)
		if err != nil || len(got.Answers) != c.count || math.Abs(got.Value-c.want) > 1e-6 {
			t.Errorf("%s: BestSubset = %+v, %v, want %d answers and %v", c.name, got, err, c.count, c.want)
		}
	}
	for _, c := range []struct {
		selected, most int
		want           string
	}{{0, 3, "selected is 0"}, {-1, 3, "selected is -1"}, {2, 2, "selected is 2 of at most 2"}, {3, 9, "selected is 3 of 3"}} {
		if got, err := channel.BestSubset(t.Context(), one, 1, c.selected, c.most); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("BestSubset of %d and %d = %+v, %v, want an error with %q", c.selected, c.most, got, err, c.want)
		}
	}
}
