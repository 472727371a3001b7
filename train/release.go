package train

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"sotto/dp"
	"sotto/mech"
	"sotto/nn"
	"sotto/noise"
)

// normaliser returns the layer whose result a mechanism leaves as it is but for
// the noise. Where the noise is added, gradients through the two are exact; a
// direction near the input's (privunit, codebook) and a rounded bit are right in
// expectation, up to a constant factor, and gradients pass straight through.
func normaliser(p mech.Params) (nn.Layer, error) {
	switch {
	case p.Mechanism == "laplace-l1" && p.Variant == mech.Released,
		p.Mechanism == "laplace-l2", p.Mechanism == "gaussian", p.Mechanism == "privunit", p.Mechanism == "codebook":
		return &nn.L2Normalize{}, nil
	case p.Mechanism == "bitrr" && p.Variant == mech.OneBit:
		return &squash{limit: bitLimit}, nil
	case p.Mechanism == "laplace-l1":
		return &nn.L1Normalize{}, nil
	case p.Mechanism == "dpnr":
		return &nn.MinMaxNormalize{}, nil
	}
	return nil, fmt.Errorf("train: mechanism between encoder and classifier is %q, must be laplace-l1, dpnr, laplace-l2, gaussian, privunit, codebook or bitrr onebit, which keep the number of coordinates", p.Mechanism)
}

// bitLimit is where the mechanism of rounded bits clips.
const bitLimit = 4

// squash keeps numbers within ±limit, smoothly: y = limit·tanh(x/limit).
type squash struct {
	limit float64
	y     nn.Matrix
}

// Forward implements [nn.Layer].
func (s *squash) Forward(_ *nn.Pool, _ nn.Mode, x nn.Matrix) nn.Matrix {
	if cap(s.y.Data) < len(x.Data) {
		s.y.Data = make([]float32, len(x.Data))
	}
	s.y = nn.Matrix{Rows: x.Rows, Cols: x.Cols, Data: s.y.Data[:len(x.Data)]}
	for i, v := range x.Data {
		s.y.Data[i] = float32(s.limit * math.Tanh(float64(v)/s.limit))
	}
	return s.y
}

// Backward implements [nn.Layer].
func (s *squash) Backward(_ *nn.Pool, grad nn.Matrix) nn.Matrix {
	for i, y := range s.y.Data {
		t := float64(y) / s.limit
		grad.Data[i] *= float32(1 - t*t)
	}
	return grad
}

// Params implements [nn.Layer].
func (s *squash) Params() []nn.Param { return nil }

// additive makes the mechanism that p describes for a representation of the
// given width. It releases as many numbers as it takes.
func additive(p mech.Params, width int) (mech.Mechanism, error) {
	if p.Dim != 0 && p.Dim != width {
		return nil, fmt.Errorf("train: dim of the mechanism is %d, must be that of the representation, %d", p.Dim, width)
	}
	p.Dim = width
	m, err := mech.New(p)
	if err != nil {
		return nil, err
	}
	_, err = normaliser(m.Params())
	return m, err
}

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
		square += x[i] * x[i]
	}
	deviation := math.Sqrt(square / float64(len(x)))
	for i := range x {
		x[i] /= deviation
	}
}

// releaseBlock is the number of rows whose noise comes from one stream. A
// change of it changes simulated results.
const releaseBlock = 64

// releaser sends rows through a mechanism.
type releaser struct {
	scaling   Scaling
	mechanism dp.Vector
	key       []byte // of the noise
	context   string // tells apart the uses of one key
	first     int    // number of the first row, a multiple of releaseBlock
}

// each releases the n rows that fill gives, block by block on the workers of
// p, and passes them to take. The noise of a row depends on the key, the
// context and its number alone, so it is the same for every number of workers.
// It returns the error of the first row that the mechanism refuses.
func (r releaser) each(p *nn.Pool, n int, fill func(row int, x []float64), take func(row int, y []float64)) error {
	in, out := r.mechanism.Shape()
	blocks := (n + releaseBlock - 1) / releaseBlock
	errs := make([]error, blocks)
	var next atomic.Int64
	work := func() {
		x, y := make([]float64, in), make([]float64, out)
		for {
			block := int(next.Add(1)) - 1
			if block >= blocks {
				return
			}
			source := noise.Derive(r.key, "train", r.context, strconv.Itoa(r.first/releaseBlock+block))
			for row := block * releaseBlock; row < min(n, (block+1)*releaseBlock); row++ {
				fill(row, x)
				r.scaling.apply(x)
				if err := r.mechanism.PrivatizeTo(y, x, source); err != nil {
					errs[block] = fmt.Errorf("train: row %d: %w", r.first+row, err)
					return
				}
				take(row, y)
			}
		}
	}
	var others sync.WaitGroup
	for range p.Workers() - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
