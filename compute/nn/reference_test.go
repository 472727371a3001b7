package nn_test

import (
	"fmt"
	"math"

	"sotto/compute/nn"
)

// The references below are written in double precision and straight from the
// formulas, apart from the code under test. Gradients are compared with central
// differences of the references.

// wide returns the numbers of m in double precision.
func wide(m nn.Matrix) []float64 {
	v := make([]float64, len(m.Data))
	for i, x := range m.Data {
		v[i] = float64(x)
	}
	return v
}

// differences returns the gradient of f at v by central differences. With a
// step of 2⁻¹⁷ the third derivative leaves an error of about 10⁻¹¹ and the
// rounding of f one of about 2⁻⁵³·2¹⁷·|f|, 10⁻¹¹ too for |f| near 1.
func differences(f func(v []float64) float64, v []float64) []float64 {
	const h = 0x1p-17
	g := make([]float64, len(v))
	for i, x := range v {
		v[i] = x + h
		above := f(v)
		v[i] = x - h
		below := f(v)
		v[i] = x
		g[i] = (above - below) / (2 * h)
	}
	return g
}

// weighted returns Σ w·y: a scalar whose gradient with respect to y is w.
func weighted(w, y []float64) float64 {
	sum := 0.0
	for i, v := range y {
		sum += w[i] * v
	}
	return sum
}

// agree compares float32 results with a reference. All functions tested this
// way sum fewer than terms numbers no larger than size, each rounded a few
// times by at most 2⁻²⁴ relatively; 10⁻⁸ is for the differences.
func agree(got nn.Matrix, want []float64, terms int) error {
	size := 1.0
	for _, v := range want {
		size = max(size, math.Abs(v))
	}
	tolerance := 4*float64(terms)*0x1p-24*size + 1e-8
	if len(got.Data) != len(want) {
		return fmt.Errorf("%d numbers, want %d", len(got.Data), len(want))
	}
	for i, v := range got.Data {
		if !(math.Abs(float64(v)-want[i]) <= tolerance) {
			return fmt.Errorf("number %d is %v, want %v within %.2g", i, v, want[i], tolerance)
		}
	}
	return nil
}

// byRow applies f to each row of a flat matrix.
func byRow(cols int, f func(x []float64) []float64) func(x []float64) []float64 {
	return func(x []float64) []float64 {
		var y []float64
		for ; len(x) > 0; x = x[cols:] {
			y = append(y, f(x[:cols])...)
		}
		return y
	}
}

func each(f func(float64) float64) func([]float64) []float64 {
	return func(x []float64) []float64 {
		y := make([]float64, len(x))
		for i, v := range x {
			y[i] = f(v)
		}
		return y
	}
}

func refReLU(x float64) float64 { return max(x, 0) }

// refDense is x·w + b for rows of in numbers, w in×out.
func refDense(x, w, b []float64) []float64 {
	out := len(b)
	in := len(w) / out
	return byRow(in, func(x []float64) []float64 {
		y := append([]float64(nil), b...)
		for i, v := range x {
			for j := range y {
				y[j] += v * w[i*out+j]
			}
		}
		return y
	})(x)
}

func refL1(x []float64) []float64 {
	norm := 0.0
	for _, v := range x {
		norm += math.Abs(v)
	}
	return each(func(v float64) float64 { return v / norm })(x)
}

func refL2(x []float64) []float64 {
	norm := math.Sqrt(weighted(x, x))
	return each(func(v float64) float64 { return v / norm })(x)
}

func refMinMax(x []float64) []float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range x {
		low, high = min(low, v), max(high, v)
	}
	return each(func(v float64) float64 { return (v - low) / (high - low) })(x)
}

// refCrossEntropy is the mean over rows of ln Σ exp(x) − x[label].
func refCrossEntropy(x []float64, labels []int) float64 {
	cols := len(x) / len(labels)
	loss := 0.0
	for i, label := range labels {
		row := x[i*cols : (i+1)*cols]
		sum := 0.0
		for _, v := range row {
			sum += math.Exp(v)
		}
		loss += math.Log(sum) - row[label]
	}
	return loss / float64(len(labels))
}

// refOrthogonality is the mean over n rows of Σ_{i<j} (hᵢ·hⱼ)², for m flat
// matrices one behind the other.
func refOrthogonality(h []float64, m, n int) float64 {
	cols := len(h) / (m * n)
	row := func(i, r int) []float64 { return h[(i*n+r)*cols : (i*n+r+1)*cols] }
	loss := 0.0
	for r := range n {
		for i := range m {
			for j := i + 1; j < m; j++ {
				d := weighted(row(i, r), row(j, r))
				loss += d * d
			}
		}
	}
	return loss / float64(n)
}
