package channel_test

import (
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sotto/compute/channel"
	"sotto/compute/nn"
)

func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		classes []int
		limit   int
		want    string
	}{
		{[]int{3}, 0, "[[0] [1] [2]]"},
		{[]int{2, 3}, 6, "[[0 0] [1 0] [0 1] [1 1] [0 2] [1 2]]"},
		{[]int{2, 3}, 5, "more than 5 combinations"},
		{[]int{2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, 0, "more than 1024 combinations"},
		{[]int{math.MaxInt, math.MaxInt}, 0, "more than 1024 combinations"},
		{[]int{2, 1}, 0, "a label has 1 classes"},
		{[]int{2, -3}, 0, "a label has -3 classes"},
		{[]int{2}, -1, "more than -1 combinations"},
		{nil, 0, "no labels"},
	} {
		answers, err := channel.Answers(c.classes, c.limit)
		got := fmt.Sprint(answers)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("Answers(%v, %d) = %v, want %v", c.classes, c.limit, got, c.want)
		}
	}
	if ten, err := channel.Answers(slices.Repeat([]int{2}, 10), 0); err != nil || len(ten) != channel.MaxAnswers {
		t.Errorf("Answers of ten labels = %d, %v, want %d", len(ten), err, channel.MaxAnswers)
	}
}

func TestCommon(t *testing.T) {
	classes := []int{2, 2}
	posteriors := matrix(
		[]float32{.1, .9, .2, .8},
		[]float32{.9, .1, .2, .8},
		[]float32{.4, .6, .4, .6},
		[]float32{.5, .5, .5, .5}, // the first of equals
		[]float32{.7, .3, .1, .9},
		[]float32{.2, .8, .1, .9},
	)
	for _, c := range []struct {
		limit int
		want  string
	}{
		{0, "[[1 1] [0 1] [0 0]]"}, {2, "[[1 1] [0 1]]"}, {9, "[[1 1] [0 1] [0 0]]"},
	} {
		if got := fmt.Sprint(channel.Common(posteriors, classes, c.limit)); got != c.want {
			t.Errorf("Common up to %d = %v, want %v", c.limit, got, c.want)
		}
	}
	// Fewer answers allow no more, and those that are nobody's likeliest add
	// nothing where every text is told apart.
	common, err := channel.Answers(classes, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, epsilon := range []float64{1, 4, 12} {
		all := solve(t, channel.Scores(posteriors, classes, nil, common), epsilon)
		few := solve(t, channel.Scores(posteriors, classes, nil, channel.Common(posteriors, classes, 0)), epsilon)
		if !(few.Value <= all.Bound) || epsilon == 12 && !(few.Value >= all.Value-within) {
			t.Errorf("ε = %v: the commonest answers have %v, all have from %v to %v", epsilon, few.Value, all.Value, all.Bound)
		}
	}
}

func TestScores(t *testing.T) {
	posteriors := matrix([]float32{.25, .75, .5, .25, .25}, []float32{1, 0, 0, 0, 1})
	classes, answers := []int{2, 3}, [][]int{{0, 0}, {1, 2}}
	for _, c := range []struct {
		weights []float64
		want    []float32
	}{
		{nil, []float32{.375, .5, .5, .5}},
		{[]float64{1, 1}, []float32{.375, .5, .5, .5}},
		{[]float64{6, 2}, []float32{.3125, .625, .75, .25}},
	} {
		if got := channel.Scores(posteriors, classes, c.weights, answers); !slices.Equal(got.Data, c.want) {
			t.Errorf("Scores with weights %v = %v, want %v", c.weights, got.Data, c.want)
		}
	}
	for name, call := range map[string]func(){
		"weights":    func() { channel.Scores(posteriors, classes, []float64{1}, answers) },
		"posteriors": func() { channel.Scores(posteriors, []int{2, 2}, nil, answers) },
		"short":      func() { channel.Scores(posteriors, classes, nil, [][]int{{0}}) },
		"class":      func() { channel.Scores(posteriors, classes, nil, [][]int{{2, 0}}) },
		"negative":   func() { channel.Scores(posteriors, classes, nil, [][]int{{0, -1}}) },
		"common":     func() { channel.Common(posteriors, []int{2}, 0) },
		"lengths":    func() { channel.Probabilities(make([]float64, 2), make([]float64, 2), 1, make([]float32, 3)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s that does not fit: no panic", name)
				}
			}()
			call()
		}()
	}
}

// TestPosteriors compares with the softmax by its definition.
func TestPosteriors(t *testing.T) {
	rng := weakrand.New(weakrand.NewPCG(7, 1))
	scores := nn.NewMatrix(20, 7) // the last column is of no label
	for i := range scores.Data {
		scores.Data[i] = float32(rng.NormFloat64() * 5)
	}
	classes := []int{2, 4}
	got := channel.Posteriors(scores, classes)
	if got.Rows != 20 || got.Cols != 6 {
		t.Fatalf("Posteriors is %d×%d, want 20×6", got.Rows, got.Cols)
	}
	for i := range got.Rows {
		column := 0
		for _, c := range classes {
			sum := 0.0
			for j := range c {
				sum += math.Exp(float64(scores.Row(i)[column+j]))
			}
			for j := range c {
				want := math.Exp(float64(scores.Row(i)[column+j])) / sum
				if p := float64(got.Row(i)[column+j]); math.Abs(p-want) > 1e-7 {
					t.Errorf("probability is %v, want %v", p, want)
				}
			}
			column += c
		}
	}
	far := channel.Posteriors(matrix([]float32{3e38, -3e38, 0}), []int{3})
	if !slices.Equal(far.Data, []float32{1, 0, 0}) {
		t.Errorf("Posteriors of scores far apart is %v, want 1, 0, 0", far.Data)
	}
	for _, v := range channel.Posteriors(matrix([]float32{float32(math.NaN()), 0}), []int{2}).Data {
		if v == v {
			t.Errorf("Posteriors of NaN is %v, want NaN", v)
		}
	}
}
