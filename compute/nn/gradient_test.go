package nn_test

import (
	"math"
	"slices"
	"testing"

	"sotto/compute/nn"
)

// pools are the workers and kernels that everything is tested on.
func pools() []*nn.Pool {
	return []*nn.Pool{nn.NewPool(1), nn.NewPool(3), nn.NewPortablePool(2)}
}

// checkLayer compares a layer with its reference on x: the output, and the
// gradient of Σ w·y for random w with differences, times factor.
func checkLayer(t *testing.T, p *nn.Pool, l nn.Layer, ref func(x []float64) []float64, x nn.Matrix, factor float64) {
	t.Helper()
	before := x.Clone()
	y := l.Forward(p, nn.Train, x)
	if err := agree(y, ref(wide(x)), x.Cols); err != nil {
		t.Errorf("%s: Forward: %v", p.Kernel(), err)
	}
	w := random(rng(9), y.Rows, y.Cols)
	got := l.Backward(p, w)
	want := differences(func(v []float64) float64 { return weighted(wide(w), ref(v)) }, wide(x))
	for i := range want {
		want[i] *= factor
	}
	if got.Rows != x.Rows || got.Cols != x.Cols {
		t.Errorf("%s: Backward returns %d×%d, want %d×%d", p.Kernel(), got.Rows, got.Cols, x.Rows, x.Cols)
	}
	if err := agree(got, want, x.Cols); err != nil {
		t.Errorf("%s: Backward: %v", p.Kernel(), err)
	}
	if !sameBits(x, before) {
		t.Errorf("%s: the input was modified", p.Kernel())
	}
}

func TestLayerGradients(t *testing.T) {
	const rows, cols = 67, 11 // more than a block of rows, no multiple of a register
	for _, tt := range []struct {
		name   string
		layer  func() nn.Layer
		ref    func(x []float64) []float64
		factor float64
	}{
		{"ReLU", func() nn.Layer { return &nn.ReLU{} }, each(refReLU), 1},
		{"Tanh", func() nn.Layer { return &nn.Tanh{} }, each(math.Tanh), 1},
		{"L1Normalize", func() nn.Layer { return &nn.L1Normalize{} }, byRow(cols, refL1), 1},
		{"L2Normalize", func() nn.Layer { return &nn.L2Normalize{} }, byRow(cols, refL2), 1},
		{"MinMaxNormalize", func() nn.Layer { return &nn.MinMaxNormalize{} }, byRow(cols, refMinMax), 1},
		{
			"GradientReversal", func() nn.Layer { return &nn.GradientReversal{Lambda: 0.75} },
			each(func(v float64) float64 { return v }), -0.75,
		},
		{
			"Sequential", func() nn.Layer { return nn.Sequential{&nn.Tanh{}, &nn.L1Normalize{}, &nn.ReLU{}} },
			func(x []float64) []float64 { return each(refReLU)(byRow(cols, refL1)(each(math.Tanh)(x))) }, 1,
		},
		{"empty Sequential", func() nn.Layer { return nn.Sequential{} }, each(func(v float64) float64 { return v }), 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, p := range pools() {
				x := away(random(rng(5), rows, cols), 0.05)
				checkLayer(t, p, tt.layer(), tt.ref, x, tt.factor)
			}
		})
	}
}

// TestDenseGradients checks the output and all three gradients, also of layers
// so thin that other kernels compute them.
func TestDenseGradients(t *testing.T) {
	for _, s := range []struct{ rows, in, out int }{
		{13, 9, 21}, {1, 1, 1}, {15, 6, 2}, {16, 6, 2}, {17, 7, 1}, {33, 18, 3}, {35, 4, 4}, {35, 2, 9}, {18, 70, 2},
	} {
		for _, p := range pools() {
			checkDense(t, p, s.rows, s.in, s.out)
		}
	}
}

func checkDense(t *testing.T, p *nn.Pool, rows, in, out int) {
	t.Helper()
	d := nn.NewDense(in, out, rng(1))
	params := d.Params()
	weight, bias := params[0], params[1]
	copy(bias.Value.Data, random(rng(2), 1, out).Data)
	x := random(rng(3), rows, in)
	checkLayer(t, p, d, func(v []float64) []float64 {
		return refDense(v, wide(weight.Value), wide(bias.Value))
	}, x, 1)
	w := wide(random(rng(9), rows, out)) // the gradient that checkLayer gave
	if err := agree(weight.Grad, differences(func(v []float64) float64 {
		return weighted(w, refDense(wide(x), v, wide(bias.Value)))
	}, wide(weight.Value)), rows); err != nil {
		t.Errorf("%s: gradient of the weight: %v", p.Kernel(), err)
	}
	if err := agree(bias.Grad, differences(func(v []float64) float64 {
		return weighted(w, refDense(wide(x), wide(weight.Value), v))
	}, wide(bias.Value)), rows); err != nil {
		t.Errorf("%s: gradient of the bias: %v", p.Kernel(), err)
	}
	d.NoInputGrad = true
	before := weight.Grad.Clone()
	if got := d.Backward(p, random(rng(9), rows, out)); got.Rows != 0 || len(got.Data) != 0 {
		t.Errorf("Backward with NoInputGrad returns %d×%d, want the empty matrix", got.Rows, got.Cols)
	}
	if !sameBits(before, weight.Grad) {
		t.Error("a second Backward adds to the gradient, want it set")
	}
}

// TestModelGradients checks the gradients of all parameters of a model through
// layers and loss together.
func TestModelGradients(t *testing.T) {
	const rows, in, hidden, classes = 12, 7, 10, 3
	labels := make([]int, rows)
	for i := range labels {
		labels[i] = i % classes
	}
	x := random(rng(1), rows, in)
	for _, p := range pools() {
		r := rng(2)
		model := nn.Sequential{
			nn.NewDense(in, hidden, r), &nn.Tanh{}, nn.NewDense(hidden, hidden, r), &nn.ReLU{},
			&nn.L2Normalize{}, nn.NewDense(hidden, classes, r),
		}
		params := model.Params()
		var loss nn.SoftmaxCrossEntropy
		got, grad := loss.Loss(p, model.Forward(p, nn.Train, x), labels)
		model.Backward(p, grad)
		values := make([][]float64, len(params))
		for i, q := range params {
			values[i] = wide(q.Value)
		}
		ref := func() float64 {
			h := each(math.Tanh)(refDense(wide(x), values[0], values[1]))
			h = byRow(hidden, refL2)(each(refReLU)(refDense(h, values[2], values[3])))
			return refCrossEntropy(refDense(h, values[4], values[5]), labels)
		}
		if want := ref(); math.Abs(got-want) > 1e-6 {
			t.Errorf("%s: loss = %v, want %v", p.Kernel(), got, want)
		}
		for i, q := range params {
			want := differences(func([]float64) float64 { return ref() }, values[i])
			if err := agree(q.Grad, want, 2*hidden); err != nil {
				t.Errorf("%s: gradient of %s: %v", p.Kernel(), q.Name, err)
			}
		}
	}
}

func TestParamNames(t *testing.T) {
	model := nn.Sequential{nn.NewDense(2, 3, rng(1)), &nn.ReLU{}, nn.Sequential{nn.NewDense(3, 1, rng(1))}}
	var got []string
	for _, q := range model.Params() {
		got = append(got, q.Name)
	}
	if want := []string{"0.weight", "0.bias", "2.0.weight", "2.0.bias"}; !slices.Equal(got, want) {
		t.Errorf("Params are named %v, want %v", got, want)
	}
}

// TestDegenerateRows checks rows that cannot be normalised.
func TestDegenerateRows(t *testing.T) {
	p := nn.NewPool(1)
	constant := nn.Matrix{Rows: 2, Cols: 3, Data: []float32{4, 4, 4, 1, 2, 3}}
	zero := nn.Matrix{Rows: 2, Cols: 3, Data: []float32{0, 0, 0, 1, 2, 3}}
	for name, tt := range map[string]struct {
		layer nn.Layer
		x     nn.Matrix
	}{
		"L1Normalize of zeros":      {&nn.L1Normalize{}, zero},
		"L2Normalize of zeros":      {&nn.L2Normalize{}, zero},
		"MinMaxNormalize of equals": {&nn.MinMaxNormalize{}, constant},
	} {
		grad := nn.Matrix{Rows: 2, Cols: 3, Data: []float32{1, 2, -5, 1, 2, -5}}
		y, dx := tt.layer.Forward(p, nn.Train, tt.x), tt.layer.Backward(p, grad)
		zeros := []float32{0, 0, 0}
		if !slices.Equal(y.Row(0), zeros) || !slices.Equal(dx.Row(0), zeros) {
			t.Errorf("%s: output %v and gradient %v, want zeros", name, y.Row(0), dx.Row(0))
		}
		if slices.Equal(y.Row(1), zeros) || slices.Equal(dx.Row(1), zeros) {
			t.Errorf("%s: the other row is zero too", name)
		}
		if out := tt.layer.Forward(p, nn.Train, nn.NewMatrix(2, 0)); out.Rows != 2 || out.Cols != 0 {
			t.Errorf("%s: Forward of 2×0 returns %d×%d", name, out.Rows, out.Cols)
		}
	}
}

// TestXavier checks the bounds of new weights, and that they fill them: of
// 4096 uniform numbers none is above 0.99 times the bound with probability
// 0.995⁴⁰⁹⁶ < 10⁻⁸.
func TestXavier(t *testing.T) {
	params := nn.NewDense(64, 64, rng(8)).Params()
	limit := math.Sqrt(6.0 / 128)
	largest := slices.Max(params[0].Value.Data)
	smallest := slices.Min(params[0].Value.Data)
	for _, v := range []float32{largest, -smallest} {
		if float64(v) > limit || float64(v) < 0.99*limit {
			t.Errorf("largest weight is %v, want it just below %v", v, limit)
		}
	}
	if slices.Max(params[1].Value.Data) != 0 || slices.Min(params[1].Value.Data) != 0 {
		t.Error("the bias is not zero")
	}
}

func TestLayerPanics(t *testing.T) {
	p := nn.NewPool(1)
	m := nn.NewMatrix
	panics(t, "NewDense(0, 2)", func() { nn.NewDense(0, 2, rng(1)) })
	panics(t, "Dense.Forward", func() { nn.NewDense(3, 2, rng(1)).Forward(p, nn.Train, m(4, 2)) })
	for name, l := range map[string]nn.Layer{
		"Dense": nn.NewDense(3, 2, rng(1)), "ReLU": &nn.ReLU{}, "Tanh": &nn.Tanh{}, "GradientReversal": &nn.GradientReversal{},
		"L1Normalize": &nn.L1Normalize{}, "L2Normalize": &nn.L2Normalize{}, "MinMaxNormalize": &nn.MinMaxNormalize{},
	} {
		l.Forward(p, nn.Train, m(4, 3))
		panics(t, name+".Backward of another size", func() { l.Backward(p, m(5, 3)) })
		panics(t, name+".Forward of a broken matrix", func() { l.Forward(p, nn.Train, nn.Matrix{Rows: 4, Cols: 3}) })
	}
}
