package measure_test

import (
	"fmt"
	"reflect"
	"testing"

	"sotto/compute/measure"
)

// Answers that are counted in parts and added up are those counted together, whatever
// the number of classes.
func TestCounts(t *testing.T) {
	for _, classes := range []int{3, 300} {
		want, got := make([]int, 900), make([]int, 900)
		for i := range want {
			want[i], got[i] = i*7%classes, i*i%classes
		}
		want[5], got[7] = -1, -1 // an unknown label, and no answer
		whole, sum := measure.NewConfusion(classes), measure.NewConfusion(classes)
		whole.Add(want, got)
		for from := 0; from < len(want); from += 100 {
			part := measure.NewConfusion(classes)
			part.Add(want[from:from+100], got[from:from+100])
			if err := sum.Merge(part.Counts()); err != nil {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(sum.Counts(), whole.Counts()) || fmt.Sprint(sum.Balance(nil)) != fmt.Sprint(whole.Balance(nil)) {
			t.Errorf("%d classes: the sum of parts is not the whole", classes)
		}
		total := 0
		for _, n := range sum.Rows() {
			total += n
		}
		if total != 899 {
			t.Errorf("%d classes: %d rows have a label, want 899", classes, total)
		}
	}
}

// Counts that no answers give are refused, and nothing of them is added.
func TestCountsRefused(t *testing.T) {
	good := measure.NewConfusion(2)
	good.Add([]int{0, 1, 1}, []int{0, 1, 0})
	for what, change := range map[string]func([]int64) []int64{
		"one is missing":            func(c []int64) []int64 { return c[1:] },
		"one is negative":           func(c []int64) []int64 { c[0] = -1; return c },
		"one is too large":          func(c []int64) []int64 { c[0] = 1 << 60; return c },
		"more are right than there": func(c []int64) []int64 { c[4] = 2; return c },
		"more answers than rows":    func(c []int64) []int64 { c[2] = 9; return c },
	} {
		c := measure.NewConfusion(2)
		if err := c.Merge(change(good.Counts())); err == nil {
			t.Errorf("counts were taken although %s", what)
		}
		if !reflect.DeepEqual(c.Counts(), measure.NewConfusion(2).Counts()) {
			t.Errorf("counts of which %s were added in part", what)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("expectations were counted as answers")
		}
	}()
	good.AddLaw(0, []float64{0.5, 0.5})
	good.Counts()
}
