package errors_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"sotto/study/errors"
)

func TestShape(t *testing.T) {
	x, err := errors.Shape{}.Make(context.Background(), []string{"Why? NO 42!", ""}, errors.Work{})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{3, 5.0 / 3, 3.0 / 5, 2.0 / 11, 2.0 / 11, 1.0 / 3, 1.0 / 3}
	for k, name := range x.Names {
		if got := x.Rows[0].At(k); math.Abs(got-want[k]) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, got, want[k])
		}
	}
	if err = x.Validate(); err != nil || len(x.Rows[1]) != 0 {
		t.Errorf("an empty text has %v: %v", x.Rows[1], err)
	}
	if _, err = (errors.Shape{}).Make(context.Background(), []string{"\xff"}, errors.Work{}); err == nil {
		t.Error("a text that is not UTF-8 was taken")
	}
}

func TestFromColumn(t *testing.T) {
	for _, tt := range []struct {
		values []string
		names  []string
		row    errors.Row // of the last value
	}{
		{[]string{"1", "", "-2.5"}, []string{"c"}, errors.Row{{Column: 0, Value: -2.5}}},
		{[]string{"1", "0"}, []string{"c"}, nil},
		{[]string{"b", "", "a", "1"}, []string{"c = 1", "c = a", "c = b"}, errors.Row{{Column: 0, Value: 1}}},
		{[]string{"NaN", "x"}, []string{"c = NaN", "c = x"}, errors.Row{{Column: 1, Value: 1}}},
		{[]string{"", ""}, nil, nil},
	} {
		x, err := errors.FromColumn("c", tt.values)
		if err != nil || !slices.Equal(x.Names, tt.names) || !slices.Equal(x.Rows[len(tt.values)-1], tt.row) || x.Validate() != nil {
			t.Errorf("FromColumn(%q) is %v, %v, want %v and %v", tt.values, x, err, tt.names, tt.row)
		}
	}
	var many []string
	for i := range 300 {
		many = append(many, "x"+string(rune('a'+i)))
	}
	if _, err := errors.FromColumn("c", many); err == nil {
		t.Error("a column of 300 names was taken")
	}
}

func TestTables(t *testing.T) {
	a, _ := errors.FromColumn("a", []string{"1", "2", "0"})
	b, _ := errors.FromColumn("b", []string{"x", "y", "x"})
	x, err := errors.Join(a, nil, b)
	if err != nil || !slices.Equal(x.Names, []string{"a", "b = x", "b = y"}) {
		t.Fatalf("Join: %v, %v", x, err)
	}
	if _, err = errors.Join(a, a); err == nil {
		t.Error("a name was taken twice")
	}
	often := x.Frequent(2)
	if !slices.Equal(often.Names, []string{"a", "b = x"}) || often.Rows[2].At(1) != 1 || len(often.Rows[1]) != 1 {
		t.Errorf("Frequent(2) is %v", often)
	}
	other := x.Aligned([]string{"b = y", "new", "a"}, []string{"column", "column", "column"})
	if !slices.Equal(other.Rows[1], errors.Row{{Column: 0, Value: 1}, {Column: 2, Value: 2}}) || other.Validate() != nil {
		t.Errorf("Aligned is %v", other.Rows[1])
	}
	if got := x.Pick([]int{2, 0}); got.Rows[1].At(0) != 1 || len(got.Rows) != 2 {
		t.Errorf("Pick is %v", got.Rows)
	}
	x.Rows[0] = errors.Row{{Column: 9, Value: 1}}
	if x.Validate() == nil {
		t.Error("a column that there is not was taken")
	}
}
