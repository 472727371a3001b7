package weat

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// sparse is an inverse covariance of which many elements off the diagonal are 0.
type sparse struct {
	alpha      float64
	precision  *mat.SymDense
	root       *mat.TriDense // upper U with UᵀU the precision
	components int
}

// ErrSlow is wrapped by the errors of [GraphicalLasso] and [GraphicalLassoCV]
// when the sweeps do not converge.
var ErrSlow = errors.New("the graphical lasso does not converge")

// Sweeps end when the covariance changes by no more than a tolerance beside its
// diagonal, and the duality gap is small.
const (
	fine         = 1e-6
	coarse       = 1e-5 // to choose α by
	gapTolerance = 1e-5 // for each coordinate
	maxSweeps    = 500
	maxPasses    = 100
)

// PrecisionGraphicalLasso returns the Θ that minimises
//
//	−log det Θ + tr SΘ + α Σ |Θᵢⱼ| over i ≠ j
//
// for a sample covariance S with a positive diagonal and α > 0, up to a duality
// gap of 10⁻⁵ a coordinate. It descends block by block (Friedman, Hastie and
// Tibshirani, 2008), after S has been split where no element exceeds α, which
// does not change the answer (Witten, Friedman and Simon, 2011). Once the context
// is done, so is the descent, with the context's error.
func PrecisionGraphicalLasso(ctx context.Context, s *mat.SymDense, alpha float64) (*sparse, error) {
	if !(alpha > 0) {
		return nil, fmt.Errorf("precision: alpha is %v, must be positive", alpha)
	}
	return lasso(ctx, s, alpha, nil, fine)
}

// lasso is GraphicalLasso to a tolerance, from the solution for a larger α on
// unless that is nil.
func lasso(ctx context.Context, s *mat.SymDense, alpha float64, from *sparse, tolerance float64) (*sparse, error) {
	n := s.SymmetricDim()
	for i := range n {
		if !(s.At(i, i) > 0) || math.IsInf(s.At(i, i), 0) {
			return nil, fmt.Errorf("precision: variance of coordinate %d is %v, must be positive and finite", i+1, s.At(i, i))
		}
	}
	r := &sparse{alpha: alpha, precision: mat.NewSymDense(n, nil)}
	for _, members := range components(s, alpha) {
		r.components++
		if len(members) == 1 {
			i := members[0]
			r.precision.SetSym(i, i, 1/s.At(i, i))
			continue
		}
		b := newBlock(s, members, alpha)
		b.start(from, members)
		if err := b.solve(ctx, tolerance); err != nil {
			return nil, fmt.Errorf("precision: alpha %.4g: %w", alpha, err)
		}
		diagonal := b.diagonals()
		for i, m := range members {
			r.precision.SetSym(m, m, diagonal[i])
			for j := range i {
				r.precision.SetSym(m, members[j], b.theta(i, j, diagonal))
			}
		}
	}
	var c mat.Cholesky
	if !c.Factorize(r.precision) {
		return nil, fmt.Errorf("precision: alpha %.4g: %w: the estimate is singular to machine precision", alpha, ErrSlow)
	}
	r.root = mat.NewTriDense(n, mat.Upper, nil)
	c.UTo(r.root)
	return r, nil
}

// Alpha returns the penalty.
func (s *sparse) Alpha() float64 { return s.alpha }

// Components returns into how many independent parts the penalty splits the
// coordinates.
func (s *sparse) Components() int { return s.components }

// Precision returns the inverse covariance, which must not be changed.
func (s *sparse) Precision() *mat.SymDense { return s.precision }

// Whiten implements [Whitener] by the Cholesky factor.
func (s *sparse) Whiten(dst, x []float64) {
	n := s.precision.SymmetricDim()
	if len(dst) != n || len(x) != n {
		panic("precision: length of a vector differs from that of the rows")
	}
	raw := s.root.RawTriangular()
	for i := range dst {
		dst[i] = floats.Dot(raw.Data[i*raw.Stride+i:i*raw.Stride+n], x[i:])
	}
}

// logLikelihood is log det Θ − tr SΘ of a held-out covariance.
func (s *sparse) logLikelihood(held *mat.SymDense) float64 {
	sum := 0.0
	for i := range held.SymmetricDim() {
		sum += 2 * math.Log(s.root.At(i, i))
		for j := range held.SymmetricDim() {
			sum -= held.At(i, j) * s.precision.At(i, j)
		}
	}
	return sum
}

// components divides the coordinates into those linked by elements above α.
func components(s *mat.SymDense, alpha float64) [][]int {
	n := s.SymmetricDim()
	seen := make([]bool, n)
	var all [][]int
	for first := range n {
		if seen[first] {
			continue
		}
		seen[first] = true
		part := []int{first}
		for k := 0; k < len(part); k++ {
			for j := range n {
				if !seen[j] && math.Abs(s.At(part[k], j)) > alpha {
					seen[j] = true
					part = append(part, j)
				}
			}
		}
		all = append(all, part)
	}
	return all
}
