package erase

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"sotto/compute/nn"
	"sotto/study/bias"
)

// Method names how an eraser was made.
type Method string

// The methods.
const (
	MethodHard  Method = "hard"
	MethodINLP  Method = "inlp"
	MethodLEACE Method = "leace"
)

// Privacy is what must be said wherever erased vectors or probes of them are
// shown.
const Privacy = "erasure is not a privacy guarantee: at best it hides a concept from linear readers of vectors like these, and hard debiasing not even from them; only a mechanism with an ε promises anything"

// ErrNothingLeft is wrapped by the errors of all that make an [Eraser] when each
// vector would become the same.
var ErrNothingLeft = errors.New("nothing would be left of the vectors")

// Eraser is the map x ↦ P(x−μ)+μ, with a projection P = I − Σₖ aₖbₖᵀ that has the
// rank of the vectors' width less that of what it removes. That of hard
// debiasing also divides each vector by its length; see [Eraser.ApplyTable] for
// what it does to words. An Eraser is immutable and safe for concurrent use.
type Eraser struct {
	method Method
	dim    int
	mean   []float64   // μ
	away   [][]float64 // aₖ
	by     [][]float64 // bₖ, so that bᵢ·aⱼ is 1 for i = j and 0 otherwise
	shift  []float64   // bₖ·μ
	gone   []int       // coordinates that are removed altogether

	specific []string    // words that hard debiasing leaves alone
	pairs    [][2]string // words that it equalises
}

// newEraser completes an eraser, or reports numbers that make none.
func newEraser(e Eraser) (*Eraser, error) {
	if e.dim < 1 || len(e.mean) != e.dim || len(e.away) != len(e.by) || len(e.by) > e.dim {
		return nil, fmt.Errorf("erase: %d and %d directions and a mean of %d numbers were given, must be as many of both, at most the width, %d",
			len(e.away), len(e.by), len(e.mean), e.dim)
	}
	if len(e.by) == e.dim {
		return nil, fmt.Errorf("erase: %w: all %d directions would be removed", ErrNothingLeft, e.dim)
	}
	for _, v := range slices.Concat(e.away, e.by, [][]float64{e.mean}) {
		if len(v) != e.dim || !finite(v) {
			return nil, fmt.Errorf("erase: a direction or the mean has another width or a number that is not finite, must be %d finite numbers", e.dim)
		}
	}
	e.shift = make([]float64, len(e.by))
	for k, b := range e.by {
		e.shift[k] = floats.Dot(b, e.mean)
		for l, a := range e.away {
			want := 0.0
			if k == l {
				want = 1
			}
			// Rounding of the product, by Cauchy and Schwarz, with room to spare.
			if got := floats.Dot(b, a); !(math.Abs(got-want) <= 1e-10*max(1, norm(a)*norm(b))) {
				return nil, errors.New("erase: the directions make no projection, must have products 1 with their own and 0 with the others")
			}
		}
	}
	e.findGone()
	return &e, nil
}

// findGone notes the coordinates whose row of P is zero. What rounding would
// leave of them tells the concept to whoever looks closely enough, so that they
// are set to the mean instead.
func (e *Eraser) findGone() {
	row := make([]float64, e.dim)
	for j := range e.dim {
		clear(row)
		row[j] = 1
		size := 1.0
		for k, a := range e.away {
			floats.AddScaled(row, -a[j], e.by[k])
			size += math.Abs(a[j]) * floats.Norm(e.by[k], math.Inf(1))
		}
		if floats.Norm(row, math.Inf(1)) <= 1e-10*size {
			e.gone = append(e.gone, j)
		}
	}
}

// Method returns how the eraser was made.
func (e *Eraser) Method() Method { return e.method }

// Dim returns how many numbers a vector has.
func (e *Eraser) Dim() int { return e.dim }

// Rank returns how many directions are removed: the rank of P is Dim less that.
func (e *Eraser) Rank() int { return len(e.by) }

// Mean returns a copy of μ, zeros for a method that does not move vectors.
func (e *Eraser) Mean() []float64 { return slices.Clone(e.mean) }

// Matrix returns P.
func (e *Eraser) Matrix() *mat.Dense {
	p := mat.NewDense(e.dim, e.dim, nil)
	for i := range e.dim {
		row := p.RawRowView(i)
		row[i] = 1
		for k, a := range e.away {
			floats.AddScaled(row, -a[i], e.by[k])
		}
	}
	return p
}

// blockRows is how many vectors a worker takes at a time: they stay in its cache
// while the directions pass by.
const blockRows = 32

// Apply erases in place rows that lie one after the other, on the workers of the
// pool. A number that is not finite spoils its own row only. It panics if the
// length of rows is not a multiple of Dim.
func (e *Eraser) Apply(p *nn.Pool, rows []float64) {
	if len(rows)%e.dim != 0 {
		panic(fmt.Sprintf("erase: Apply to %d numbers, want a multiple of %d", len(rows), e.dim))
	}
	size := blockRows * e.dim
	p.Each((len(rows)+size-1)/size, func(_, block int) {
		e.apply(rows[block*size : min((block+1)*size, len(rows))])
	})
}

func (e *Eraser) apply(rows []float64) {
	n := len(rows) / e.dim
	row := func(i int) []float64 { return rows[i*e.dim : (i+1)*e.dim] }
	before := make([]float64, n) // lengths, of hard debiasing
	if e.method == MethodHard {
		for i := range before {
			before[i] = norm(row(i))
		}
	}
	scores := make([]float64, n*len(e.by))
	for k, b := range e.by {
		for i := range n {
			scores[k*n+i] = floats.Dot(b, row(i)) - e.shift[k]
		}
	}
	for k, a := range e.away {
		for i := range n {
			floats.AddScaled(row(i), -scores[k*n+i], a)
		}
	}
	for i := range n {
		for _, j := range e.gone {
			row(i)[j] = e.mean[j]
		}
		if e.method != MethodHard {
			continue
		}
		if norm(row(i)) <= 1e-12*before[i] { // it lay in what is removed
			clear(row(i))
		}
		bias.Normalise(row(i))
	}
}

// norm is the Euclidean length, without overflow.
func norm(v []float64) float64 { return floats.Norm(v, 2) }

func finite(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// extend adds to an orthonormal basis the part of v that is orthogonal to it, at
// length 1, unless next to nothing is left of v.
func extend(basis [][]float64, v []float64) [][]float64 {
	v = slices.Clone(v)
	size := norm(v)
	for range 2 { // once more removes what rounding has left
		for _, b := range basis {
			floats.AddScaled(v, -floats.Dot(b, v), b)
		}
	}
	length := norm(v)
	if !(length > 1e-8*size) {
		return basis
	}
	floats.Scale(1/length, v)
	return append(basis, v)
}
