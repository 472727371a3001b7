package nn

import (
	"fmt"
	"math"
)

// Matrix is a dense matrix of float32 in row-major order: element (i, j) is
// Data[i*Cols+j]. Copies of a Matrix share Data. The zero value is the empty
// 0×0 matrix.
type Matrix struct {
	Rows, Cols int
	Data       []float32 // Rows·Cols numbers
}

// NewMatrix returns a matrix of zeros. It panics if rows or cols is negative.
func NewMatrix(rows, cols int) Matrix {
	if rows < 0 || cols < 0 {
		panic(fmt.Sprintf("nn: NewMatrix of %d×%d, want no negative size", rows, cols))
	}
	return Matrix{rows, cols, make([]float32, rows*cols)}
}

// Row returns row i, sharing memory with m. It panics if there is no row i.
func (m Matrix) Row(i int) []float32 {
	return m.Data[i*m.Cols : (i+1)*m.Cols : (i+1)*m.Cols]
}

// Slice returns rows lo to hi−1 as a matrix that shares memory with m. It
// panics if there are no such rows.
func (m Matrix) Slice(lo, hi int) Matrix {
	return Matrix{hi - lo, m.Cols, m.Data[lo*m.Cols : hi*m.Cols : hi*m.Cols]}
}

// Clone returns a copy of m with memory of its own.
func (m Matrix) Clone() Matrix {
	return Matrix{m.Rows, m.Cols, append([]float32(nil), m.Data...)}
}

// Columns returns a copy of count columns, beginning with the given one.
func (m Matrix) Columns(first, count int) Matrix {
	some := NewMatrix(m.Rows, count)
	for i := range m.Rows {
		copy(some.Row(i), m.Row(i)[first:first+count])
	}
	return some
}

// Gather returns a copy of the given rows.
func (m Matrix) Gather(rows []int) Matrix {
	some := NewMatrix(len(rows), m.Cols)
	for i, row := range rows {
		copy(some.Row(i), m.Row(row))
	}
	return some
}

// Finite refuses NaN and infinities, without quoting them.
func (m Matrix) Finite() error {
	for i := range m.Rows {
		sum := float32(0)
		for _, v := range m.Row(i) {
			sum += float32(v * 0) // NaN if v is not finite
		}
		if sum != 0 {
			return fmt.Errorf("nn: row %d holds NaN or infinity, must be finite", i)
		}
	}
	return nil
}

// Indices returns 0 to n−1: all rows of a matrix, or an order before it is sorted.
func Indices(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// Pick returns the values of some rows.
func Pick[V any](values []V, rows []int) []V {
	some := make([]V, len(rows))
	for i, row := range rows {
		some[i] = values[row]
	}
	return some
}

// Argmax returns the place of the largest number, the first of equals.
func Argmax(v []float32) int {
	best := 0
	for i := range v {
		if v[i] > v[best] {
			best = i
		}
	}
	return best
}

// Softmax sets dst, which may be scores itself, to the probabilities that scores
// stand for. A NaN among them makes all NaN.
func Softmax(dst, scores []float32) {
	top := math.Inf(-1)
	for _, v := range scores {
		top = max(top, float64(v)) // NaN stays
	}
	sum := 0.0
	for _, v := range scores {
		sum += math.Exp(float64(v) - top)
	}
	for i, v := range scores {
		dst[i] = float32(math.Exp(float64(v)-top) / sum)
	}
}

// shape renders the size of m for messages.
func (m Matrix) shape() string { return fmt.Sprintf("%d×%d", m.Rows, m.Cols) }

// sound panics if the length of Data does not fit the size.
func (m Matrix) sound(name string) {
	if m.Rows < 0 || m.Cols < 0 || len(m.Data) != m.Rows*m.Cols {
		panic(fmt.Sprintf("nn: %s is %s with %d numbers, want %d", name, m.shape(), len(m.Data), m.Rows*m.Cols))
	}
}

// want panics unless m is rows×cols.
func (m Matrix) want(name string, rows, cols int) {
	m.sound(name)
	if m.Rows != rows || m.Cols != cols {
		panic(fmt.Sprintf("nn: %s is %s, want %d×%d", name, m.shape(), rows, cols))
	}
}

// Reshape returns a rows×cols matrix over the memory of m, or over new memory
// if that is too small. What it holds is not defined.
func (m Matrix) Reshape(rows, cols int) Matrix {
	if n := rows * cols; cap(m.Data) >= n {
		return Matrix{rows, cols, m.Data[:n]}
	}
	return NewMatrix(rows, cols)
}

// Beside returns the rows of m, each with that of b behind it. It panics if there
// are not as many.
func (m Matrix) Beside(b Matrix) Matrix {
	if m.Rows != b.Rows {
		panic("nn: Beside: the matrices have different numbers of rows")
	}
	x := NewMatrix(m.Rows, m.Cols+b.Cols)
	for i := range x.Rows {
		copy(x.Row(i), m.Row(i))
		copy(x.Row(i)[m.Cols:], b.Row(i))
	}
	return x
}
