package mech

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"sotto/promise/dp"
)

// assumeReals is printed with the guarantee of mechanisms whose noise is drawn
// in floating point.
const assumeReals = "noise and sums are computed in floating point while the proof speaks of real numbers; codebook and laplace-l1 need no such assumption"

// square is a mechanism that releases as many numbers as it takes.
type square struct{ params Params }

// Params implements [Mechanism].
func (m square) Params() Params { return m.params }

// Shape implements [dp.Vector].
func (m square) Shape() (in, out int) { return m.params.Dim, m.params.Dim }

// privatize implements the allocating method on top of PrivatizeTo.
func privatize(m dp.Vector, x []float64, src rand.Source) ([]float64, error) {
	in, out := m.Shape()
	if len(x) != in {
		return nil, fmt.Errorf("%w: it has %d coordinates, must have %d", dp.ErrDomain, len(x), in)
	}
	y := make([]float64, out)
	if err := m.PrivatizeTo(y, x, src); err != nil {
		return nil, err
	}
	return y, nil
}

// checkShape panics on a broken call, as [dp.Vector] promises.
func checkShape(m dp.Vector, dst, x []float64) {
	if in, out := m.Shape(); len(x) != in || len(dst) != out {
		panic(fmt.Sprintf("mech: PrivatizeTo with %d and %d coordinates, want %d and %d", len(dst), len(x), out, in))
	}
}

// refuse clears dst, so that nothing of a failed release is left in it, and
// returns an error that says what is wrong without quoting the input.
func refuse(dst []float64, reason string) error {
	clear(dst)
	return fmt.Errorf("%w: %s", dp.ErrDomain, reason)
}

// both returns what f makes of two inputs, of that many numbers each.
func both(f func(dst, x []float64) error, n int, x, x2 []float64) (a, b []float64, err error) {
	a, b = make([]float64, n), make([]float64, n)
	if err = f(a, x); err == nil {
		err = f(b, x2)
	}
	return a, b, err
}

// errRelease is returned by LogRatio for a vector that was never released.
var errRelease = fmt.Errorf("%w: not a release of this mechanism", dp.ErrDomain)

const notFinite = "a coordinate is NaN or infinite, or the norm overflows"

// tiny is the norm below which a vector is taken to be zero: the squares of
// its coordinates would underflow, and its direction be lost with them.
const tiny = 0x1p-400

// PrivatizeRows releases each row of x, a matrix of whole rows, into the rows
// of dst. It stops at the first row outside the domain, clears all of dst and
// returns that row's number with the error. It panics if the lengths do not
// fit the mechanism's shape.
func PrivatizeRows(m dp.Vector, dst, x []float64, src rand.Source) (row int, err error) {
	in, out := m.Shape()
	rows := len(x) / in
	if rows*in != len(x) || rows*out != len(dst) {
		panic(fmt.Sprintf("mech: PrivatizeRows with %d and %d numbers, want whole rows of %d and %d", len(dst), len(x), out, in))
	}
	for i := range rows {
		if err := m.PrivatizeTo(dst[i*out:(i+1)*out], x[i*in:(i+1)*in], src); err != nil {
			clear(dst)
			return i, err
		}
	}
	return rows, nil
}

// norm1 returns Σ|x|, NaN or +Inf if a coordinate is.
func norm1(x []float64) float64 {
	// Four sums hide the latency of an addition.
	var a, b, c, d float64
	for ; len(x) >= 4; x = x[4:] {
		a += math.Abs(x[0])
		b += math.Abs(x[1])
		c += math.Abs(x[2])
		d += math.Abs(x[3])
	}
	for _, v := range x {
		a += math.Abs(v)
	}
	return a + b + c + d
}

// norm2 returns √Σx², NaN or +Inf if a coordinate is or the sum overflows.
func norm2(x []float64) float64 {
	var a, b float64
	for ; len(x) >= 2; x = x[2:] {
		a += float64(x[0] * x[0])
		b += float64(x[1] * x[1])
	}
	for _, v := range x {
		a += float64(v * v)
	}
	return math.Sqrt(a + b)
}

// finite reports whether v is neither NaN nor infinite.
func finite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }

// dot returns Σ a·b over the length of a.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	var s, t float64
	i := 0
	for ; i+1 < len(a); i += 2 {
		s += float64(a[i] * b[i])
		t += float64(a[i+1] * b[i+1])
	}
	if i < len(a) {
		s += float64(a[i] * b[i])
	}
	return s + t
}

// scratch lends float buffers, so that a release need not allocate.
type scratch struct{ pool sync.Pool }

func (s *scratch) get(n int) *[]float64 {
	if p, ok := s.pool.Get().(*[]float64); ok && cap(*p) >= n {
		*p = (*p)[:n]
		return p
	}
	p := new([]float64)
	*p = make([]float64, n)
	return p
}

// put takes a buffer back, emptied: it held something of a private input.
func (s *scratch) put(p *[]float64) {
	clear(*p)
	s.pool.Put(p)
}
