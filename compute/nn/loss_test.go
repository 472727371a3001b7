package nn_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"sotto/compute/nn"
)

func TestSoftmaxCrossEntropy(t *testing.T) {
	const rows, classes = 70, 5
	labels := make([]int, rows)
	for i := range labels {
		labels[i] = (i * 7) % classes
	}
	x := random(rng(1), rows, classes)
	for _, p := range pools() {
		var s nn.SoftmaxCrossEntropy
		got, grad := s.Loss(p, x, labels)
		if want := refCrossEntropy(wide(x), labels); math.Abs(got-want) > 1e-12 {
			t.Errorf("Loss = %v, want %v", got, want)
		}
		want := differences(func(v []float64) float64 { return refCrossEntropy(v, labels) }, wide(x))
		if err := agree(grad, want, 1); err != nil {
			t.Errorf("gradient: %v", err)
		}
	}
}

// TestSoftmaxExtremes checks that large logits neither overflow nor lose the
// gradient.
func TestSoftmaxExtremes(t *testing.T) {
	var s nn.SoftmaxCrossEntropy
	p := nn.NewPool(1)
	x := nn.Matrix{Rows: 2, Cols: 2, Data: []float32{1000, 0, -3e38, 3e38}}
	loss, grad := s.Loss(p, x, []int{1, 1})
	if loss != 500 {
		t.Errorf("Loss = %v, want 500, the mean of 1000 and 0", loss)
	}
	if want := []float32{0.5, -0.5, 0, 0}; !slices.Equal(grad.Data, want) {
		t.Errorf("gradient = %v, want %v", grad.Data, want)
	}
	if loss, grad := s.Loss(p, nn.NewMatrix(0, 3), nil); loss != 0 || grad.Rows != 0 {
		t.Errorf("Loss of an empty batch = %v, %d rows, want 0, 0", loss, grad.Rows)
	}
	x.Data[0] = float32(math.NaN())
	if loss, _ := s.Loss(p, x, []int{1, 1}); !math.IsNaN(loss) {
		t.Errorf("Loss of NaN = %v, want NaN", loss)
	}
}

func TestMSE(t *testing.T) {
	y, target := random(rng(1), 70, 3), random(rng(2), 70, 3)
	ref := func(v []float64) float64 {
		sum := 0.0
		for i, x := range v {
			sum += (x - float64(target.Data[i])) * (x - float64(target.Data[i]))
		}
		return sum / float64(len(v))
	}
	for _, p := range pools() {
		var m nn.MSE
		got, grad := m.Loss(p, y, target)
		if want := ref(wide(y)); math.Abs(got-want) > 1e-12 {
			t.Errorf("Loss = %v, want %v", got, want)
		}
		if err := agree(grad, differences(ref, wide(y)), 1); err != nil {
			t.Errorf("gradient: %v", err)
		}
	}
}

func TestOrthogonality(t *testing.T) {
	const rows, cols, heads = 66, 9, 3
	hidden := make([]nn.Matrix, heads)
	var flat []float64
	for i := range hidden {
		hidden[i] = random(rng(uint64(i)), rows, cols)
		flat = append(flat, wide(hidden[i])...)
	}
	for _, p := range pools() {
		var o nn.Orthogonality
		got, grads := o.Loss(p, hidden)
		want := refOrthogonality(flat, heads, rows)
		if math.Abs(got-want) > 1e-12*want {
			t.Errorf("Loss = %v, want %v", got, want)
		}
		numeric := differences(func(v []float64) float64 { return refOrthogonality(v, heads, rows) }, flat)
		for i, g := range grads {
			if err := agree(g, numeric[i*rows*cols:(i+1)*rows*cols], heads); err != nil {
				t.Errorf("gradient %d: %v", i, err)
			}
		}
		if loss, grads := o.Loss(p, hidden[:1]); loss != 0 || len(grads) != 1 || slices.Max(grads[0].Data) != 0 {
			t.Errorf("Loss of one adversary = %v with %d gradients, want 0 and one of zeros", loss, len(grads))
		}
		if loss, grads := o.Loss(p, nil); loss != 0 || grads != nil {
			t.Errorf("Loss of no adversaries = %v, %v, want 0 and none", loss, grads)
		}
	}
}

func TestLossPanics(t *testing.T) {
	p := nn.NewPool(1)
	m := nn.NewMatrix
	var s nn.SoftmaxCrossEntropy
	panics(t, "too few labels", func() { s.Loss(p, m(2, 3), []int{0}) })
	panics(t, "label too large", func() { s.Loss(p, m(2, 3), []int{0, 3}) })
	panics(t, "negative label", func() { s.Loss(p, m(2, 3), []int{0, -1}) })
	panics(t, "MSE of two sizes", func() { new(nn.MSE).Loss(p, m(2, 3), m(3, 2)) })
	panics(t, "Orthogonality of two sizes", func() { new(nn.Orthogonality).Loss(p, []nn.Matrix{m(2, 3), m(2, 4)}) })
}

func ExampleSoftmaxCrossEntropy() {
	var s nn.SoftmaxCrossEntropy
	logits := nn.Matrix{Rows: 1, Cols: 2, Data: []float32{0, 0}}
	loss, grad := s.Loss(nn.NewPool(1), logits, []int{1})
	fmt.Printf("%.4f %v\n", loss, grad.Data)
	// Output: 0.6931 [0.5 -0.5]
}

func ExampleMSE() {
	var m nn.MSE
	y := nn.Matrix{Rows: 1, Cols: 2, Data: []float32{1, 4}}
	loss, grad := m.Loss(nn.NewPool(1), y, nn.NewMatrix(1, 2))
	fmt.Println(loss, grad.Data)
	// Output: 8.5 [1 4]
}

func ExampleOrthogonality() {
	var o nn.Orthogonality
	a := nn.Matrix{Rows: 1, Cols: 2, Data: []float32{1, 2}}
	b := nn.Matrix{Rows: 1, Cols: 2, Data: []float32{2, 0}}
	loss, grads := o.Loss(nn.NewPool(1), []nn.Matrix{a, b})
	fmt.Println(loss, grads[0].Data, grads[1].Data)
	// Output: 4 [8 0] [4 8]
}
