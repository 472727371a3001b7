package nn

import "math"

// normalizer is what the three normalisations share: a map of rows and its
// derivative. Sums are in double precision.
type normalizer struct {
	stateless
	y, dx Matrix
	x     Matrix
	scale []float64 // of each row; 0 where the row was mapped to zero
}

func (n *normalizer) forward(p *Pool, x Matrix, name string, row func(y, x []float32) float64) Matrix {
	x.sound("input of " + name)
	n.x, n.y = x, n.y.reshape(x.Rows, x.Cols)
	if cap(n.scale) < x.Rows {
		n.scale = make([]float64, x.Rows)
	}
	n.scale = n.scale[:x.Rows]
	p.rows(x.Rows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if n.scale[i] = row(n.y.Row(i), x.Row(i)); n.scale[i] == 0 {
				clear(n.y.Row(i))
			}
		}
	})
	return n.y
}

func (n *normalizer) backward(p *Pool, grad Matrix, name string, row func(dx, g, x, y []float32, scale float64)) Matrix {
	grad.want("gradient of "+name, n.y.Rows, n.y.Cols)
	n.dx = n.dx.reshape(grad.Rows, grad.Cols)
	p.rows(grad.Rows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if n.scale[i] == 0 {
				clear(n.dx.Row(i))
				continue
			}
			row(n.dx.Row(i), grad.Row(i), n.x.Row(i), n.y.Row(i), n.scale[i])
		}
	})
	return n.dx
}

// L1Normalize divides each row by the sum of its magnitudes. A row of zeros
// stays zero, with zero gradient; sign(0) is 0 in the gradient. The zero value
// is ready for use.
type L1Normalize struct{ normalizer }

// Forward implements [Layer].
func (l *L1Normalize) Forward(p *Pool, _ Mode, x Matrix) Matrix {
	return l.forward(p, x, "L1Normalize", func(y, x []float32) float64 {
		norm := magnitude(x)
		multiply(y, x, 1/norm)
		return norm
	})
}

// Backward implements [Layer]. With s = ‖x‖₁ and y = x/s,
// ∂yᵢ/∂xⱼ = (δᵢⱼ − yᵢ·sign xⱼ)/s, so dxⱼ = (gⱼ − sign xⱼ·Σ gᵢyᵢ)/s.
func (l *L1Normalize) Backward(p *Pool, grad Matrix) Matrix {
	return l.backward(p, grad, "L1Normalize", func(dx, g, x, y []float32, norm float64) {
		inverse, along := 1/norm, dot(g, y)
		for j, v := range g {
			dx[j] = float32((float64(v) - signed(along, x[j])) * inverse)
		}
	})
}

// signed returns v·sign(x), with sign(0) = 0. It has no branch, which could
// not be predicted.
func signed(v float64, x float32) float64 {
	b := math.Float32bits(x)
	notZero := uint64(int64(-uint64(b<<1)) >> 63) // all ones unless x is 0 or −0
	return math.Float64frombits((math.Float64bits(v) ^ uint64(b>>31)<<63) & notZero)
}

// L2Normalize divides each row by its Euclidean length. A row of zeros stays
// zero, with zero gradient. The zero value is ready for use.
type L2Normalize struct{ normalizer }

// Forward implements [Layer].
func (l *L2Normalize) Forward(p *Pool, _ Mode, x Matrix) Matrix {
	return l.forward(p, x, "L2Normalize", func(y, x []float32) float64 {
		norm := math.Sqrt(dot(x, x))
		multiply(y, x, 1/norm)
		return norm
	})
}

// Backward implements [Layer]. With s = ‖x‖₂ and y = x/s,
// ∂yᵢ/∂xⱼ = (δᵢⱼ − yᵢyⱼ)/s, so dxⱼ = (gⱼ − yⱼ·Σ gᵢyᵢ)/s.
func (l *L2Normalize) Backward(p *Pool, grad Matrix) Matrix {
	return l.backward(p, grad, "L2Normalize", func(dx, g, _, y []float32, norm float64) {
		inverse, along := 1/norm, dot(g, y)
		for j, v := range g {
			dx[j] = float32((float64(v) - along*float64(y[j])) * inverse)
		}
	})
}

// MinMaxNormalize maps each row to (x − min)/(max − min), so that it spans
// [0, 1]. A row whose numbers are all equal becomes zero, with zero gradient;
// of several smallest or largest numbers the first counts in the gradient. The
// zero value is ready for use.
type MinMaxNormalize struct{ normalizer }

// Forward implements [Layer].
func (l *MinMaxNormalize) Forward(p *Pool, _ Mode, x Matrix) Matrix {
	return l.forward(p, x, "MinMaxNormalize", func(y, x []float32) float64 {
		lowest, highest := extremes(x)
		if len(x) == 0 {
			return 0
		}
		low := float64(x[lowest])
		size := float64(x[highest]) - low
		inverse := 1 / size
		for i, v := range x {
			y[i] = float32((float64(v) - low) * inverse)
		}
		return size
	})
}

// Backward implements [Layer]. With m the minimum, M the maximum, r = M − m and
// y = (x − m)/r: ∂yᵢ/∂xⱼ is δᵢⱼ/r, plus ∂yᵢ/∂m = (yᵢ − 1)/r where j attains the
// minimum, plus ∂yᵢ/∂M = −yᵢ/r where j attains the maximum.
func (l *MinMaxNormalize) Backward(p *Pool, grad Matrix) Matrix {
	return l.backward(p, grad, "MinMaxNormalize", func(dx, g, x, y []float32, size float64) {
		lowest, highest := extremes(x)
		inverse, along, sum := 1/size, dot(g, y), 0.0
		for j, v := range g {
			dx[j] = float32(float64(v) * inverse)
			sum += float64(v)
		}
		dx[lowest] = float32((float64(g[lowest]) + along - sum) * inverse)
		dx[highest] = float32((float64(g[highest]) - along) * inverse)
	})
}

// extremes returns the places of the first smallest and first largest number.
func extremes(x []float32) (lowest, highest int) {
	for i, v := range x {
		if v < x[lowest] {
			lowest = i
		}
		if v > x[highest] {
			highest = i
		}
	}
	return lowest, highest
}

// multiply sets y = factor·x.
func multiply(y, x []float32, factor float64) {
	for i, v := range x[:len(y)] {
		y[i] = float32(float64(v) * factor)
	}
}

// magnitude returns Σ|x| in double precision, as two sums.
func magnitude(x []float32) float64 {
	var s, t float64
	for ; len(x) >= 2; x = x[2:] {
		s += math.Abs(float64(x[0]))
		t += math.Abs(float64(x[1]))
	}
	for _, v := range x {
		s += math.Abs(float64(v))
	}
	return s + t
}

// dot returns Σ a·b in double precision, as four sums that hide the latency of
// an addition.
func dot(a, b []float32) float64 {
	b = b[:len(a)]
	var s, t, u, v float64
	for ; len(a) >= 4 && len(b) >= 4; a, b = a[4:], b[4:] {
		s += float64(a[0]) * float64(b[0])
		t += float64(a[1]) * float64(b[1])
		u += float64(a[2]) * float64(b[2])
		v += float64(a[3]) * float64(b[3])
	}
	for i, x := range a {
		s += float64(x) * float64(b[i])
	}
	return (s + t) + (u + v)
}
