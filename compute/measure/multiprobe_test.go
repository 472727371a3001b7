package measure_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

// bags returns rows of which each column above 0 is a thing that is there, and
// the things.
func bags(seed uint64, rows, things int) (nn.Matrix, [][]int) {
	r := rng(seed)
	x, present := normal(r, rows, things), make([][]int, rows)
	for i := range rows {
		for j, v := range x.Row(i) {
			if v > 0 {
				present[i] = append(present[i], j)
			}
		}
	}
	return x, present
}

func fitMulti(t testing.TB, workers int, h measure.MultiProbe, x nn.Matrix, present [][]int, things int) *measure.MultiAttacker {
	t.Helper()
	a, err := h.Fit(context.Background(), nn.NewPool(workers), x, present, things)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// What is copied into the vectors is found.
func TestMultiProbePlanted(t *testing.T) {
	x, present := bags(1, 600, 5)
	for i, v := range x.Data { // ±1, so that no row lies near the boundary
		x.Data[i] = float32(math.Copysign(1, float64(v)))
	}
	a := fitMulti(t, 2, measure.MultiProbe{Rate: 0.05}, x.Slice(0, 400), present[:400], 5)
	scores := a.Scores(nn.NewPool(1), x.Slice(400, 600))
	wrong := 0
	for i := range 200 {
		for j, s := range scores.Row(i) {
			if (s > 0) != slices.Contains(present[400+i], j) {
				wrong++
			}
		}
	}
	if wrong > 0 || a.Rows != 400 || a.Epochs == 0 {
		t.Errorf("%d of 1000 decisions are wrong after %d epochs, want none", wrong, a.Epochs)
	}
}

// Vectors that say nothing leave it with how common things are.
func TestMultiProbeNoise(t *testing.T) {
	r := rng(2)
	x, present := normal(r, 300, 4), make([][]int, 300)
	for i := range present {
		for j, chance := range []float64{0.8, 0.5, 0.2} {
			if r.Float64() < chance {
				present[i] = append(present[i], j)
			}
		}
	}
	a := fitMulti(t, 1, measure.MultiProbe{}, x, present, 3)
	scores := a.Scores(nn.NewPool(1), normal(r, 50, 4))
	for i := range 50 {
		if s := scores.Row(i); !(s[0] > s[1] && s[1] > s[2]) {
			t.Fatalf("scores of noise are %v, want the commoner things first", s)
		}
	}
}

func TestMultiProbeWorkers(t *testing.T) {
	x, present := bags(3, 200, 6)
	h := measure.MultiProbe{Epochs: 5, Seed: 4}
	one := fitMulti(t, 1, h, x, present, 6).Scores(nn.NewPool(1), x)
	three := fitMulti(t, 3, h, x, present, 6).Scores(nn.NewPool(3), x)
	if !sameBits(one, three) {
		t.Error("scores depend on the number of workers")
	}
}

// TestMultiProbeGradient: on one thing, the probe learns what logistic
// regression does, so its scores at the optimum have mean residual 0.
func TestMultiProbeGradient(t *testing.T) {
	x, present := bags(5, 500, 3)
	r := rng(6)
	for i := range present {
		if r.Float64() < 0.3 { // so that there is an optimum
			present[i] = nil
		}
	}
	a := fitMulti(t, 1, measure.MultiProbe{Rate: 0.02, Epochs: 100, Patience: 100}, x, present, 3)
	scores := a.Scores(nn.NewPool(1), x)
	sum := 0.0
	for i := range 500 {
		sum += 1 / (1 + math.Exp(-float64(scores.Row(i)[1])))
		if slices.Contains(present[i], 1) {
			sum--
		}
	}
	// The tenth that is held out moves the share by less than its own error: a
	// binomial deviation of √(450·¼) over 450 rows scaled to 500, at 4.5
	// deviations (10⁻⁵), is 53.
	if math.Abs(sum) > 53 {
		t.Errorf("residuals sum to %v, want about 0", sum)
	}
}

func TestMultiProbeErrors(t *testing.T) {
	x, present := bags(7, 20, 2)
	bad := x.Clone()
	bad.Data[3] = float32(math.NaN())
	out := slices.Clone(present)
	out[4] = []int{2}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for _, tt := range []struct {
		name    string
		ctx     context.Context
		h       measure.MultiProbe
		x       nn.Matrix
		present [][]int
		things  int
	}{
		{"rate", context.Background(), measure.MultiProbe{Rate: math.NaN()}, x, present, 2},
		{"epochs", context.Background(), measure.MultiProbe{Epochs: -1}, x, present, 2},
		{"few rows", context.Background(), measure.MultiProbe{}, x.Slice(0, 9), present[:9], 2},
		{"not finite", context.Background(), measure.MultiProbe{}, bad, present, 2},
		{"out of range", context.Background(), measure.MultiProbe{}, x, out, 2},
		{"no things", context.Background(), measure.MultiProbe{}, x, make([][]int, 20), 0},
		{"stopped", stopped, measure.MultiProbe{}, x, present, 2},
	} {
		if _, err := tt.h.Fit(tt.ctx, nn.NewPool(1), tt.x, tt.present, tt.things); err == nil {
			t.Errorf("%s: no error", tt.name)
		} else if tt.name == "stopped" && !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want that of the context", tt.name, err)
		}
	}
	a := fitMulti(t, 1, measure.MultiProbe{Epochs: 1}, x, present, 2)
	if !panics(func() { a.Scores(nn.NewPool(1), nn.NewMatrix(1, 3)) }) {
		t.Error("Scores of other columns does not panic")
	}
}

func BenchmarkMultiProbe(b *testing.B) {
	x, present := bags(8, 1000, 256)
	for b.Loop() {
		fitMulti(b, 2, measure.MultiProbe{Epochs: 2}, x, present, 256)
	}
}

func ExampleMultiProbe_Fit() {
	// Vectors of two numbers that copy which of two things are there.
	x, present := nn.NewMatrix(40, 2), make([][]int, 40)
	for i := range 40 {
		for thing := range 2 {
			if i>>thing&1 == 1 {
				x.Row(i)[thing] = 1
				present[i] = append(present[i], thing)
			}
		}
	}
	pool := nn.NewPool(1)
	a, err := measure.MultiProbe{Rate: 0.1}.Fit(context.Background(), pool, x, present, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := a.Scores(pool, nn.Matrix{Rows: 1, Cols: 2, Data: []float32{1, 0}})
	fmt.Println(s.Data[0] > 0, s.Data[1] > 0)
	// Output: true false
}
