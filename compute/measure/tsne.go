package measure

import (
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
)

// This part of the package lays vectors out in the plane for people to see: by their two
// directions of largest variance ([PCA]), or so that near ones stay near
// ([TSNE]).
//
// It is for pictures, not for measuring: distances between far clusters, their
// sizes and their shapes mean nothing in a layout by t-SNE. Nor does it
// protect anything: a spot is computed from the vectors of all rows, and is as
// private as they are. The smallest use is
//
//	spots, err := TSNE(ctx, nn.NewPool(2), x, PlaneOptions{Seed: 1})

// MaxPlaneRows is how many rows [TSNE] takes, whose time grows with their square.
const MaxPlaneRows = 2000

// PlaneOptions say how [TSNE] lays vectors out. The zero value uses the defaults.
type PlaneOptions struct {
	// Perplexity is about how many neighbours each row tries to keep: at least 1
	// and at most the number of other rows. 0 means 30, or a third of the other
	// rows if that is less.
	Perplexity float64
	Steps      int    // of the descent; 0 means 500
	Seed       uint64 // of the small shifts that part equal rows
}

func (o PlaneOptions) filled(rows int) (PlaneOptions, error) {
	others := float64(rows - 1)
	if o.Perplexity == 0 {
		o.Perplexity = max(1, min(30, others/3))
	} else if !(o.Perplexity >= 1 && o.Perplexity <= others) {
		return o, fmt.Errorf("plane: perplexity is %v, must be at least 1 and at most %v, the number of other rows", o.Perplexity, others)
	}
	if o.Steps == 0 {
		o.Steps = 500
	}
	if o.Steps < 0 {
		return o, fmt.Errorf("plane: steps is %d, must be at least 1", o.Steps)
	}
	return o, nil
}

// TSNE lays the rows of x out so that rows near each other stay near: exact
// t-SNE (van der Maaten and Hinton, JMLR 2008), which descends to a small
// Kullback–Leibler divergence between the probabilities of being neighbours
// before and after. It starts from [PCA], made small (Kobak and Berens, Nature
// Communications 2019). The descent has momentum, and a gain for each
// coordinate; in its first quarter the probabilities are exaggerated
// 12 times.
//
// The result has the same bits for every number of workers. 400 rows take about
// half a second on one core, and the time grows with the square of the rows. It
// is an error if there are more than [MaxRows], and what is an error of PCA;
// when ctx is done TSNE ends with its error.
func TSNE(ctx context.Context, pool *nn.Pool, x nn.Matrix, o PlaneOptions) ([][2]float32, error) {
	if x.Rows > MaxPlaneRows {
		return nil, fmt.Errorf("plane: x has %d rows, must have at most %d", x.Rows, MaxPlaneRows)
	}
	if err := check(x); err != nil {
		return nil, err
	}
	o, err := o.filled(x.Rows)
	if err != nil {
		return nil, err
	}
	if x.Rows == 1 {
		return make([][2]float32, 1), nil // it has no neighbours to keep
	}
	y, err := start(x, o.Seed)
	if err != nil {
		return nil, err
	}
	d := newDescent(pool, affinities(pool, x, o.Perplexity), y)
	for step := range o.Steps {
		if err = ctx.Err(); err != nil {
			return nil, err
		}
		d.step(4*step < o.Steps)
	}
	spots := make([][2]float32, len(y))
	for i, v := range d.y {
		spots[i] = [2]float32{float32(v[0]), float32(v[1])}
	}
	return spots, nil
}

// start returns the layout by PCA, scaled so that the first axis has the
// standard deviation 10⁻⁴, with shifts of 10⁻⁶ that part equal rows.
func start(x nn.Matrix, seed uint64) ([][2]float64, error) {
	axes, _, err := principal(x)
	if err != nil {
		return nil, err
	}
	var squares float64
	for _, v := range axes[0] {
		squares += v * v
	}
	scale := 0.0
	if squares > 0 {
		scale = 1e-4 / math.Sqrt(squares/float64(x.Rows))
	}
	rng := weakrand.New(weakrand.NewPCG(seed, 0))
	y := make([][2]float64, x.Rows)
	for i := range y {
		for k := range axes {
			y[i][k] = scale*axes[k][i] + 1e-6*rng.NormFloat64()
		}
	}
	return y, nil
}

// What the descent depends on: van der Maaten and Hinton's momenta and gains.
const (
	exaggeration   = 12
	momentumEarly  = 0.5
	momentumLate   = 0.8
	gainUp         = 0.2
	gainDown       = 0.8
	gainLeast      = 0.01
	rowsInOnePiece = 16 // of work for a worker
)

// descent is a layout on its way.
type descent struct {
	pool                      *nn.Pool
	p                         square
	y, speed, gains, gradient [][2]float64
	forces                    []force
}

func newDescent(pool *nn.Pool, p square, y [][2]float64) *descent {
	d := &descent{pool: pool, p: p, y: y, forces: make([]force, p.n)}
	for _, v := range []*[][2]float64{&d.speed, &d.gains, &d.gradient} {
		*v = make([][2]float64, p.n)
	}
	for i := range d.gains {
		d.gains[i] = [2]float64{1, 1}
	}
	return d
}

// slope sets the gradient of the divergence KL(P‖Q) with respect to y,
//
//	4·Σ_j (f·p_ij − q_ij)·w_ij·(y_i − y_j),  w_ij = 1/(1 + ‖y_i − y_j‖²),  q_ij = w_ij/Σ w,
//
// with P exaggerated by the factor f. Sums are made row by row, in the same
// order for every number of workers.
func (d *descent) slope(factor float64) {
	n := d.p.n
	d.pool.Each((n+rowsInOnePiece-1)/rowsInOnePiece, func(_, piece int) {
		for i := piece * rowsInOnePiece; i < min((piece+1)*rowsInOnePiece, n); i++ {
			var f force
			f.add(d.y[i], d.y[:i], d.p.row(i)[:i])
			f.add(d.y[i], d.y[i+1:], d.p.row(i)[i+1:])
			d.forces[i] = f
		}
	})
	var sum float64
	for _, f := range d.forces {
		sum += f.weight
	}
	for i, f := range d.forces {
		for k := range 2 {
			d.gradient[i][k] = 4 * (factor*f.pull[k] - f.repel[k]/sum)
		}
	}
}

// force is what one pass over the pairs of a row i can sum before Σ w is known.
type force struct {
	pull   [2]float64 // Σ_j p_ij·w_ij·(y_i − y_j)
	repel  [2]float64 // Σ_j w_ij²·(y_i − y_j)
	weight float64    // Σ_j w_ij
}

// add adds the forces on a spot of others, for which its row has the
// probabilities p.
func (f *force) add(spot [2]float64, others [][2]float64, p []float64) {
	var pullX, pullY, repelX, repelY, weight float64
	p = p[:len(others)]
	for j, other := range others {
		dx, dy := spot[0]-other[0], spot[1]-other[1]
		w := 1 / (1 + dx*dx + dy*dy)
		weight += w
		pull, repel := p[j]*w, w*w
		pullX += pull * dx
		pullY += pull * dy
		repelX += repel * dx
		repelY += repel * dy
	}
	f.pull[0] += pullX
	f.pull[1] += pullY
	f.repel[0] += repelX
	f.repel[1] += repelY
	f.weight += weight
}

// step moves every spot once, and the mean back to the origin.
func (d *descent) step(early bool) {
	factor, momentum := 1.0, momentumLate
	if early {
		factor, momentum = exaggeration, momentumEarly
	}
	d.slope(factor)
	// The probabilities of a row sum to about 1/n, so the attraction to its
	// neighbours is a spring of stiffness about 4·factor/n. This step goes as far
	// as the spring's rest (Belkina et al., Nature Communications 2019).
	rate := float64(d.p.n) / (4 * factor)
	var mean [2]float64
	for i := range d.y {
		for k := range 2 {
			// Go faster while the direction stays (Jacobs 1988).
			if gain := &d.gains[i][k]; (d.gradient[i][k] > 0) == (d.speed[i][k] > 0) {
				*gain = max(*gain*gainDown, gainLeast)
			} else {
				*gain += gainUp
			}
			d.speed[i][k] = momentum*d.speed[i][k] - rate*d.gains[i][k]*d.gradient[i][k]
			d.y[i][k] += d.speed[i][k]
			mean[k] += d.y[i][k] / float64(d.p.n)
		}
	}
	for i := range d.y {
		d.y[i][0] -= mean[0]
		d.y[i][1] -= mean[1]
	}
}
