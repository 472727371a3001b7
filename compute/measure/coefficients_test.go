package measure_test

import (
	"math"
	weakrand "math/rand/v2"
	"testing"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

// The differences of log probabilities are affine in a row, with the
// coefficients as slopes, also where columns are of very different size.
func TestCoefficients(t *testing.T) {
	for _, classes := range []int{2, 3} {
		rng := weakrand.New(weakrand.NewPCG(1, uint64(classes)))
		x, z := nn.NewMatrix(300, 4), make([]int, 300)
		for i := range z {
			z[i] = rng.IntN(classes)
			for j := range x.Row(i) {
				x.Row(i)[j] = float32(math.Pow(10, float64(j-1)) * (rng.NormFloat64() + float64(z[i]*(j%2))))
			}
		}
		p := nn.NewPool(1)
		a, err := measure.Probe{Hidden: []int{}, Epochs: 30}.Fit(t.Context(), p, x, z, classes)
		if err != nil {
			t.Fatal(err)
		}
		of := a.Coefficients()
		if len(of) != classes-1 {
			t.Fatalf("%d classes have %d rows of coefficients, want one fewer", classes, len(of))
		}
		probabilities := a.Probabilities(p, x)
		odds := func(i, c int) float64 {
			return math.Log(float64(probabilities.Row(i)[c+1]) / float64(probabilities.Row(i)[0]))
		}
		for c, w := range of {
			for i := 1; i < 50; i++ {
				want := 0.0
				for j, v := range w {
					want += v * (float64(x.Row(i)[j]) - float64(x.Row(0)[j]))
				}
				// Probabilities are float32, whose rounding is 6e-8 of each.
				if got := odds(i, c) - odds(0, c); math.Abs(got-want) > 1e-4*(1+math.Abs(want)) {
					t.Errorf("%d classes, class %d: log odds differ by %v, coefficients say %v", classes, c+1, got, want)
				}
			}
		}
	}
}

func TestCoefficientsHidden(t *testing.T) {
	x := nn.Matrix{Rows: 4, Cols: 1, Data: []float32{0, 1, 2, 3}}
	a, err := measure.Probe{Hidden: []int{2}, Epochs: 1}.Fit(t.Context(), nn.NewPool(1), x, []int{0, 0, 1, 1}, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Coefficients(); got != nil {
		t.Errorf("Coefficients of an attacker with a hidden layer = %v, want nil", got)
	}
}
