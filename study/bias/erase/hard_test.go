package erase_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"sotto/compute/nn"
	"sotto/study/bias"
	"sotto/study/bias/erase"
)

func table(t *testing.T, dim int, words []string, rows ...float64) *bias.Table {
	t.Helper()
	tb, err := bias.NewTable(dim, words, rows)
	if err != nil {
		t.Fatal(err)
	}
	return tb
}

// By hand, with g along the first axis: doctor (3, 4, 0) keeps (0, 1, 0); queen
// stays but for its length; she (4, 3, 0)/5 and he (−4, 0, 3)/5 have the mean
// (0, .3, .3), so √(1−.18) along g with either sign.
func TestHard(t *testing.T) {
	tb := table(t, 3, []string{"doctor", "queen", "she", "he", "g", "zero"},
		3, 4, 0,
		1, 0, 1,
		4, 3, 0,
		-4, 0, 3,
		2, 0, 0,
		0, 0, 0)
	e, err := erase.NewHard([][]float64{{2, 0, 0}}, []string{"Queen", "king"}, [][2]string{{"she", "he"}, {"him", "her"}, {"doctor", "g"}, {"she", "she"}, {"zero", "zero"}})
	if err != nil {
		t.Fatal(err)
	}
	wantProjection(t, e)
	got, changes, err := e.ApplyTable(nn.NewPool(1), tb)
	if err != nil {
		t.Fatal(err)
	}
	if want := (erase.Changes{Words: 6, Kept: 1, Pairs: 2, LostPairs: 3}); changes != want {
		t.Errorf("changes = %+v, want %+v", changes, want)
	}
	along := math.Sqrt(1 - 0.18)
	for word, want := range map[string][]float64{
		"queen": {math.Sqrt(0.5), 0, math.Sqrt(0.5)},
		"she":   {along, 0.3, 0.3},
		"he":    {-along, 0.3, 0.3},
		"zero":  {0, 0, 0},
		// The mean of (.6, .8, 0) and (1, 0, 0) less g is (0, .4, 0).
		"doctor": {-math.Sqrt(1 - 0.16), 0.4, 0},
		"g":      {math.Sqrt(1 - 0.16), 0.4, 0},
	} {
		v, _ := got.Find(word)
		for j := range want {
			wantNear(t, word, v[j], want[j], 1e-12)
		}
	}
}

// After equalising, a neutral word is as near to the one as to the other, in
// whatever space of directions.
func TestHardEquidistant(t *testing.T) {
	s := newSample(6, 40, 10, 2)
	words := make([]string, 40)
	for i := range words {
		words[i] = string(rune('a'+i/26)) + string(rune('a'+i%26))
	}
	tb := table(t, 10, words, s.rows...)
	e, err := erase.NewHard([][]float64{s.row(0), s.row(1)}, []string{"ab", "ac"}, [][2]string{{"ab", "ac"}})
	if err != nil {
		t.Fatal(err)
	}
	if e.Rank() != 2 {
		t.Errorf("rank removed = %d, want 2", e.Rank())
	}
	got, _, err := e.ApplyTable(nn.NewPool(1), tb)
	if err != nil {
		t.Fatal(err)
	}
	first, _ := got.Find("ab")
	second, _ := got.Find("ac")
	for i := 3; i < 40; i++ {
		v := got.Row(i)
		wantNear(t, "length", floats.Norm(v, 2), 1, 1e-12)
		wantNear(t, "along a direction", floats.Dot(v, s.row(1)), 0, 1e-9)
		wantNear(t, "distances", floats.Distance(v, first, 2), floats.Distance(v, second, 2), 1e-12)
	}
	wantNear(t, "length", floats.Norm(first, 2), 1, 1e-12)
}

// A word that lies on the direction becomes zero, not rounding at length 1.
func TestHardOnDirection(t *testing.T) {
	g := []float64{0.3, -0.7, 1.1}
	e, err := erase.NewHard([][]float64{g}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	rows := []float64{3 * 0.3, 3 * -0.7, 3 * 1.1}
	e.Apply(nn.NewPool(1), rows)
	if !slices.Equal(rows, []float64{0, 0, 0}) {
		t.Errorf("a word on the direction = %v, want zeros", rows)
	}
}

func TestHardRefuses(t *testing.T) {
	for name, directions := range map[string][][]float64{
		"none":         nil,
		"empty":        {{}},
		"zero":         {{0, 0}},
		"widths":       {{1, 0}, {1}},
		"not a number": {{math.NaN(), 1}},
		"infinite":     {{math.Inf(1), 1}},
	} {
		if _, err := erase.NewHard(directions, nil, nil); err == nil {
			t.Errorf("%s: NewHard = nil, want an error", name)
		}
	}
	e, err := erase.NewHard([][]float64{{1, 0}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := e.ApplyTable(nn.NewPool(1), table(t, 1, []string{"a"}, 1)); err == nil {
		t.Error("ApplyTable to another width = nil, want an error")
	}
}
