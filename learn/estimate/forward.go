package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// This part of the package trains a classifier from releases alone: vectors that were released
// privately, with labels that were released privately too.
//
// A released label is often a lie. How often is public, so that the loss can ask for
// the class that was answered instead of the label that was released: the likelihood
// of a released label y is Σ P(y|c)·softmax(c), P being the channel of the labels
// (forward correction). Training on released labels as they are asks for the lies, too.
//
// It reads releases and no raw data, so that training spends nothing. The smallest use
// is
//
//	m, err := FitReleases(ctx, TrainingData{X: vectors, Y: labels, Classes: 6, Labels: krr}, TrainingOptions{})

// TrainingData is what was released of each person.
type TrainingData struct {
	X       nn.Matrix        // a released vector a row
	Y       [][]float64      // the released label of each row
	Classes int              // that labels may have
	Labels  mech.Mechanism   // by which labels were released; takes a label from 0
	ratio   dp.Distinguisher // Labels
	known   map[string][]float64
}

// TrainingOptions says how to train. The zero value uses the defaults.
type TrainingOptions struct {
	AsTheyAre bool    // take released labels for true ones, as a baseline
	Epochs    int     // passes over the rows; 0 means 30
	Rate      float64 // step size; 0 means 0.01
	Batch     int     // rows of a step; 0 means 128
	Seed      uint64  // of the order of rows
	Workers   int     // 0 means one; no result depends on it
}

func (o TrainingOptions) filled() TrainingOptions {
	if o.Epochs == 0 {
		o.Epochs = 30
	}
	if o.Rate == 0 {
		o.Rate = 0.01
	}
	if o.Batch == 0 {
		o.Batch = 128
	}
	o.Workers = max(o.Workers, 1)
	return o
}

// penalties are tried on rows held out, from none up.
var penalties = []float64{0, 0.001, 0.01, 0.1}

// held is of how many rows one is held out.
const held = 5

// forwardLeastRows is how many rows there must be for each class.
const forwardLeastRows = 10

// ReleasedModel is a linear classifier of released vectors.
type ReleasedModel struct {
	model.Linear
	Penalty float64 // that was best on rows held out
	Loss    float64 // on these, in nats a row; of released labels
	// Accuracy is the share of true labels of rows held out that are told rightly,
	// as far as released ones say: unbiased, with an interval that holds at every
	// number of rows for given weights.
	Accuracy TrainedAccuracy
}

// check refuses data that does not fit.
func (d *TrainingData) check() error {
	n := len(d.Y)
	switch {
	case d.X.Rows != n:
		return fmt.Errorf("forward: there are %d vectors and %d labels, must be as many", d.X.Rows, n)
	case d.Classes < 2:
		return fmt.Errorf("forward: there are %d classes, must be at least 2", d.Classes)
	case n < held*forwardLeastRows*d.Classes:
		return fmt.Errorf("forward: there are %d rows of %d classes, must be at least %d", n, d.Classes, held*forwardLeastRows*d.Classes)
	}
	if err := d.X.Finite(); err != nil {
		return err
	}
	ratio, ok := d.Labels.(dp.Distinguisher)
	if in, _ := d.Labels.Shape(); !ok || in != 1 {
		return errors.New("forward: labels were released by a mechanism that takes no label, must be one such as krr or subset")
	}
	d.ratio, d.known = ratio, map[string][]float64{}
	for i := range d.Y {
		if _, err := d.likelihood(i); err != nil {
			return fmt.Errorf("forward: label %d: %w", i+1, err)
		}
	}
	return nil
}

// likelihood returns how likely the released label of row i is for each class, up to
// a factor that is the same for all: 1 for the likeliest.
func (d *TrainingData) likelihood(i int) ([]float64, error) {
	key := fmt.Sprint(d.Y[i])
	if l, ok := d.known[key]; ok {
		return l, nil
	}
	l := make([]float64, d.Classes)
	most := math.Inf(-1)
	for c := range l {
		r, err := d.ratio.LogRatio(d.Y[i], []float64{float64(c)}, []float64{0})
		if err != nil {
			return nil, err
		}
		l[c] = r
		most = max(most, r)
	}
	for c := range l {
		l[c] = math.Exp(l[c] - most)
	}
	d.known[key] = l
	return l, nil
}

// FitReleases trains a classifier. A fifth of the rows is held out: on these the penalty of
// weights is chosen, by the likelihood of released labels, and the accuracy measured.
func FitReleases(ctx context.Context, d TrainingData, o TrainingOptions) (*ReleasedModel, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	o = o.filled()
	if !(o.Rate > 0) || o.Epochs < 1 || o.Batch < 1 {
		return nil, fmt.Errorf("forward: rate is %v, epochs %d and batch %d, must be positive", o.Rate, o.Epochs, o.Batch)
	}
	var fit, out []int
	for i := range d.Y {
		if i%held == held-1 {
			out = append(out, i)
		} else {
			fit = append(fit, i)
		}
	}
	x, scale := scaled(d.X)
	pool := nn.NewPool(o.Workers)
	var best *ReleasedModel
	for _, penalty := range penalties {
		layer, err := d.train(ctx, pool, x, fit, penalty, o)
		if err != nil {
			return nil, err
		}
		loss := d.loss(pool, layer, x.Gather(out), out, o)
		if best == nil || loss < best.Loss {
			best = &ReleasedModel{Penalty: penalty, Loss: loss, Linear: linear(layer, scale)}
		}
	}
	if !(best.Loss < math.MaxFloat64) {
		return nil, errors.New("forward: training did not converge, must have a smaller rate")
	}
	var err error
	best.Accuracy, err = d.accuracy(best, out)
	return best, err
}

// scaled divides columns by their root mean square, which releases tell, so that one
// penalty serves all.
func scaled(x nn.Matrix) (nn.Matrix, []float32) {
	y, scale := x.Clone(), make([]float32, x.Cols)
	for j := range scale {
		sum := 0.0
		for i := range x.Rows {
			v := float64(x.Row(i)[j])
			sum += float64(v * v)
		}
		scale[j] = 1
		if sum > 0 {
			scale[j] = float32(1 / math.Sqrt(sum/float64(x.Rows)))
		}
	}
	for i := range y.Rows {
		for j := range scale {
			y.Row(i)[j] *= scale[j]
		}
	}
	return y, scale
}

// linear returns the weights of a layer for vectors as they were released.
func linear(layer *nn.Dense, scale []float32) model.Linear {
	params := layer.Params()
	w := params[0].Value.Clone()
	for j := range w.Rows {
		for c := range w.Row(j) {
			w.Row(j)[c] *= scale[j]
		}
	}
	return model.Linear{Weight: w, Bias: append([]float32(nil), params[1].Value.Data...)}
}

// train fits a layer to some rows.
func (d *TrainingData) train(ctx context.Context, pool *nn.Pool, x nn.Matrix, rows []int, penalty float64, o TrainingOptions) (*nn.Dense, error) {
	rng := weakrand.New(weakrand.NewPCG(o.Seed, 0x666f7277617264))
	layer := nn.NewDense(x.Cols, d.Classes, rng)
	for _, p := range layer.Params() {
		clear(p.Value.Data) // all classes alike
	}
	layer.NoInputGrad = true
	step, err := nn.Adam{Rate: o.Rate, L2: penalty}.New(layer.Params())
	if err != nil {
		return nil, err
	}
	order := append([]int(nil), rows...)
	grad := nn.NewMatrix(o.Batch, d.Classes)
	for range o.Epochs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for at := 0; at < len(order); at += o.Batch {
			batch := order[at:min(at+o.Batch, len(order))]
			scores := layer.Forward(pool, nn.Train, x.Gather(batch))
			grad = grad.Reshape(len(batch), d.Classes)
			for i, row := range batch {
				d.descend(grad.Row(i), scores.Row(i), row, 1/float64(len(batch)), o)
			}
			layer.Backward(pool, grad)
			step.Step(pool)
		}
	}
	return layer, nil
}

// descend sets the gradient of a row's loss with respect to its scores, times a
// factor, and returns the loss, −ln Σ_c P(y|c)·softmax(scores)_c.
//
// With s the softmax and f the sum, the gradient of class c is s_c − s_c·P(y|c)/f: the
// softmax less what is known of the class once the released label is seen.
func (d *TrainingData) descend(grad, scores []float32, row int, factor float64, o TrainingOptions) float64 {
	likely, _ := d.likelihood(row) // check has seen it
	if o.AsTheyAre {
		likely = sure(likely)
	}
	nn.Softmax(grad, scores)
	f := 0.0
	for c, s := range grad {
		f += float64(float64(s) * likely[c])
	}
	f = max(f, 1e-30)
	for c, s := range grad {
		grad[c] = float32(float64(s) * (1 - likely[c]/f) * factor)
	}
	return -math.Log(f)
}

// sure takes the likeliest classes of a released label for the true one.
func sure(likely []float64) []float64 {
	only := make([]float64, len(likely))
	for c, v := range likely {
		if v == 1 {
			only[c] = 1
		}
	}
	return only
}

// loss returns the mean loss of some rows.
func (d *TrainingData) loss(pool *nn.Pool, layer *nn.Dense, x nn.Matrix, rows []int, o TrainingOptions) float64 {
	scores := layer.Forward(pool, nn.Infer, x)
	grad, sum := make([]float32, d.Classes), 0.0
	for i, row := range rows {
		sum += d.descend(grad, scores.Row(i), row, 1, o)
	}
	return sum / float64(len(rows))
}

// Predict returns the likeliest class of each released vector.
func (m *ReleasedModel) Predict(x nn.Matrix) []int {
	all := make([]int, x.Rows)
	scores := make([]float32, len(m.Bias))
	for i := range all {
		copy(scores, m.Bias)
		for j, v := range x.Row(i) {
			for c, w := range m.Weight.Row(j) {
				scores[c] += float32(v * w)
			}
		}
		all[i] = nn.Argmax(scores)
	}
	return all
}
