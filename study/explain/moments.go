package explain

import (
	"errors"
	"math"
)

// moments are the weighted sums of rows of zeros and ones, and of what belongs to
// each, that least squares need.
type moments struct {
	n           int
	weight      float64   // Σ w
	first       []float64 // Σ w·xⱼ
	second      []float64 // Σ w·xⱼ·xₖ for k ≤ j, row by row of n
	cross       []float64 // Σ w·xⱼ·y
	one, square float64   // Σ w·y and Σ w·y²
}

func newMoments(n int) *moments {
	return &moments{n: n, first: make([]float64, n), second: make([]float64, n*n), cross: make([]float64, n)}
}

// add takes a row, of which the places of the ones are given in order.
func (m *moments) add(ones []int, y, w float64) {
	m.weight += w
	wy := float64(w * y)
	m.one += wy
	m.square += float64(wy * y)
	for i, j := range ones {
		m.first[j] += w
		m.cross[j] += wy
		row := m.second[j*m.n : j*m.n+j+1]
		for _, k := range ones[:i+1] {
			row[k] += w
		}
	}
}

// join takes all rows of another.
func (m *moments) join(o *moments) {
	m.weight += o.weight
	m.one += o.one
	m.square += o.square
	for _, v := range []struct{ to, from []float64 }{{m.first, o.first}, {m.second, o.second}, {m.cross, o.cross}} {
		for i, x := range v.from {
			v.to[i] += x
		}
	}
}

// fit is a linear model of some columns.
type fit struct {
	columns []int
	weights []float64 // of each of these
	at      float64   // intercept
	r2      float64
}

// errSingular is returned where columns cannot be told apart.
var errSingular = errors.New("explain: words cannot be told apart: ask for more samples")

// ridge fits some columns, with an intercept that is not penalised.
func (m *moments) ridge(columns []int, alpha float64) (fit, error) {
	n := len(columns)
	g, c := make([]float64, n*n), make([]float64, n)
	for i, a := range columns {
		for k, b := range columns[:i+1] {
			g[i*n+k] = m.second[max(a, b)*m.n+min(a, b)] - float64(m.first[a]*m.first[b])/m.weight
		}
		c[i] = m.cross[a] - float64(m.first[a]*m.one)/m.weight
	}
	inner := append([]float64(nil), g...)
	for i := range n {
		g[i*n+i] += alpha
	}
	f := fit{columns: columns, weights: append([]float64(nil), c...)}
	if err := cholesky(g, n, f.weights); err != nil {
		return f, err
	}
	total := m.square - float64(m.one*m.one)/m.weight
	left := total
	f.at = m.one / m.weight
	for i, w := range f.weights {
		f.at -= float64(w*m.first[columns[i]]) / m.weight
		sum := float64(inner[i*n+i] * w)
		for k, v := range f.weights[:i] {
			sum += 2 * float64(inner[i*n+k]*v)
		}
		left += float64(w * (sum - 2*c[i]))
	}
	f.r2 = 1 // of what does not vary, all is explained
	if total > 1e-18*m.weight {
		f.r2 = 1 - left/total
	}
	return f, nil
}

// cholesky solves A·x = b for the lower half of a symmetric positive matrix, which
// it overwrites, in place of b.
func cholesky(a []float64, n int, b []float64) error {
	for j := range n {
		row := a[j*n : j*n+j+1]
		before := row[j]
		d := before
		for _, v := range row[:j] {
			d -= float64(v * v)
		}
		if !(d > 1e-12*before) { // NaN, and what is nothing but rounding
			return errSingular
		}
		d = math.Sqrt(d)
		row[j] = d
		for i := j + 1; i < n; i++ {
			other := a[i*n : i*n+j+1]
			s := other[j]
			for k, v := range row[:j] {
				s -= float64(other[k] * v)
			}
			other[j] = s / d
		}
	}
	for i := range n {
		for k, v := range a[i*n : i*n+i] {
			b[i] -= float64(v * b[k])
		}
		b[i] /= a[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			b[i] -= float64(a[k*n+i] * b[k])
		}
		b[i] /= a[i*n+i]
	}
	return nil
}
