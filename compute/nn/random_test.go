package nn_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"sotto/compute/nn"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

func TestDropoutGradient(t *testing.T) {
	const rows, cols = 130, 7
	for _, p := range pools() {
		d, err := nn.NewDropout(0.3, 5)
		if err != nil {
			t.Fatal(err)
		}
		ones := nn.NewMatrix(rows, cols)
		for i := range ones.Data {
			ones.Data[i] = 1
		}
		mask := wide(d.Forward(p, nn.Train, ones).Clone())
		d.Pass-- // the next pass draws the same again
		checkLayer(t, p, d, func(x []float64) []float64 {
			y := slices.Clone(x)
			for i := range y {
				y[i] *= mask[i]
			}
			return y
		}, random(rng(1), rows, cols), 1)
	}
}

// TestDropoutLaw counts what is dropped of 10⁶ elements. The share deviates by
// more than 4.42 standard deviations with probability 10⁻⁵.
func TestDropoutLaw(t *testing.T) {
	const rows, cols = 1000, 1000
	ones := nn.NewMatrix(rows, cols)
	for i := range ones.Data {
		ones.Data[i] = 1
	}
	p := nn.NewPool(2)
	for _, rate := range []float64{0, 0.1, 0.5, 0.9} {
		d, err := nn.NewDropout(rate, 1)
		if err != nil {
			t.Fatal(err)
		}
		y := d.Forward(p, nn.Train, ones)
		dropped := 0
		for _, v := range y.Data {
			switch {
			case v == 0:
				dropped++
			case math.Abs(float64(v)*(1-rate)-1) > 2e-4: // the rate is rounded to 2⁻¹⁶, of 0.1 at worst
				t.Fatalf("rate %v: an element that stays is %v, want %v", rate, v, 1/(1-rate))
			}
		}
		got, deviation := float64(dropped)/(rows*cols), math.Sqrt(rate*(1-rate)/(rows*cols))
		if math.Abs(got-rate) > 4.42*deviation+0x1p-17 {
			t.Errorf("rate %v: a share of %v was dropped", rate, got)
		}
		first := y.Clone()
		if second := d.Forward(p, nn.Train, ones); rate > 0 && sameBits(first, second) {
			t.Errorf("rate %v: two passes drop the same", rate)
		}
		if y := d.Forward(p, nn.Infer, ones); !sameBits(y, ones) {
			t.Errorf("rate %v: inference changes its input", rate)
		}
		if g := d.Backward(p, ones); !sameBits(g, ones) {
			t.Errorf("rate %v: the gradient of inference is not its input", rate)
		}
	}
}

// TestBlocksDiffer checks that no two blocks of 64 rows draw the same.
func TestBlocksDiffer(t *testing.T) {
	dropout, err := nn.NewDropout(0.5, 1)
	if err != nil {
		t.Fatal(err)
	}
	noise, err := nn.NewNoise(laplace(t, 30, 1), 1)
	if err != nil {
		t.Fatal(err)
	}
	x := nn.NewMatrix(192, 30)
	for i := range x.Data {
		x.Data[i] = 1
	}
	for _, l := range []nn.Layer{dropout, noise} {
		y := l.Forward(nn.NewPool(1), nn.Train, x)
		for i := range 64 {
			if slices.Equal(y.Row(i), y.Row(i+64)) || slices.Equal(y.Row(i), y.Row(i+128)) || slices.Equal(y.Row(i+64), y.Row(i+128)) {
				t.Fatalf("%T: row %d is the same in two blocks", l, i)
			}
		}
	}
}

func TestDropoutErrors(t *testing.T) {
	for _, rate := range []float64{-0.1, 1, 1.5, math.NaN(), math.Inf(1), 1 - 1e-9} {
		if d, err := nn.NewDropout(rate, 1); err == nil || d != nil {
			t.Errorf("NewDropout(%v) = %v, %v, want an error", rate, d, err)
		}
	}
}

// laplace returns the mechanism of FEDERATE.
func laplace(tb testing.TB, dim int, epsilon float64) dp.Vector {
	tb.Helper()
	m, err := mech.New(mech.Params{Mechanism: "laplace-l1", Dim: dim, Epsilon: epsilon})
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func TestNoiseGradient(t *testing.T) {
	const rows, cols = 70, 6
	for _, p := range pools() {
		layer, err := nn.NewNoise(laplace(t, cols, 2), 1)
		if err != nil {
			t.Fatal(err)
		}
		var l1 nn.L1Normalize
		x := away(random(rng(1), rows, cols), 0.05)
		unit := l1.Forward(p, nn.Train, x)
		y := layer.Forward(p, nn.Train, unit)
		offset := make([]float64, rows*cols) // the noise of this pass
		for i := range offset {
			offset[i] = float64(y.Data[i]) - float64(unit.Data[i])
		}
		layer.Pass-- // draw the same again
		checkLayer(t, p, nn.Sequential{&nn.L1Normalize{}, layer}, func(v []float64) []float64 {
			z := byRow(cols, refL1)(v)
			for i := range z {
				z[i] += offset[i]
			}
			return z
		}, x, 1)
		if layer.Err() != nil {
			t.Errorf("Err = %v, want none", layer.Err())
		}
	}
}

// TestNoiseLaw checks the size of the noise. Laplace noise of scale b has mean
// magnitude b with standard deviation b, so that of n = 10⁵ numbers lies
// within 4.42·b/√n with probability 1 − 10⁻⁵.
func TestNoiseLaw(t *testing.T) {
	const rows, cols, epsilon = 1000, 100, 4.0
	layer, err := nn.NewNoise(laplace(t, cols, epsilon), 7)
	if err != nil {
		t.Fatal(err)
	}
	p := nn.NewPool(2)
	x := nn.NewMatrix(rows, cols)
	for i := range rows {
		x.Row(i)[i%cols] = 1
	}
	for _, mode := range []nn.Mode{nn.Train, nn.Infer} {
		y := layer.Forward(p, mode, x)
		sum := 0.0
		for i, v := range y.Data {
			sum += math.Abs(float64(v) - float64(x.Data[i]))
		}
		n := float64(rows * cols)
		if got, want := sum/n, 2/epsilon; math.Abs(got-want) > 4.42*want/math.Sqrt(n) {
			t.Errorf("%s: mean magnitude of the noise is %v, want %v", mode, got, want)
		}
		first := y.Clone()
		if sameBits(first, layer.Forward(p, mode, x)) {
			t.Errorf("%s: two passes draw the same noise", mode)
		}
	}
}

func TestNoiseRefuses(t *testing.T) {
	layer, err := nn.NewNoise(laplace(t, 2, 1), 1)
	if err != nil {
		t.Fatal(err)
	}
	p := nn.NewPool(2)
	x := nn.NewMatrix(150, 2)
	x.Row(140)[1] = float32(math.NaN())
	x.Row(70)[0] = float32(math.Inf(1))
	y := layer.Forward(p, nn.Train, x)
	if err := layer.Err(); !errors.Is(err, dp.ErrDomain) || err.Error()[:10] != "nn: row 70" {
		t.Errorf("Err = %v, want dp.ErrDomain in row 70", err)
	}
	if !slices.Equal(y.Row(70), []float32{0, 0}) {
		t.Errorf("the row that was refused is %v, want zeros", y.Row(70))
	}
	layer.Forward(p, nn.Train, nn.NewMatrix(3, 2))
	if err := layer.Err(); err != nil {
		t.Errorf("Err after a good pass = %v, want none", err)
	}
	panics(t, "Noise.Forward of another size", func() { layer.Forward(p, nn.Train, nn.NewMatrix(3, 4)) })
	panics(t, "Noise.Backward of another size", func() { layer.Backward(p, nn.NewMatrix(4, 2)) })
}

// longer is a mechanism that does not keep the number of coordinates.
type longer struct{ dp.Vector }

func (longer) Shape() (in, out int) { return 2, 3 }

func TestNoiseShape(t *testing.T) {
	if l, err := nn.NewNoise(longer{}, 1); err == nil || l != nil {
		t.Errorf("NewNoise of a mechanism from 2 to 3 = %v, %v, want an error", l, err)
	}
}

// half adds ½ and no noise at all.
type half struct{ dp.Vector }

func (half) Shape() (in, out int) { return 2, 2 }

func (half) PrivatizeTo(dst, x []float64, _ rand.Source) error {
	for i, v := range x {
		dst[i] = v + 0.5
	}
	return nil
}

func ExampleNoise() {
	layer, err := nn.NewNoise(half{}, 1) // in earnest: mech.NewLaplaceL1 and others
	if err != nil {
		fmt.Println(err)
		return
	}
	x := nn.Matrix{Rows: 1, Cols: 2, Data: []float32{1, -1}}
	fmt.Println(layer.Forward(nn.NewPool(1), nn.Train, x).Data, layer.Err())
	// Output: [1.5 -0.5] <nil>
}

func ExampleDropout() {
	d, err := nn.NewDropout(0.5, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	x := nn.Matrix{Rows: 1, Cols: 4, Data: []float32{1, 1, 1, 1}}
	fmt.Println(d.Forward(nn.NewPool(1), nn.Infer, x).Data)
	// Output: [1 1 1 1]
}
