package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sotto/compute/nn"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/promise/noise"
)

// Normaliser returns the layer whose result a mechanism leaves as it is but for
// the noise. Where the noise is added, gradients through the two are exact; a
// direction near the input's (privunit, codebook) and a rounded bit are right in
// expectation, up to a constant factor, and gradients pass straight through.
func Normaliser(p mech.Params) (nn.Layer, error) {
	switch mech.VariantOf(p).Normalisation {
	case mech.NormaliseL1:
		return &nn.L1Normalize{}, nil
	case mech.NormaliseL2:
		return &nn.L2Normalize{}, nil
	case mech.NormaliseMinMax:
		return &nn.MinMaxNormalize{}, nil
	case mech.NormaliseRange:
		return &squash{limit: mech.Range}, nil
	}
	return nil, fmt.Errorf("model: mechanism between encoder and classifier is %q, must be one of %s in a variant that keeps the number of coordinates", p.Mechanism, strings.Join(mech.Names(mech.Variant.Within), ", "))
}

// squash keeps numbers within ±limit, smoothly: y = limit·tanh(x/limit).
type squash struct {
	limit float64
	y     nn.Matrix
}

// Forward implements [nn.Layer].
func (s *squash) Forward(_ *nn.Pool, _ nn.Mode, x nn.Matrix) nn.Matrix {
	s.y = s.y.Reshape(x.Rows, x.Cols)
	for i, v := range x.Data {
		s.y.Data[i] = float32(s.limit * math.Tanh(float64(v)/s.limit))
	}
	return s.y
}

// Backward implements [nn.Layer].
func (s *squash) Backward(_ *nn.Pool, grad nn.Matrix) nn.Matrix {
	for i, y := range s.y.Data {
		t := float64(y) / s.limit
		grad.Data[i] *= float32(1 - float64(t*t))
	}
	return grad
}

// Params implements [nn.Layer].
func (s *squash) Params() []nn.Param { return nil }

// Scaling says what is done to a vector before its mechanism, from the vector
// alone, so that no other text has a part in it.
type Scaling string

// ZScore makes the mean of a vector's numbers 0 and their deviation 1; a
// vector of equal numbers becomes zero. "" leaves the vector to the mechanism.
const ZScore Scaling = "zscore"

func (s Scaling) apply(x []float64) {
	if s != ZScore {
		return
	}
	if slices.Min(x) == slices.Max(x) { // the rounding of a mean would be all that is left
		clear(x)
		return
	}
	mean, square := 0.0, 0.0
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for i, v := range x {
		x[i] = v - mean
		square += float64(x[i] * x[i])
	}
	deviation := math.Sqrt(square / float64(len(x)))
	for i := range x {
		x[i] /= deviation
	}
}

// Standardise computes (x − shift)·scale in place; nil leaves x as it is.
func Standardise(x, shift, scale []float32) {
	for j := range shift {
		x[j] = (x[j] - shift[j]) * scale[j]
	}
}

// Moments returns what [Standardise] takes: the mean of each column over the given
// rows, and 1 over its deviation, or 0 for a column that is constant.
func Moments(x nn.Matrix, rows []int) (shift, scale []float32) {
	mean, square := make([]float64, x.Cols), make([]float64, x.Cols)
	for _, row := range rows {
		for j, v := range x.Row(row) {
			mean[j] += float64(v)
		}
	}
	for j := range mean {
		mean[j] /= float64(len(rows))
	}
	for _, row := range rows {
		for j, v := range x.Row(row) {
			d := float64(v) - mean[j]
			square[j] += float64(d * d)
		}
	}
	shift, scale = make([]float32, x.Cols), make([]float32, x.Cols)
	for j := range mean {
		shift[j] = float32(mean[j])
		if s := math.Sqrt(square[j] / float64(len(rows))); s > 1e-6*math.Abs(mean[j]) && s > 1e-30 {
			scale[j] = float32(1 / s)
		}
	}
	return shift, scale
}

// releaseBlock is the number of rows whose noise comes from one stream. A
// change of it changes simulated results.
const releaseBlock = 64

// Releaser sends rows through a mechanism.
type Releaser struct {
	Scaling   Scaling
	Mechanism dp.Vector
	Key       []byte // of the noise
	Context   string // tells apart the uses of one key
	first     int    // number of the first row, a multiple of releaseBlock
}

// To releases the rows of x into those of y.
func (r Releaser) To(p *nn.Pool, x, y nn.Matrix) error {
	return r.Each(p, x, func(row int, released []float64) {
		for j, v := range released {
			y.Row(row)[j] = float32(v)
		}
	})
}

// Each releases the rows of x, block by block on the workers of p, and passes
// them to take. The noise of a row depends on the key, the context and its
// number alone, so it is the same for every number of workers. It returns the
// error of the first row that the mechanism refuses.
func (r Releaser) Each(p *nn.Pool, x nn.Matrix, take func(row int, y []float64)) error {
	in, out := r.Mechanism.Shape()
	errs := make([]error, (x.Rows+releaseBlock-1)/releaseBlock)
	p.Each(len(errs), func(_, block int) {
		from, to := make([]float64, in), make([]float64, out)
		source := noise.Derive(r.Key, "train", r.Context, strconv.Itoa(r.first/releaseBlock+block))
		for row := block * releaseBlock; row < min(x.Rows, (block+1)*releaseBlock); row++ {
			for j, v := range x.Row(row) {
				from[j] = float64(v)
			}
			r.Scaling.apply(from)
			if err := r.Mechanism.PrivatizeTo(to, from, source); err != nil {
				errs[block] = fmt.Errorf("model: row %d: %w", r.first+row, err)
				return
			}
			take(row, to)
		}
	})
	return cmp.Or(errs...)
}
