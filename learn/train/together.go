package train

import (
	"fmt"
	"slices"

	"sotto/compute/nn"
)

// Together is the network of a method in training with the encoder that makes its
// rows: what stands between both is what stands there in use, noise and its
// normalisation, and what adversaries learn is reversed for the encoder too. It has
// the methods of a head of package text/encode/bert/tune.
//
// Nothing of a guarantee depends on it: the mechanism stands behind whatever was
// trained.
type Together struct {
	l       *learner
	columns int // of a row that the encoder makes; the others are numbers
	about   string
}

// together returns a plan's network as it begins.
func (q plan) together(d Data, columns int, seed uint64) (*Together, error) {
	if columns < 1 || columns > d.X.Cols {
		return nil, fmt.Errorf("train: an encoder makes %d columns, must make from 1 to %d", columns, d.X.Cols)
	}
	d.Head, d.Start = nil, nil
	l, err := q.build(d, Options{Seed: seed})
	if err != nil {
		return nil, err
	}
	l.encoder.Dense()[0].NoInputGrad = false
	t := &Together{l: l, columns: columns}
	t.about, err = l.identity()
	return t, err
}

// Params returns everything that learns.
func (t *Together) Params() []nn.Param { return t.l.params() }

// Passes returns the counters of dropout and noise.
func (t *Together) Passes() []*uint64 { return t.l.passes() }

// About is a digest of what decides how the network learns.
func (t *Together) About() string { return t.about }

// Advance says which share of the training is done: the weight of adversaries grows
// with it.
func (t *Together) Advance(done float64) error { return t.l.advance(done * float64(t.l.Epochs)) }

// KeepLast reports that the last epoch is the one to keep.
func (t *Together) KeepLast() bool { return t.l.Keep == Last }

// Learn returns the mean loss of the classifier over rows of which the encoder has made
// x, and the gradient with respect to x of what the encoder is to learn: the
// classifier's loss less that of the adversaries by their weight. It sets the
// gradients of Params.
func (t *Together) Learn(p *nn.Pool, rows []int, x nn.Matrix) (float64, nn.Matrix, error) {
	t.load(p, rows, x)
	loss, grad, err := t.l.learn()
	if err != nil {
		return 0, nn.Matrix{}, err
	}
	return loss, grad.Columns(0, t.columns), nil
}

// Scores returns what the classifier says of the classes of each label, with fresh
// noise where there is any.
func (t *Together) Scores(p *nn.Pool, rows []int, x nn.Matrix) (nn.Matrix, error) {
	t.load(p, rows, x)
	if t.l.noise != nil {
		t.l.noise.Use(t.l.release) // what counts is how it does with all of its noise
	}
	return t.l.scores()
}

// load makes the batch of rows, with what the encoder made in its place.
func (t *Together) load(p *nn.Pool, rows []int, x nn.Matrix) {
	t.l.pool = p
	t.l.load(rows)
	for i := range rows {
		copy(t.l.batch.Row(i)[:t.columns], x.Row(i))
	}
}

// Start is where a network begins that was trained before, together with an encoder.
type Start struct {
	Tensors map[string]nn.Matrix `json:"tensors"` // by the names of [Together.Params]
	// Scale is what the encoder's columns were multiplied by on their way to the
	// network.
	Scale []float32 `json:"scale"`
}

// start sets the weights of a network to those that it begins with, if any.
func (l *learner) start(from *Start) error {
	if from == nil {
		return nil
	}
	for _, q := range l.params() {
		x, ok := from.Tensors[q.Name]
		if !ok || x.Rows != q.Value.Rows || x.Cols != q.Value.Cols {
			return fmt.Errorf("train: the network begins with %q of %d×%d numbers, must begin with %d×%d", q.Name, x.Rows, x.Cols, q.Value.Rows, q.Value.Cols)
		}
		copy(q.Value.Data, x.Data)
	}
	f, ok := l.rows.(floats)
	if !ok || len(from.Scale) > f.x.Cols {
		return fmt.Errorf("train: the network begins with %d columns of an encoder, must be of %d", len(from.Scale), l.rows.width())
	}
	shift, scale := f.shift, f.scale
	if shift == nil {
		shift, scale = make([]float32, f.x.Cols), slices.Repeat([]float32{1}, f.x.Cols)
	}
	// It took x·by, and is to take (x − shift)·scale from here on:
	// x·by·W = ((x − shift)·scale)·(by/scale·W) + shift·by·W.
	first := l.encoder.Dense()[0].Params()
	weight, bias := first[0].Value, first[1].Value.Data
	for j, by := range from.Scale {
		into := by
		if scale[j] != 0 {
			into /= scale[j]
		}
		for c, w := range weight.Row(j) {
			bias[c] += float32(shift[j] * float32(by*w))
			weight.Row(j)[c] = float32(w * into)
		}
	}
	return nil
}
