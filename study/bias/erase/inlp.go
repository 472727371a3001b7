package erase

import (
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

// INLP is iterative null-space projection (Ravfogel et al., ACL 2020): fit a
// linear classifier of the concept, remove the directions that it uses, and
// again, until it does no better on rows held out than the commonest class.
//
// Each classifier holds other rows out, so that all rows have a say. Rows held
// out have then mostly been fitted to before, by which accuracy falls too low;
// so fitting ends when several classifiers in a row were no better than the
// commonest class. What such idle classifiers look at is removed as well, since
// in wide vectors a little of the concept is in it. The zero value uses the
// defaults.
type INLP struct {
	Iterations int // classifiers at most; 0 means 35
	// Patience is how many classifiers in a row that are no better than the
	// commonest class end it. 0 means 10, and that after the last one that was
	// clearly better no more than a tenth of the directions, and one, are removed:
	// in narrow vectors ten further classifiers would remove all there is, though
	// they say nothing of the concept.
	Patience int
	Held     float64       // share of the rows held out, below 1; 0 means 0.3
	Probe    measure.Probe // the classifier, whose hidden layers are left out
	Seed     uint64        // of which rows are held out, and of the classifiers
	// Progress is called after each classifier, unless it is nil.
	Progress func(done Iteration)
}

// Iteration is what one classifier of INLP found.
type Iteration struct {
	Accuracy float64 `json:"accuracy"` // on the rows held out
	Majority float64 `json:"majority"` // share of the commonest class there
	Removed  int     `json:"removed"`  // directions so far, with those of this classifier
	// Weights are what the classifier looked at; see [measure.Attacker.Coefficients].
	Weights [][]float64 `json:"-"`
}

// clear reports whether the classifier was better than the commonest class by more
// than chance makes it in one case of a hundred, on that many rows.
func (it Iteration) clear(rows int) bool {
	return it.Accuracy-it.Majority > 2.33*math.Sqrt(it.Majority*(1-it.Majority)/float64(rows))
}

// Validate reports parameters out of range.
func (h INLP) Validate() error {
	if h.Iterations < 0 || h.Patience < 0 || !(h.Held >= 0 && h.Held < 1) {
		return fmt.Errorf("erase: iterations are %d, patience %d and the share held out %v, must not be negative, and the share below 1",
			h.Iterations, h.Patience, h.Held)
	}
	return h.Probe.Validate()
}

func (h INLP) withDefaults() INLP {
	if h.Iterations == 0 {
		h.Iterations = 35
	}
	if h.Held == 0 {
		h.Held = 0.3
	}
	h.Probe.Hidden = []int{}
	return h
}

// patience returns after how many idle classifiers to end, and how many directions
// these may remove.
func (h INLP) patience(width int) (classifiers, directions int) {
	if h.Patience == 0 {
		return 10, width/10 + 1
	}
	return h.Patience, width
}

// Fit returns the eraser and what each classifier found. Rows with a negative
// class do not count. Errors are those of Validate and of [measure.Probe.Fit], and
// ErrNothingLeft.
func (h INLP) Fit(ctx context.Context, p *nn.Pool, data measure.Labelled, classes int) (*Eraser, []Iteration, error) {
	if err := h.Validate(); err != nil {
		return nil, nil, err
	}
	h = h.withDefaults()
	left := known(data)
	held := int(h.Held * float64(len(left.Z)))
	if held < 1 {
		return nil, nil, fmt.Errorf("erase: %d rows have a known class, must be enough to hold a share of %v out", len(left.Z), h.Held)
	}
	// The second word keeps this stream apart from others of the same seed.
	rng := weakrand.New(weakrand.NewPCG(h.Seed, 0x696e6c70))
	remover := newRemover(left.X)
	var basis [][]float64
	var found []Iteration
	patience, spare := h.patience(left.X.Cols)
	useful := 0 // directions up to the last classifier that was clearly better
	for idle := 0; len(found) < h.Iterations && idle < patience && len(basis) < left.X.Cols; {
		rows := rng.Perm(len(left.Z))
		fit, score := left.Gather(rows[held:]), left.Gather(rows[:held])
		h.Probe.Seed = rng.Uint64()
		a, err := h.Probe.Fit(ctx, p, fit.X, fit.Z, classes)
		if err != nil {
			return nil, nil, fmt.Errorf("erase: classifier %d: %w", len(found)+1, err)
		}
		it := Iteration{Accuracy: measure.Accuracy(score.Z, a.Predict(p, score.X)), Majority: measure.Majority(score.Z), Weights: a.Coefficients()}
		longer := basis
		for _, w := range it.Weights {
			longer = extend(longer, w)
		}
		if idle++; it.Accuracy > it.Majority {
			idle = 0
		}
		if it.clear(held) {
			useful = len(longer)
		}
		enough := len(longer)-useful > spare
		if !enough {
			remover.remove(p, longer[len(basis):])
			basis = longer
		}
		it.Removed = len(basis)
		found = append(found, it)
		if h.Progress != nil {
			h.Progress(it)
		}
		if enough {
			break
		}
	}
	e, err := newEraser(Eraser{method: MethodINLP, dim: data.X.Cols, mean: make([]float64, data.X.Cols), away: basis, by: basis})
	return e, found, err
}

// known returns a copy of the rows whose class is known.
func known(data measure.Labelled) measure.Labelled {
	var rows []int
	for i, z := range data.Z {
		if z >= 0 {
			rows = append(rows, i)
		}
	}
	return data.Gather(rows)
}

// remover removes directions from rows, again and again. It remembers how large
// the rows were, to sweep away what float32 leaves of what is gone.
type remover struct {
	x    nn.Matrix
	dust []float64
}

func newRemover(x nn.Matrix) *remover {
	r := &remover{x, make([]float64, x.Rows)}
	for i := range r.dust {
		for _, v := range x.Row(i) {
			r.dust[i] = max(r.dust[i], 1e-6*math.Abs(float64(v)))
		}
	}
	return r
}

// remove removes from each row what lies along orthonormal directions.
func (r *remover) remove(p *nn.Pool, basis [][]float64) {
	wide := make([][]float64, p.Workers())
	p.Each(r.x.Rows, func(worker, i int) {
		if wide[worker] == nil {
			wide[worker] = make([]float64, r.x.Cols)
		}
		row := wide[worker]
		for j, v := range r.x.Row(i) {
			row[j] = float64(v)
		}
		for _, b := range basis {
			floats.AddScaled(row, -floats.Dot(b, row), b)
		}
		for j, v := range row {
			if math.Abs(v) <= r.dust[i] {
				v = 0
			}
			r.x.Row(i)[j] = float32(v)
		}
	})
}
