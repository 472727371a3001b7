package bias_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"sotto/promise/mech"
	"sotto/study/bias"
)

func TestDescribe(t *testing.T) {
	values := bias.Draws{math.NaN()}
	for i := range 41 { // so that 2.5 % is the second value
		values = append(values, float64((i*7)%41))
	}
	if d := values.Describe(); d.Mean != 20 || d.Low != 1 || d.High != 39 || d.Draws != 42 || d.Refused != 1 {
		t.Errorf("draws are %+v, want 20 [1, 39] in 41 of 42", d)
	}
	if d := (bias.Draws{math.NaN()}).Describe(); !math.IsNaN(float64(d.Mean)) || !math.IsNaN(float64(d.Low)) || d.Refused != 1 {
		t.Errorf("without a value draws are %+v", d)
	}
	if d := (bias.Draws{3}).Describe(); d.Mean != 3 || !math.IsNaN(float64(d.Low)) || !math.IsNaN(float64(d.High)) || d.Text("%.0f") != "3" {
		t.Errorf("one draw is %+v, want no interval", d)
	}
	if share := (bias.Draws{0.001, 0.01, math.NaN(), 0.5}).ShareBelow(0.01); share != 1.0/3 {
		t.Errorf("ShareBelow = %v, want a third", share)
	}
	if share := (bias.Draws{math.NaN()}).ShareBelow(0.01); !math.IsNaN(float64(share)) {
		t.Errorf("ShareBelow without a value = %v, want NaN", share)
	}
}

// release returns a release of vectors of two numbers.
func release(t *testing.T, draws int) *bias.Release {
	t.Helper()
	m, err := mech.New(mech.Params{Mechanism: "laplace-l1", Dim: 2, Epsilon: 1})
	if err != nil {
		t.Fatal(err)
	}
	return &bias.Release{Mechanism: m, Draws: draws, Seed: 3}
}

func TestRedraw(t *testing.T) {
	table, err := bias.NewTable(2, []string{"a", "b"}, []float64{1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	r := release(t, 9)
	told := int64(0)
	first := func(draw int, private *bias.Table) ([]float64, error) {
		return []float64{float64(draw), private.Row(0)[0], private.Row(1)[1]}, nil
	}
	found, err := r.Redraw(t.Context(), table, func(_ string, done, total int64) { told = max(told, done*total) }, first)
	if err != nil || len(found) != 3 || told != 81 {
		t.Fatalf("Redraw = %v, %v and told of %d, want three numbers and 9·9", found, err, told)
	}
	for draw, v := range found[0] {
		private, err := r.Private(table, "", draw)
		if err != nil || v != float64(draw) || found[1][draw] != private.Row(0)[0] || found[2][draw] != private.Row(1)[1] {
			t.Errorf("draw %d has %v, %v, %v, want its number and its noise", draw, v, found[1][draw], found[2][draw])
		}
		other, err := r.Private(table, " else", draw)
		if err != nil || other.Row(0)[0] == private.Row(0)[0] {
			t.Errorf("draw %d has the same noise for another purpose, %v", draw, err)
		}
	}
}

func TestRedrawEnds(t *testing.T) {
	table, err := bias.NewTable(2, []string{"a"}, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	wrong := errors.New("wrong")
	if _, err = release(t, 5).Redraw(t.Context(), table, nil, func(int, *bias.Table) ([]float64, error) { return nil, wrong }); !errors.Is(err, wrong) {
		t.Errorf("Redraw error = %v, want that of the measure", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	nothing := func(int, *bias.Table) ([]float64, error) { return nil, nil }
	if _, err = release(t, 5).Redraw(ctx, table, nil, nothing); !errors.Is(err, context.Canceled) {
		t.Errorf("Redraw error = %v, want that of the context", err)
	}
	if _, err = release(t, 0).Redraw(t.Context(), table, nil, nothing); err == nil {
		t.Error("no draws are no error")
	}
}

func TestJoin(t *testing.T) {
	a, err := bias.NewTable(1, []string{"x", "y"}, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	b, err := bias.NewTable(1, []string{"y", "z"}, []float64{3, 4})
	if err != nil {
		t.Fatal(err)
	}
	both, err := bias.Join(a, b)
	if err != nil || both.Len() != 3 || both.Row(1)[0] != 2 || both.Row(2)[0] != 4 {
		t.Errorf("Join = %+v, %v, want x, the first y and z", both, err)
	}
	wide, err := bias.NewTable(2, []string{"w"}, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = bias.Join(a, wide); err == nil {
		t.Error("tables of different widths are joined")
	}
}
