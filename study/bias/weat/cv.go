package weat

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// CV says how [GraphicalLassoCV] looks for α. The zero value uses the defaults.
type CV struct {
	Folds       int // parts of which each is held out once; 0 means 3
	Grid        int // values of α tried at once; 0 means 4
	Refinements int // times that a finer grid is laid around the best; 0 means 4
}

func (c CV) filled(rows int) (CV, error) {
	for _, v := range []struct {
		name string
		at   *int
		or   int
	}{{"folds", &c.Folds, 3}, {"grid", &c.Grid, 4}, {"refinements", &c.Refinements, 4}} {
		if *v.at == 0 {
			*v.at = v.or
		}
		if *v.at < 1 {
			return c, fmt.Errorf("precision: %s is %d, must be at least 1", v.name, *v.at)
		}
	}
	if c.Folds < 2 || rows < 2*c.Folds {
		return c, fmt.Errorf("precision: there are %d rows for %d folds, must be at least 2 folds of 2 rows", rows, c.Folds)
	}
	return c, nil
}

// candidate is a value of α with its held-out likelihood.
type candidate struct{ alpha, score float64 }

func better(a, b candidate) int { return cmp.Compare(a.score, b.score) }

// GraphicalLassoCV is [GraphicalLasso] on the covariance of centred rows, with
// the α whose fits have the best likelihood on rows held out. The first grid
// goes down, in equal ratios, from the largest element off the diagonal to a
// hundredth of it; further ones lie between the neighbours of the best so far.
// Each is gone through from large to small as far as the likelihood does not
// fall. A value for which a fit does not converge is no candidate. Folds are
// runs of neighbouring rows.
func GraphicalLassoCV(ctx context.Context, rows [][]float64, c CV) (*sparse, error) {
	if err := checkRows(rows); err != nil {
		return nil, err
	}
	c, err := c.filled(len(rows))
	if err != nil {
		return nil, err
	}
	s := covariance(rows)
	largest := 0.0
	for i := range s.SymmetricDim() {
		for j := range i {
			largest = max(largest, math.Abs(s.At(i, j)))
		}
	}
	if largest == 0 { // nothing is to be made sparse
		return lasso(ctx, s, 1, nil, fine)
	}
	alpha, err := c.choose(ctx, rows, largest)
	if err != nil {
		return nil, err
	}
	return lasso(ctx, s, alpha, nil, fine)
}

// choose returns the best α.
func (c CV) choose(ctx context.Context, rows [][]float64, largest float64) (float64, error) {
	high, low := largest, largest/100
	grid := spaced(high, low, c.Grid)
	var tried []candidate
	for range c.Refinements {
		scores, err := c.score(ctx, rows, grid)
		if err != nil {
			return 0, err
		}
		for i, a := range grid {
			tried = append(tried, candidate{a, scores[i]})
		}
		slices.SortFunc(tried, func(a, b candidate) int { return cmp.Compare(b.alpha, a.alpha) })
		best := slices.Index(tried, slices.MaxFunc(tried, better))
		high, low = tried[max(best-1, 0)].alpha, tried[best].alpha/100
		if best+1 < len(tried) {
			low = tried[best+1].alpha
		}
		inside := spaced(high, low, c.Grid+2)
		grid = inside[1 : len(inside)-1]
	}
	best := slices.MaxFunc(tried, better)
	if math.IsInf(best.score, -1) {
		return 0, fmt.Errorf("precision: %w for any penalty that was tried", ErrSlow)
	}
	return best.alpha, nil
}

// spaced returns n numbers from high to low in equal ratios.
func spaced(high, low float64, n int) []float64 {
	all := make([]float64, n)
	for i := range all {
		share := 0.0
		if n > 1 {
			share = float64(i) / float64(n-1)
		}
		all[i] = high * math.Pow(low/high, share)
	}
	return all
}

// score returns the mean held-out likelihood of each α of a falling list, −∞
// for those behind the first that is worse than one before it: the smaller α,
// the longer a fit takes. Its error is that of the context.
func (c CV) score(ctx context.Context, rows [][]float64, alphas []float64) ([]float64, error) {
	type fold struct {
		fit, held *mat.SymDense
		last      *sparse
	}
	folds := make([]fold, c.Folds)
	for f := range folds {
		lo, hi := f*len(rows)/c.Folds, (f+1)*len(rows)/c.Folds
		folds[f].fit, folds[f].held = covariance(slices.Concat(rows[:lo], rows[hi:])), covariance(rows[lo:hi])
	}
	scores := slices.Repeat([]float64{math.Inf(-1)}, len(alphas))
	best := math.Inf(-1)
	for i, a := range alphas {
		mean := 0.0
		for f := range folds {
			r, err := lasso(ctx, folds[f].fit, a, folds[f].last, coarse)
			if stopped := ctx.Err(); stopped != nil {
				return nil, stopped
			}
			if err != nil {
				mean = math.Inf(-1)
				break
			}
			mean += r.logLikelihood(folds[f].held) / float64(c.Folds)
			folds[f].last = r
		}
		if scores[i] = mean; mean < best {
			break
		}
		best = mean
	}
	return scores, nil
}

// covariance returns XᵀX/n of centred rows.
func covariance(rows [][]float64) *mat.SymDense {
	s := mat.NewSymDense(len(rows[0]), nil)
	for _, r := range rows {
		s.SymRankOne(s, 1/float64(len(rows)), mat.NewVecDense(len(r), r))
	}
	return s
}
