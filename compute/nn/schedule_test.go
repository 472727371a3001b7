package nn_test

import (
	"math"
	"slices"
	"testing"

	"sotto/compute/nn"
)

func TestSchedule(t *testing.T) {
	s := nn.Schedule{Warm: 4, Total: 10}
	var got []float64
	for i := range 11 {
		got = append(got, math.Round(100*s.At(i)))
	}
	if want := []float64{20, 40, 60, 80, 100, 83, 67, 50, 33, 17, 0}; !slices.Equal(got, want) {
		t.Errorf("shares of the rate are %v, want %v", got, want)
	}
	if got := (nn.Schedule{}).At(0); got != 0 {
		t.Errorf("share of the rate without steps is %v, want 0", got)
	}
}

func TestClipNorm(t *testing.T) {
	for _, p := range pools() {
		a, b := nn.NewMatrix(1, 40_000), nn.NewMatrix(1, 2)
		a.Data[3], a.Data[39_999], b.Data[1] = 2, -2, 1
		params := []nn.Param{
			{Name: "a", Value: a.Clone(), Grad: a},
			{Name: "b", Value: nn.NewMatrix(5, 2), Touched: &nn.Touched{Rows: []int{4}, Grad: b}},
		}
		if got := p.ClipNorm(params, 4); got != 3 || a.Data[3] != 2 {
			t.Errorf("%s: ClipNorm(4) of length 3 returns %v and leaves %v, want 3 and 2", p.Kernel(), got, a.Data[3])
		}
		if got := p.ClipNorm(params, 1.5); got != 3 || a.Data[39_999] != -1 || b.Data[1] != 0.5 {
			t.Errorf("%s: ClipNorm(1.5) of length 3 returns %v and leaves %v and %v, want 3, -1 and 0.5", p.Kernel(), got, a.Data[39_999], b.Data[1])
		}
		a.Data[0] = float32(math.NaN())
		if got := p.ClipNorm(params, 1); !math.IsNaN(got) || b.Data[1] != 0.5 {
			t.Errorf("%s: ClipNorm of NaN returns %v and changes gradients, want NaN", p.Kernel(), got)
		}
	}
}

// TestTouched checks that a step changes touched rows as if they were all there is.
func TestTouched(t *testing.T) {
	for _, p := range pools() {
		table := random(rng(1), 200, 24)
		rows := []int{7, 199, 0}
		some := nn.Param{Name: "some", Value: table.Gather(rows), Grad: random(rng(2), 3, 24)}
		touched := nn.Param{Name: "table", Value: table.Clone(), Touched: &nn.Touched{Rows: rows, Grad: some.Grad}}
		for _, params := range [][]nn.Param{{some}, {touched}} {
			o, err := nn.AdamW{Decay: 0.1}.New(params)
			if err != nil {
				t.Fatal(err)
			}
			o.Step(p)
			o.Step(p)
		}
		want := table.Clone()
		for i, row := range rows {
			copy(want.Row(row), some.Value.Row(i))
		}
		if !sameBits(touched.Value, want) {
			t.Errorf("%s: a step of some rows differs from that of a table of these rows", p.Kernel())
		}
		if _, err := (nn.SGD{}).New([]nn.Param{touched}); err == nil {
			t.Errorf("SGD takes gradients of some rows, want an error")
		}
	}
}
