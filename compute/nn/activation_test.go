package nn_test

import (
	"math"
	"testing"

	"sotto/compute/nn"
)

// TestTanh compares with the standard library over all magnitudes: the results
// are rounded to float32 from values that are closer than half of its last
// place, so they differ by less than one, 2⁻²³ relatively.
func TestTanh(t *testing.T) {
	p := nn.NewPool(1)
	var x []float32
	for e := -149; e < 128; e++ {
		for _, f := range []float64{1, 1.2345, 1.99} {
			v := float32(math.Ldexp(f, e))
			x = append(x, v, -v)
		}
	}
	x = append(x, 0, float32(math.Inf(1)), float32(math.Inf(-1)))
	y := new(nn.Tanh).Forward(p, nn.Train, nn.Matrix{Rows: 1, Cols: len(x), Data: x})
	for i, v := range x {
		want := math.Tanh(float64(v))
		if math.Abs(float64(y.Data[i])-want) > 0x1p-23*math.Abs(want) {
			t.Errorf("tanh(%v) = %v, want %v", v, y.Data[i], want)
		}
	}
	x = []float32{float32(math.NaN())}
	if y := new(nn.Tanh).Forward(p, nn.Train, nn.Matrix{Rows: 1, Cols: 1, Data: x}); y.Data[0] == y.Data[0] {
		t.Errorf("tanh(NaN) = %v", y.Data[0])
	}
}

// TestReLUExtremes checks that a NaN stays visible, in the part of a vector
// that fills registers and behind it.
func TestReLUExtremes(t *testing.T) {
	for _, p := range pools() {
		x := nn.NewMatrix(1, 21)
		for i := range x.Data {
			x.Data[i] = []float32{float32(math.NaN()), -1, 2, float32(math.Inf(-1)), float32(math.Inf(1))}[i%5]
		}
		var r nn.ReLU
		y := r.Forward(p, nn.Train, x)
		grad := r.Backward(p, y)
		for i, v := range y.Data {
			want := []float64{math.NaN(), 0, 2, 0, math.Inf(1)}[i%5]
			if isNaN := v != v; isNaN != math.IsNaN(want) || !isNaN && float64(v) != want {
				t.Errorf("%s: ReLU of %v = %v, want %v", p.Kernel(), x.Data[i], v, want)
			}
			if g := grad.Data[i]; !(v > 0) && g != 0 {
				t.Errorf("%s: gradient of ReLU at %v = %v, want 0", p.Kernel(), x.Data[i], g)
			}
		}
	}
}
