package erase

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Moments are the means and covariances of vectors x and of concepts z beside
// them, gathered row by row in memory that does not grow with the rows. Rows are
// taken a block at a time: the sums about the block's own mean, and then those
// of two parts put together (Chan, Golub and LeVeque, 1983), so that nothing is
// lost however far the mean is from zero. It is not safe for concurrent use;
// whoever has several workers gives each its own and merges them.
type Moments struct {
	dim, columns int
	rows         float64
	meanX, meanZ []float64
	xx           []float64 // dim × dim sums of products about the mean, the upper triangle
	xz           []float64 // dim × columns
	zz           []float64 // of each column of z with itself

	x, z    []float64 // rows that wait for their block to be full
	waiting int
}

// momentRows is how many rows make a block.
const momentRows = 256

// NewMoments returns the moments of no rows yet: vectors of dim numbers beside
// concepts of the given number of columns, one for a number or a concept of two
// classes, one for each class of more (see [Moments.AddClass]).
func NewMoments(dim, columns int) (*Moments, error) {
	if dim < 1 || dim > maxDim || columns < 1 || columns > maxDim {
		return nil, fmt.Errorf("erase: width is %d and the concept has %d columns, must be 1 to %d", dim, columns, maxDim)
	}
	return &Moments{
		dim: dim, columns: columns,
		meanX: make([]float64, dim), meanZ: make([]float64, columns),
		xx: make([]float64, dim*dim), xz: make([]float64, dim*columns), zz: make([]float64, columns),
		x: make([]float64, momentRows*dim), z: make([]float64, momentRows*columns),
	}, nil
}

// maxDim bounds the width of vectors, whose covariance is held in memory.
const maxDim = 1 << 14

// Rows returns how many rows were added.
func (m *Moments) Rows() int { return int(m.rows) + m.waiting }

// Add adds a vector and what is known of it. Numbers must be finite. It panics
// if there are not dim and columns of them.
func (m *Moments) Add(row, z []float64) error {
	if len(row) != m.dim || len(z) != m.columns {
		panic(fmt.Sprintf("erase: a row has %d numbers and %d beside it, want %d and %d", len(row), len(z), m.dim, m.columns))
	}
	if !finite(row) || !finite(z) {
		return fmt.Errorf("erase: row %d has a number that is NaN or infinite, must be finite", m.Rows()+1)
	}
	copy(m.x[m.waiting*m.dim:], row)
	copy(m.z[m.waiting*m.columns:], z)
	m.waiting++
	if m.waiting == momentRows {
		m.flush()
	}
	return nil
}

// AddClass adds a vector of a class, as a concept that is 1 in the column of the
// class and 0 in the others. The class must be one of as many as there are
// columns.
func (m *Moments) AddClass(row []float64, class int) error {
	if class < 0 || class >= m.columns {
		return fmt.Errorf("erase: class of row %d is %d, must be 0 to %d", m.Rows()+1, class, m.columns-1)
	}
	z := make([]float64, m.columns)
	z[class] = 1
	return m.Add(row, z)
}

// Merge adds the rows of other moments, which must be of the same shape, or it
// panics. The others are left as they are, up to rounding.
func (m *Moments) Merge(other *Moments) {
	if m.dim != other.dim || m.columns != other.columns {
		panic(fmt.Sprintf("erase: moments of %d and %d numbers a row are merged with those of %d and %d, want the same",
			m.dim, m.columns, other.dim, other.columns))
	}
	other.flush()
	m.flush()
	floats.Add(m.xx, other.xx)
	floats.Add(m.xz, other.xz)
	floats.Add(m.zz, other.zz)
	m.join(other.rows, other.meanX, other.meanZ)
}

// flush takes in the rows that wait.
func (m *Moments) flush() {
	n := m.waiting
	if n == 0 {
		return
	}
	m.waiting = 0
	x, z := m.x[:n*m.dim], m.z[:n*m.columns]
	meanX, meanZ := centre(x, m.dim), centre(z, m.columns)
	m.addProducts(x, n)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, general(x, n, m.dim), general(z, n, m.columns), 1, general(m.xz, m.dim, m.columns))
	for i, v := range z {
		m.zz[i%m.columns] += v * v
	}
	m.join(float64(n), meanX, meanZ)
}

// panel is how many columns of a covariance are computed at a time, so that
// little of the lower triangle is, and the products are still large.
const panel = 128

// addProducts adds xᵀx to the upper triangle of xx.
func (m *Moments) addProducts(x []float64, n int) {
	for lo := 0; lo < m.dim; lo += panel {
		width, rest := min(panel, m.dim-lo), m.dim-lo
		left := blas64.General{Rows: n, Cols: width, Stride: m.dim, Data: x[lo:]}
		right := blas64.General{Rows: n, Cols: rest, Stride: m.dim, Data: x[lo:]}
		sum := blas64.General{Rows: width, Cols: rest, Stride: m.dim, Data: m.xx[lo*m.dim+lo:]}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, left, right, 1, sum)
	}
}

// join moves the means to those of the rows so far and n more, whose sums have
// been added about their own means, and adds what that leaves out.
func (m *Moments) join(n float64, meanX, meanZ []float64) {
	if n == 0 {
		return
	}
	total := m.rows + n
	weight := m.rows / total * n
	dx, dz := make([]float64, m.dim), make([]float64, m.columns)
	floats.SubTo(dx, meanX, m.meanX)
	floats.SubTo(dz, meanZ, m.meanZ)
	for i, d := range dx {
		floats.AddScaled(m.xx[i*m.dim+i:(i+1)*m.dim], weight*d, dx[i:])
		floats.AddScaled(m.xz[i*m.columns:(i+1)*m.columns], weight*d, dz)
	}
	for j, d := range dz {
		m.zz[j] += weight * d * d
	}
	floats.AddScaled(m.meanX, n/total, dx)
	floats.AddScaled(m.meanZ, n/total, dz)
	m.rows = total
}

// centre subtracts the mean from rows, and returns it.
func centre(rows []float64, dim int) []float64 {
	n := len(rows) / dim
	mean := make([]float64, dim)
	for i := range n {
		floats.Add(mean, rows[i*dim:(i+1)*dim])
	}
	floats.Scale(1/float64(n), mean)
	for i := range n {
		floats.Sub(rows[i*dim:(i+1)*dim], mean)
	}
	return mean
}

func general(data []float64, rows, cols int) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: data}
}

// Mean returns the mean of the vectors, zeros without any.
func (m *Moments) Mean() []float64 {
	m.flush()
	return slices.Clone(m.meanX)
}

// Covariance returns the covariance of the vectors, with the number of rows less
// one below. It is not finite for fewer than two.
func (m *Moments) Covariance() *mat.SymDense {
	m.flush()
	s := mat.NewSymDense(m.dim, nil)
	for i := range m.dim {
		for j := i; j < m.dim; j++ {
			s.SetSym(i, j, m.xx[i*m.dim+j]/(m.rows-1))
		}
	}
	return s
}

// CrossCovariance returns the covariance of the vectors with the concepts, dim ×
// columns, with the number of rows less one below.
func (m *Moments) CrossCovariance() *mat.Dense {
	m.flush()
	c := mat.NewDense(m.dim, m.columns, slices.Clone(m.xz))
	c.Apply(func(_, _ int, v float64) float64 { return v / (m.rows - 1) }, c)
	return c
}

// deviations returns the standard deviation of each column of the concepts.
func (m *Moments) deviations() []float64 {
	m.flush()
	s := make([]float64, m.columns)
	for j, v := range m.zz {
		s[j] = math.Sqrt(v / (m.rows - 1))
	}
	return s
}
