package nn

import "math"

// Basis is an orthonormal basis of what is to be removed from vectors.
type Basis [][]float64

// With returns the basis with the part of v, which it changes, that is orthogonal
// to it, at length 1, unless next to nothing is left of v.
func (b Basis) With(v []float64) Basis {
	size := length(v)
	for range 2 { // once more removes what rounding has left
		for _, u := range b {
			dot := 0.0
			for j := range v {
				dot += float64(u[j] * v[j])
			}
			for j := range v {
				v[j] -= float64(dot * u[j])
			}
		}
	}
	n := length(v)
	if !(n > 1e-6*size) {
		return b
	}
	for j := range v {
		v[j] /= n
	}
	return append(b, v)
}

func length(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	return math.Sqrt(sum)
}

// RemoveFrom removes from x what lies in the span of the basis.
func (b Basis) RemoveFrom(x []float32) {
	for _, u := range b {
		dot := 0.0
		for j, v := range x {
			dot += float64(u[j] * float64(v))
		}
		for j := range x {
			x[j] -= float32(dot * u[j])
		}
	}
}

// Complement returns the n×n matrix I − Σ u·uᵀ, which removes the span of the
// basis from what is multiplied by it.
func (b Basis) Complement(n int) Matrix {
	m := NewMatrix(n, n)
	for i := range n {
		for j := range n {
			v := 0.0
			if i == j {
				v = 1
			}
			for _, u := range b {
				v -= float64(u[i] * u[j])
			}
			m.Row(i)[j] = float32(v)
		}
	}
	return m
}
