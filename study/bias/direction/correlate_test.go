package direction_test

import (
	"math"
	"slices"
	"testing"

	"sotto/compute/measure"
	"sotto/study/bias/direction"
)

// resultOf is a result with scores of the professions a, b, c, …; NaN for none.
func resultOf(language string, scores ...float64) *direction.Result {
	r := &direction.Result{Language: language}
	for i, s := range scores {
		r.Professions = append(r.Professions, direction.ProfessionScore{Name: string(rune('a' + i)), Score: measure.Number(s)})
	}
	return r
}

func TestCorrelate(t *testing.T) {
	nan := math.NaN()
	c := direction.Correlate([]*direction.Result{
		resultOf("up", 1, 2, 3, 4),
		resultOf("refused"),
		resultOf("down", 8, 6, 4, 2),
		resultOf("gap", 1, nan, 2, 6),
		resultOf("flat", 1, 1, 1, 1),
		resultOf("two", 1, 2),
	})
	for _, tt := range []struct {
		a, b, shared int
		want         float64
	}{
		{0, 0, 4, 1},
		{0, 2, 4, -1},
		// x = 1, 3, 4 and y = 1, 2, 6: deviations −5/3, 1/3, 4/3 and −2, −1, 3.
		{0, 3, 3, (10.0/3 - 1.0/3 + 4) / math.Sqrt(42.0/9*14)},
		{0, 4, 4, nan},
		{0, 5, 2, nan},
		{0, 1, 0, nan},
		{1, 1, 0, nan},
	} {
		got := float64(c.R[tt.a][tt.b])
		if (!near(got, tt.want) && !(math.IsNaN(got) && math.IsNaN(tt.want))) || c.Shared[tt.a][tt.b] != tt.shared {
			t.Errorf("r of %s and %s is %v over %d, want %v over %d", c.Languages[tt.a], c.Languages[tt.b], got, c.Shared[tt.a][tt.b], tt.want, tt.shared)
		}
		if back := float64(c.R[tt.b][tt.a]); back != got && !math.IsNaN(got) {
			t.Errorf("r is %v one way and %v the other, want the same", got, back)
		}
	}
	if !slices.Equal(c.Clustered, []int{0, 2, 3}) || len(c.Merges) != 2 {
		t.Fatalf("clustered are %v by %v, want up, down and gap by two merges", c.Clustered, c.Merges)
	}
	if m := c.Merges[0]; m.A != 0 || m.B != 2 || !near(m.Height, 1-float64(c.R[0][3])) {
		t.Errorf("the first merge is %+v, want up and gap", m)
	}
}

// TestLinkage follows a worked case by hand: 1 and 2 join at 2, 3 and 4 at 3;
// {1, 2} lies (6+8+9+7)/4 = 7.5 from {3, 4}, and 0 lies (10+10)/2 and
// (4+7)/2 = 5.5 from them, so it joins {3, 4}; at the end
// (6+8+9+7+10+10)/6 = 25/3.
func TestLinkage(t *testing.T) {
	d := [][]float64{
		{0, 10, 10, 4, 7},
		{10, 0, 2, 6, 8},
		{10, 2, 0, 9, 7},
		{4, 6, 9, 0, 3},
		{7, 8, 7, 3, 0},
	}
	want := []direction.Merge{{A: 1, B: 2, Height: 2, Size: 2}, {A: 3, B: 4, Height: 3, Size: 2}, {A: 0, B: 6, Height: 5.5, Size: 3}, {A: 7, B: 5, Height: 25.0 / 3, Size: 5}}
	if got := direction.Linkage(d); !slices.Equal(got, want) {
		t.Errorf("Linkage = %+v, want %+v", got, want)
	}
	for n := range 2 {
		if got := direction.Linkage(d[:n]); got != nil {
			t.Errorf("Linkage of %d items = %v, want no merge", n, got)
		}
	}
}
