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
	n.x, n.y = x, n.y.Reshape(x.Rows, x.Cols)
	n.scale = lengthen(n.scale, x.Rows)
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
	n.dx = n.dx.Reshape(grad.Rows, grad.Cols)
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
		norm := p.kernels.magnitude(x)
		p.kernels.scale(y, x, 1/norm)
		return norm
	})
}

// Backward implements [Layer]. With s = ‖x‖₁ and y = x/s,
// ∂yᵢ/∂xⱼ = (δᵢⱼ − yᵢ·sign xⱼ)/s, so dxⱼ = (gⱼ − sign xⱼ·Σ gᵢyᵢ)/s.
func (l *L1Normalize) Backward(p *Pool, grad Matrix) Matrix {
	return l.backward(p, grad, "L1Normalize", func(dx, g, x, y []float32, norm float64) {
		p.kernels.slope(dx, g, x, p.kernels.dot(g, y), 1/norm)
	})
}

// L2Normalize divides each row by its Euclidean length. A row of zeros stays
// zero, with zero gradient. The zero value is ready for use.
type L2Normalize struct{ normalizer }

// Forward implements [Layer].
func (l *L2Normalize) Forward(p *Pool, _ Mode, x Matrix) Matrix {
	return l.forward(p, x, "L2Normalize", func(y, x []float32) float64 {
		norm := math.Sqrt(p.kernels.dot(x, x))
		p.kernels.scale(y, x, 1/norm)
		return norm
	})
}

// Backward implements [Layer]. With s = ‖x‖₂ and y = x/s,
// ∂yᵢ/∂xⱼ = (δᵢⱼ − yᵢyⱼ)/s, so dxⱼ = (gⱼ − yⱼ·Σ gᵢyᵢ)/s.
func (l *L2Normalize) Backward(p *Pool, grad Matrix) Matrix {
	return l.backward(p, grad, "L2Normalize", func(dx, g, _, y []float32, norm float64) {
		inverse, along := 1/norm, p.kernels.dot(g, y)
		for j, v := range g {
			dx[j] = float32((float64(v) - float64(along*float64(y[j]))) * inverse)
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
		inverse, along, sum := 1/size, p.kernels.dot(g, y), 0.0
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
