package vector_test

import (
	"math"
	"slices"
	"testing"

	"sotto/compute/nn/vector"
)

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// distance returns the largest difference of two vectors.
func distance(got []float32, want []float64) float64 {
	d := 0.0
	for i, v := range want {
		d = max(d, math.Abs(float64(got[i])-v)) // the builtin keeps a NaN
	}
	return d
}

func referenceNorm(x, bias, scale, shift []float64, epsilon float64) []float64 {
	y := make([]float64, len(x))
	mean, square := 0.0, 0.0
	for i := range x {
		y[i] = x[i] + bias[i]
		mean += y[i] / float64(len(x))
	}
	for _, v := range y {
		square += (v - mean) * (v - mean) / float64(len(x))
	}
	for i, v := range y {
		y[i] = (v-mean)/math.Sqrt(square+epsilon)*scale[i] + shift[i]
	}
	return y
}

// differences returns the gradient of f at x by central differences, whose error
// of about 1e-9 is far below what is tested.
func differences(f func(x []float64) float64, x []float64) []float64 {
	const step = 1e-5
	grad := make([]float64, len(x))
	for i, v := range x {
		x[i] = v + step
		up := f(x)
		x[i] = v - step
		grad[i] = (up - f(x)) / (2 * step)
		x[i] = v
	}
	return grad
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func TestGELUGrad(t *testing.T) {
	rng := generator()
	for name, v := range vector.All() {
		x, bias, grad := ramp(4096, -20, 20), normal(rng, 4096, 0.5), normal(rng, 4096, 1)
		got := make([]float32, len(x))
		v.GELUGrad(got, grad, x, bias)
		worst := 0.0
		for i := range x {
			s := float64(x[i] + bias[i])
			want := float64(grad[i]) * (math.Erfc(-s/math.Sqrt2)/2 + s*math.Exp(-s*s/2)/math.Sqrt(2*math.Pi))
			worst = max(worst, math.Abs(float64(got[i])-want)/max(1, math.Abs(float64(grad[i]))))
		}
		if !(worst < 1e-6) {
			t.Errorf("%s: error of the derivative of GELU is %.3g, want less than 1e-6", name, worst)
		}
	}
}

func TestSoftmaxGrad(t *testing.T) {
	rng := generator()
	for name, v := range vector.All() {
		for _, n := range []int{16, 80} {
			scores, grad := normal(rng, n, 1), normal(rng, n, 1)
			p := slices.Clone(scores)
			v.Scale(p, p, 1/v.Exp(p))
			want := differences(func(x []float64) float64 {
				y, sum := make([]float64, n), 0.0
				for i, s := range x {
					y[i] = math.Exp(0.25 * s)
					sum += y[i]
				}
				for i := range y {
					y[i] /= sum
				}
				return dot(y, widen(grad))
			}, widenBy(scores, 4))
			v.SoftmaxGrad(grad, p, 0.25)
			if d := distance(grad, want); !(d < 1e-6) {
				t.Errorf("%s: largest error of the gradient of a softmax of %d is %.3g, want less than 1e-6", name, n, d)
			}
		}
	}
}

func widenBy(x []float32, factor float64) []float64 {
	y := widen(x)
	for i := range y {
		y[i] *= factor
	}
	return y
}

func TestNormGrad(t *testing.T) {
	const epsilon = 1e-5
	rng := generator()
	for name, v := range vector.All() {
		for _, n := range []int{16, 48, 384} {
			x, scale, grad := normal(rng, n, 2), normal(rng, n, 1), normal(rng, n, 1)
			zero := make([]float64, n)
			of := func(x, scale, shift []float64) float64 {
				return dot(referenceNorm(x, zero, scale, shift, epsilon), widen(grad))
			}
			wantX := differences(func(x []float64) float64 { return of(x, widen(scale), zero) }, widen(x))
			wantScale := differences(func(s []float64) float64 { return of(widen(x), s, zero) }, widen(scale))
			dst, dScale, dShift := make([]float32, n), make([]float32, n), slices.Clone(grad)
			v.NormGrad(dst, grad, x, scale, dScale, dShift, epsilon)
			if d := distance(dst, wantX); !(d < 1e-5) {
				t.Errorf("%s: largest error of the gradient of norm of %d is %.3g, want less than 1e-5", name, n, d)
			}
			if d := distance(dScale, wantScale); !(d < 1e-5) {
				t.Errorf("%s: largest error of the gradient of scale is %.3g, want less than 1e-5", name, d)
			}
			if d := distance(dShift, widenBy(grad, 2)); d != 0 { // added to what was there
				t.Errorf("%s: the gradient of shift is off by %.3g, want 0", name, d)
			}
		}
	}
}

// TestDrop checks that every machine drops the same numbers, that they are as many
// as they should be, and that other places drop others.
func TestDrop(t *testing.T) {
	if _, err := vector.NewDropout(1); err == nil {
		t.Error("NewDropout(1) succeeds, want an error")
	}
	d, err := vector.NewDropout(0.1)
	if err != nil {
		t.Fatal(err)
	}
	x := ramp(1<<16, 1, 2)
	var first []float32
	for name, v := range vector.All() {
		got, other := make([]float32, len(x)), make([]float32, len(x))
		v.Drop(got, x, d.At(3))
		v.Drop(other, x, d.At(4))
		if first == nil {
			first = got
		}
		if !slices.Equal(got, first) {
			t.Errorf("%s: other numbers are dropped than elsewhere", name)
		}
		dropped, both := 0, 0
		for i, v := range got {
			switch {
			case v == 0:
				dropped++
				if other[i] == 0 {
					both++
				}
			case math.Abs(float64(v)/float64(x[i])-1/0.9) > 1e-6:
				t.Fatalf("%s: number %d is scaled by %g, want 1/0.9", name, i, v/x[i])
			}
		}
		// Within 4.5 deviations of the mean of a binomial: 6553.6 ± 346, 655.4 ± 115.
		if math.Abs(float64(dropped)-6553.6) > 346 || math.Abs(float64(both)-655.4) > 115 {
			t.Errorf("%s: %d of %d are dropped, %d also elsewhere, want about 6554 and 655", name, dropped, len(x), both)
		}
	}
}
