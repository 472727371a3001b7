package measure_test

import (
	"math"
	"testing"

	"sotto/compute/measure"
)

// TestTruePositives counts by hand. Class 0: group 0 has 1 of 2, group 1 has
// 2 of 2. Class 1: group 0 has 3 of 4, group 1 has 0 of 1.
func TestTruePositives(t *testing.T) {
	want := []int{0, 0, 0, 0, 1, 1, 1, 1, 1, -1, 0}
	got := []int{0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1}
	group := []int{0, 0, 1, 1, 0, 0, 0, 0, 1, 1, -1}
	table := measure.TruePositives(want, got, group, 2, 2)
	cells := measure.Table{{{2, 1}, {2, 2}}, {{4, 3}, {1, 0}}}
	for y := range cells {
		for g, want := range cells[y] {
			if table[y][g] != want {
				t.Errorf("class %d group %d = %+v, want %+v", y, g, table[y][g], want)
			}
		}
	}
	for class, want := range []float64{0.5, 0.75} {
		if gap, ok := table.Gap(class); gap != want || !ok {
			t.Errorf("Gap(%d) = %v, %v, want %v", class, gap, ok, want)
		}
	}
	grms, defined := table.GRMS()
	if want := math.Sqrt((0.25 + 0.5625) / 2); !near(grms, want, 1e-15) || defined != 2 {
		t.Errorf("GRMS = %v of %d classes, want %v of 2", grms, defined, want)
	}
}

func TestEmptyCells(t *testing.T) {
	for _, c := range []struct {
		name    string
		table   measure.Table
		gap     float64 // of class 0
		grms    float64
		defined int
	}{
		{"no classes", measure.Table{{}}, nan, nan, 0},
		{"one group of two", measure.Table{{{2, 1}, {}}}, nan, nan, 0},
		{"an empty cell is not a rate of 0", measure.Table{{{2, 1}, {}, {4, 3}}}, 0.25, 0.25, 1},
		{"a rate of 0 is one", measure.Table{{{2, 1}, {1, 0}}}, 0.5, 0.5, 1},
		{"class left out", measure.Table{{{1, 1}, {}}, {{4, 4}, {4, 1}}}, nan, 0.75, 1},
		{"three groups", measure.Table{{{4, 1}, {4, 4}, {4, 2}}}, 0.75, 0.75, 1},
	} {
		gap, ok := c.table.Gap(0)
		if !near(gap, c.gap, 1e-15) || ok == math.IsNaN(c.gap) {
			t.Errorf("%s: Gap(0) = %v, %v, want %v", c.name, gap, ok, c.gap)
		}
		if grms, defined := c.table.GRMS(); !near(grms, c.grms, 1e-15) || defined != c.defined {
			t.Errorf("%s: GRMS = %v of %d, want %v of %d", c.name, grms, defined, c.grms, c.defined)
		}
	}
}
