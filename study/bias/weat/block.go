package weat

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// block is the graphical lasso of coordinates that are linked.
type block struct {
	n           int
	alpha       float64
	s           []float64 // n×n, row by row
	w           []float64 // estimate of the covariance
	beta        []float64 // row j: the lasso coefficients of column j, 0 at j
	inner       []float64 // W·β of the column at hand
	all, active []int     // coordinates but the column at hand, and those of them with a β
}

func newBlock(s *mat.SymDense, members []int, alpha float64) *block {
	n := len(members)
	b := &block{n: n, alpha: alpha, s: make([]float64, n*n), beta: make([]float64, n*n), inner: make([]float64, n)}
	for i, m := range members {
		for j, o := range members {
			b.s[i*n+j] = s.At(m, o)
		}
	}
	// Shrinking what is off the diagonal makes a singular S positive definite.
	b.w = make([]float64, n*n)
	for i, v := range b.s {
		b.w[i] = 0.95 * v
		if i/n == i%n {
			b.w[i] = v
		}
	}
	return b
}

// start takes the coefficients of an earlier solution, nil for none.
func (b *block) start(from *sparse, members []int) {
	if from == nil {
		return
	}
	for j, m := range members {
		scale := -1 / from.precision.At(m, m)
		for i, o := range members {
			if i != j {
				b.beta[j*b.n+i] = scale * from.precision.At(m, o)
			}
		}
	}
}

// solve sweeps over the columns until one changes nothing any more and the
// duality gap is small. The gap alone can be small too early, as Θ is the
// inverse of W at the end only. A column can take a second, so that each asks
// whether to go on.
func (b *block) solve(ctx context.Context, tolerance float64) error {
	largest := 0.0
	for j := range b.n {
		largest = max(largest, b.s[j*b.n+j])
	}
	change, gap := 0.0, 0.0
	for range maxSweeps {
		change = 0
		for j := range b.n {
			if err := ctx.Err(); err != nil {
				return err
			}
			change = max(change, b.column(j, tolerance))
		}
		if !(change <= tolerance*largest) { // NaN goes on
			continue
		}
		if gap = b.gap(); math.Abs(gap) <= gapTolerance*float64(b.n) {
			return nil
		}
	}
	return fmt.Errorf("%w: after %d sweeps over %d coordinates the covariance still changes by %.2g", ErrSlow, maxSweeps, b.n, change)
}

// column solves the lasso of one column by coordinate descent,
//
//	min ½βᵀW₁₁β − s₁₂ᵀβ + α‖β‖₁
//
// and puts W₁₁β in its place. It returns the largest change of an element.
func (b *block) column(j int, tolerance float64) float64 {
	n := b.n
	beta := b.beta[j*n : (j+1)*n]
	clear(b.inner)
	b.all = b.all[:0]
	for k, v := range beta {
		if v != 0 {
			floats.AddScaled(b.inner, v, b.w[k*n:(k+1)*n])
		}
		if k != j {
			b.all = append(b.all, k)
		}
	}
	// Passes over all coordinates alternate with passes over those that are not
	// 0, which are few, until the former change nothing.
	for range maxPasses {
		change := b.pass(j, beta, b.all)
		b.active = b.active[:0]
		for _, k := range b.all {
			if beta[k] != 0 {
				b.active = append(b.active, k)
			}
		}
		if change <= tolerance {
			break
		}
		for range maxPasses {
			if b.pass(j, beta, b.active) <= tolerance {
				break
			}
		}
	}
	moved := 0.0
	for k, v := range b.inner {
		if k != j {
			moved = max(moved, math.Abs(v-b.w[j*n+k]))
			b.w[j*n+k], b.w[k*n+j] = v, v
		}
	}
	return moved
}

// pass moves each of some coefficients to its best place and returns the
// largest change beside the largest coefficient.
func (b *block) pass(j int, beta []float64, some []int) float64 {
	n, s := b.n, b.s[j*b.n:(j+1)*b.n]
	largest, change := 0.0, 0.0
	for _, k := range some {
		old, diagonal := beta[k], b.w[k*n+k]
		fresh := soft(s[k]-b.inner[k]+diagonal*old, b.alpha) / diagonal
		if d := fresh - old; d != 0 {
			beta[k] = fresh
			floats.AddScaled(b.inner, d, b.w[k*n:(k+1)*n])
			change = max(change, math.Abs(d))
		}
		largest = max(largest, math.Abs(fresh))
	}
	if largest == 0 {
		return 0
	}
	return change / largest
}

// diagonal returns Θⱼⱼ.
func (b *block) diagonal(j int) float64 {
	v := b.w[j*b.n+j]
	for k, c := range b.beta[j*b.n : (j+1)*b.n] {
		if k != j {
			v -= c * b.w[j*b.n+k]
		}
	}
	return 1 / v
}

// diagonals returns the diagonal of Θ.
func (b *block) diagonals() []float64 {
	all := make([]float64, b.n)
	for j := range all {
		all[j] = b.diagonal(j)
	}
	return all
}

// theta returns an element off the diagonal of Θ, the mean of what the two
// columns say; one that either says is 0 is 0.
func (b *block) theta(i, j int, diagonal []float64) float64 {
	x, y := b.beta[i*b.n+j], b.beta[j*b.n+i]
	if x == 0 || y == 0 {
		return 0
	}
	return -(x*diagonal[i] + y*diagonal[j]) / 2
}

// gap returns tr SΘ − n + α Σ|Θᵢⱼ|, which is 0 at the solution.
func (b *block) gap() float64 {
	sum := -float64(b.n)
	for j := range b.n {
		d := b.diagonal(j)
		for k, c := range b.beta[j*b.n : (j+1)*b.n] {
			if k == j {
				sum += b.s[j*b.n+j] * d
			} else if c != 0 {
				sum += -c*d*b.s[j*b.n+k] + b.alpha*math.Abs(c*d)
			}
		}
	}
	return sum
}

// soft moves v towards 0 by at most t.
func soft(v, t float64) float64 {
	switch {
	case v > t:
		return v - t
	case v < -t:
		return v + t
	}
	return 0
}
