package dptest

import (
	"math"
	weakrand "math/rand/v2"
	"slices"
)

// anyVector draws a finite vector of one of several shapes.
func anyVector(rng *weakrand.Rand, n int) []float64 {
	x := make([]float64, n)
	length := math.Exp(6 * (rng.Float64() - 0.5))
	shape := rng.IntN(5)
	for i := range x {
		v := rng.NormFloat64() * length
		switch shape {
		case 1: // without negative numbers, as after a ReLU
			v = max(v, 0)
		case 2: // corners of a cube
			v = math.Copysign(length, v)
		case 3: // of very different sizes
			v = math.Exp(30 * v / length)
		}
		x[i] = v
	}
	if shape == 4 { // an axis
		i := rng.IntN(n)
		v := x[i]
		clear(x)
		x[i] = v
	}
	return x
}

// constant returns n times v.
func constant(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

// extremes are inputs at the edges of what floats can hold.
func extremes(n int) map[string][]float64 {
	return map[string][]float64{
		"zero":               constant(n, 0),
		"negative zero":      constant(n, math.Copysign(0, -1)),
		"smallest floats":    constant(n, math.SmallestNonzeroFloat64),
		"squares underflow":  underflowing(n),
		"1e-170":             constant(n, 1e-170),
		"1e100":              constant(n, 1e100),
		"1e150 and 1":        spike(n, 1e150, 1),
		"largest floats":     constant(n, math.MaxFloat64),
		"range overflows":    alternating(n, math.MaxFloat64),
		"largest and normal": spike(n, math.MaxFloat64, 1),
	}
}

// underflowing returns a vector whose squares round to 0, except one, which
// rounds to the smallest float: a norm computed from them is far too small.
func underflowing(n int) []float64 {
	return spike(n, 1.7e-162, 1.5e-162) // 2.9e-324 and 2.3e-324; the smallest float is 4.9e-324
}

// spike returns rest everywhere but in the first place.
func spike(n int, first, rest float64) []float64 {
	x := constant(n, rest)
	x[0] = first
	return x
}

func alternating(n int, v float64) []float64 {
	x := constant(n, v)
	for i := 1; i < n; i += 2 {
		x[i] = -v
	}
	return x
}

func negated(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = -v
	}
	return y
}

// adversarial returns pairs that lie as far apart as some normalisation can
// put them.
func adversarial(n int) [][2][]float64 {
	var pairs [][2][]float64
	for _, x := range [][]float64{
		spike(n, 1, 0), spike(n, 0, 1), constant(n, 1), alternating(n, 1), constant(n, 1e100),
		spike(n, 3.999, 4.001), underflowing(n), spike(n, 1, 1e-9), spike(n, 1e-3, 1),
	} {
		pairs = append(pairs, [2][]float64{x, negated(x)}, [2][]float64{x, constant(n, 0)}, [2][]float64{x, spike(n, 1, 0)})
	}
	return pairs
}

// distance returns the L2 distance of a and b.
func distance(a, b []float64) float64 {
	d := 0.0
	for i := range a {
		d = math.Hypot(d, a[i]-b[i])
	}
	return d
}

// finite reports whether no number of x is NaN or infinite.
func finite(x []float64) bool {
	return !slices.ContainsFunc(x, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) })
}
