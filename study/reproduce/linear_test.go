package reproduce_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/study/reproduce"
)

// two is a row of each class, which standardise to −1 and 1.
func two() measure.Labelled {
	return measure.Labelled{X: nn.Matrix{Rows: 2, Cols: 1, Data: []float32{3, 7}}, Z: []int{0, 1}}
}

// By symmetry the weights of two are −w and w. The logistic loss is
// ln(1+e^{−2w}) + L2·w², smallest where L2·w = 1/(1+e^{2w}); the squared hinge
// loss is 2(1−w)² + L2·w², smallest at w = 2/(2+L2).
func TestLinearMinimum(t *testing.T) {
	for _, l2 := range []float64{1, 0.1, 0.01} {
		low, high := 0.0, 1000.0
		for range 200 {
			if w := (low + high) / 2; l2*w < 1/(1+math.Exp(2*w)) {
				low = w
			} else {
				high = w
			}
		}
		for _, tt := range []struct {
			loss reproduce.Loss
			want float64
		}{{reproduce.Logistic, low}, {reproduce.Hinge, 2 / (2 + l2)}} {
			p := nn.NewPool(1)
			m, err := reproduce.Linear{Loss: tt.loss, L2: l2}.Fit(t.Context(), p, two(), 2)
			if err != nil {
				t.Fatal(err)
			}
			// A step that lowers the loss by a millionth may leave the weight
			// off by the square root of that, divided by half the curvature,
			// which is at least L2.
			scores, tolerance := m.Scores(p, two().X), math.Sqrt(1e-6/l2)
			for i, want := range []float64{tt.want, -tt.want, -tt.want, tt.want} {
				if got := float64(scores.Data[i]); math.Abs(got-want) > tolerance {
					t.Errorf("%s with L2 = %v: score %d is %v, want %v ± %.2g", tt.loss, l2, i, got, want, tolerance)
				}
			}
		}
	}
}

// separable returns rows around the corners of a triangle, far apart.
func separable(rows int, seed uint64) measure.Labelled {
	rng := weakrand.New(weakrand.NewPCG(seed, 0))
	d := measure.Labelled{X: nn.NewMatrix(rows, 3), Z: make([]int, rows)}
	for i := range rows {
		d.Z[i] = i % 3
		for j := range 2 {
			d.X.Row(i)[j] = float32(rng.NormFloat64()) / 10
		}
		d.X.Row(i)[d.Z[i]%2] += []float32{5, 5, -5}[d.Z[i]]
		d.X.Row(i)[2] = 4 // tells nothing
	}
	return d
}

func TestLinearSeparable(t *testing.T) {
	train, check, test := separable(90, 1), separable(30, 2), separable(300, 3)
	for i := range test.X.Rows {
		test.X.Row(i)[2] = -1e6 // what never changed in training must not matter
	}
	for _, loss := range []reproduce.Loss{reproduce.Logistic, reproduce.Hinge} {
		p := nn.NewPool(1)
		m, err := reproduce.Choose(t.Context(), p, loss, train, check, 3)
		if err != nil {
			t.Fatal(err)
		}
		if got := measure.Accuracy(test.Z, m.Predict(p, test.X)); got != 1 {
			t.Errorf("%s: accuracy on separable rows is %v, want 1", loss, got)
		}
		if m.L2 != 10 {
			t.Errorf("%s: of equally good penalties %v was chosen, want the strongest, 10", loss, m.L2)
		}
	}
}

// The bits do not depend on the number of workers.
func TestLinearWorkers(t *testing.T) {
	d := separable(500, 4)
	var want nn.Matrix
	for workers := 1; workers <= 3; workers++ {
		p := nn.NewPool(workers)
		m, err := reproduce.Linear{L2: 1e-3}.Fit(t.Context(), p, d, 3)
		if err != nil {
			t.Fatal(err)
		}
		got := m.Scores(p, d.X)
		for i, v := range want.Data {
			if got.Data[i] != v {
				t.Fatalf("%d workers: score %d is %v, want %v", workers, i, got.Data[i], v)
			}
		}
		want = got
	}
}

func TestLinearRefuses(t *testing.T) {
	p := nn.NewPool(1)
	for _, h := range []reproduce.Linear{{}, {L2: math.NaN()}, {L2: math.Inf(1)}, {L2: 1, Loss: "absolute"}} {
		if _, err := h.Fit(t.Context(), p, two(), 2); err == nil {
			t.Errorf("Fit of %+v gave no error", h)
		}
	}
	if _, err := (reproduce.Linear{L2: 1}).Fit(t.Context(), p, measure.Labelled{}, 2); err == nil {
		t.Error("Fit of no rows gave no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := reproduce.Choose(ctx, p, reproduce.Logistic, two(), two(), 2); !errors.Is(err, context.Canceled) {
		t.Errorf("Choose after the end of ctx: error %v, want %v", err, context.Canceled)
	}
}

func ExampleLinear() {
	p := nn.NewPool(1)
	rows := measure.Labelled{X: nn.Matrix{Rows: 4, Cols: 1, Data: []float32{-2, -1, 1, 2}}, Z: []int{0, 0, 1, 1}}
	m, err := reproduce.Linear{L2: 0.01}.Fit(context.Background(), p, rows, 2)
	fmt.Println(m.Predict(p, nn.Matrix{Rows: 2, Cols: 1, Data: []float32{-0.5, 5}}), err)
	// Output: [0 1] <nil>
}

func BenchmarkLinear(b *testing.B) {
	rng := weakrand.New(weakrand.NewPCG(1, 0))
	d := measure.Labelled{X: nn.NewMatrix(2000, 100), Z: make([]int, 2000)}
	for i := range d.X.Data {
		d.X.Data[i] = float32(rng.NormFloat64())
	}
	for i := range d.Z {
		if d.X.Row(i)[0]+d.X.Row(i)[1]+float32(rng.NormFloat64()) > 0 {
			d.Z[i] = 1
		}
	}
	p := nn.NewPool(1)
	for b.Loop() {
		if _, err := (reproduce.Linear{L2: 1e-3}).Fit(b.Context(), p, d, 2); err != nil {
			b.Fatal(err)
		}
	}
}
