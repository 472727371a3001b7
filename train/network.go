package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/mech"
	"sotto/nn"
)

// plan says what a network is trained on and against. Every method that
// follows a gradient is a case of it.
type plan struct {
	Training                 // filled
	rows      table          // where batches come from
	widths    []int          // of the encoder's layers; nil if what is in rows goes to the classifier as it is
	release   mech.Mechanism // drawn anew at each pass between encoder and classifier; nil for none
	reversal  float64        // λ: weight of the adversaries for the encoder, when fully grown
	rivals    int            // how many adversaries
	apart     float64        // weight of the adversaries' orthogonality
	corrupt   float64        // dropout on the input of the classifier, where there is no encoder
	received  mech.Params    // what rows went through before training, if anything
	optimiser func([]nn.Param) (*nn.Optimizer, error)
}

// learner is a network in training.
type learner struct {
	plan
	data Data
	seed uint64
	pool *nn.Pool

	encoder    nn.Sequential // up to the representation
	bridge     nn.Sequential // normalisation and noise; empty without a mechanism
	noise      *nn.Noise     // the one in bridge, or nil
	classifier nn.Sequential
	opponents  []*adversary
	dropouts   []*nn.Dropout
	optimizer  *nn.Optimizer

	loss       nn.SoftmaxCrossEntropy
	orthogonal nn.Orthogonality
	batch      nn.Matrix
	y, z       []int

	state State // after the last whole epoch
}

// fit trains the network that a plan describes.
func (q plan) fit(ctx context.Context, d Data, o Options) (*learner, error) {
	if q.rivals > 0 && d.Z == nil {
		return nil, errors.New("train: data has no protected attribute, which an adversary needs")
	}
	l, err := q.build(d, o)
	if err != nil {
		return nil, err
	}
	if o.Resume != nil {
		if err := l.restore(o.Resume); err != nil {
			return nil, err
		}
	}
	for epoch := l.state.Epoch; epoch < q.Epochs; epoch++ {
		done, err := l.epoch(ctx, epoch)
		if err != nil {
			return l.unlessEmpty(), fmt.Errorf("train: epoch %d of %d: %w", epoch+1, q.Epochs, err)
		}
		l.close(done)
		if o.Save != nil {
			if err := o.Save(&l.state); err != nil {
				return l, err
			}
		}
		if o.Progress != nil {
			o.Progress(l.state.Last())
		}
	}
	return l, nil
}

// unlessEmpty returns l if there is an epoch to keep, else nil.
func (l *learner) unlessEmpty() *learner {
	if l.state.Epoch == 0 {
		return nil
	}
	return l
}

// build makes the layers.
func (q plan) build(d Data, o Options) (*learner, error) {
	b := newBuilder(o.Seed)
	l := &learner{plan: q, data: d, seed: o.Seed, pool: o.pool()}
	width := q.rows.width()
	if q.widths != nil {
		l.encoder = b.perceptron(width, q.widths, q.Dropout)
		dense(l.encoder)[0].NoInputGrad = true
		width = q.widths[len(q.widths)-1]
	} else {
		l.encoder = b.dropout(nil, q.corrupt)
	}
	if q.release != nil {
		if err := l.addBridge(b); err != nil {
			return nil, err
		}
	}
	l.classifier = b.perceptron(width, append(slices.Clone(q.Classifier), d.Classes), q.Dropout)
	dense(l.classifier)[0].NoInputGrad = q.widths == nil
	for range q.rivals {
		l.opponents = append(l.opponents, newAdversary(b, width, q.Adversary, d.Groups, q.Dropout))
	}
	if b.err != nil {
		return nil, b.err
	}
	l.dropouts = b.dropouts
	var err error
	l.optimizer, err = q.optimiser(l.params())
	if err != nil {
		return nil, err
	}
	if l.state.Training, err = l.identity(); err != nil {
		return nil, err
	}
	l.state.begin(l)
	return l, nil
}

// addBridge makes the layers between encoder and classifier.
func (l *learner) addBridge(b *builder) error {
	layer, err := normaliser(l.release.Params())
	if err != nil {
		return err
	}
	if l.noise, err = nn.NewNoise(l.release, b.rng.Uint64()); err != nil {
		return err
	}
	l.bridge = nn.Sequential{layer, l.noise}
	return nil
}

// params returns everything that is trained, with names that tell the parts
// apart.
func (l *learner) params() []nn.Param {
	all := slices.Concat(named("encoder", l.encoder.Params()), named("classifier", l.classifier.Params()))
	for i, a := range l.opponents {
		all = append(all, named(fmt.Sprintf("adversary%d", i), a.params())...)
	}
	return all
}

func named(part string, params []nn.Param) []nn.Param {
	for i := range params {
		params[i].Name = part + "." + params[i].Name
	}
	return params
}

// lambda returns the adversaries' weight in an epoch of E, counted from 0: it
// grows from 0 towards λ as λ·(2/(1+e^{−7e/E}) − 1).
func (q plan) lambda(epoch int) float64 {
	return q.reversal * (2/(1+math.Exp(-7*float64(epoch)/float64(q.Epochs))) - 1)
}

// epoch trains on every row once and tells how it went.
func (l *learner) epoch(ctx context.Context, epoch int) (Progress, error) {
	order := slices.Clone(l.data.Train)
	rng := weakrand.New(weakrand.NewPCG(l.seed, uint64(epoch)))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	for _, a := range l.opponents {
		a.reversal.Lambda = float32(l.lambda(epoch))
	}
	sum := 0.0
	for rows := range slices.Chunk(order, l.Batch) {
		if err := ctx.Err(); err != nil {
			return Progress{}, fmt.Errorf("stopped: %w", err)
		}
		loss, err := l.step(rows)
		if err != nil {
			return Progress{}, err
		}
		sum += loss * float64(len(rows))
	}
	// A loss can be finite although weights are not: ReLU makes 0 of NaN.
	for _, q := range l.live() {
		if finite(q.Value) != nil {
			return Progress{}, errDiverged
		}
	}
	accuracy, err := l.accuracy(l.data.Validation)
	return Progress{Epoch: epoch + 1, Epochs: l.Epochs, Loss: sum / float64(len(order)), Accuracy: accuracy}, err
}

// errDiverged is returned when a training has left the finite numbers.
var errDiverged = errors.New("the training diverged: a loss, a weight or a vector is not finite; lower the rate")

// step trains on one batch and returns the loss of the classifier.
func (l *learner) step(rows []int) (float64, error) {
	p := l.pool
	l.load(rows)
	r := l.represent(nn.Train)
	if l.noise != nil && l.noise.Err() != nil {
		return 0, errDiverged
	}
	loss, grad := l.loss.Loss(p, l.classifier.Forward(p, nn.Train, r), l.y)
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return 0, errDiverged
	}
	grad = l.classifier.Backward(p, grad)
	if err := l.oppose(r, grad); err != nil {
		return 0, err
	}
	if l.widths != nil {
		l.encoder.Backward(p, l.bridge.Backward(p, grad))
	}
	l.optimizer.Step(p)
	return loss, nil
}

// load copies the given rows, their classes and groups into the batch.
func (l *learner) load(rows []int) {
	need := len(rows) * l.rows.width()
	if cap(l.batch.Data) < need {
		l.batch.Data = make([]float32, need)
	}
	l.batch = nn.Matrix{Rows: len(rows), Cols: l.rows.width(), Data: l.batch.Data[:need]}
	l.rows.gather(l.batch, rows)
	l.y, l.z = l.y[:0], l.z[:0]
	for _, row := range rows {
		l.y = append(l.y, l.data.Y[row])
		if l.data.Z != nil {
			l.z = append(l.z, l.data.Z[row])
		}
	}
}

// represent returns what the classifier sees of the batch.
func (l *learner) represent(mode nn.Mode) nn.Matrix {
	return l.bridge.Forward(l.pool, mode, l.encoder.Forward(l.pool, mode, l.batch))
}

// oppose trains the adversaries on the representation r and adds to grad, the
// gradient for r, what they say.
func (l *learner) oppose(r, grad nn.Matrix) error {
	if len(l.opponents) == 0 {
		return nil
	}
	var hidden []nn.Matrix
	for _, a := range l.opponents {
		loss := a.forward(l.pool, r, l.z)
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return errDiverged
		}
		hidden = append(hidden, a.hidden)
	}
	var apart []nn.Matrix
	if l.apart > 0 {
		_, apart = l.orthogonal.Loss(l.pool, hidden)
	}
	for i, a := range l.opponents {
		var push nn.Matrix
		if apart != nil {
			push = apart[i]
		}
		l.pool.AddScaled(grad, 1, a.backward(l.pool, push, float32(l.apart)))
	}
	return nil
}

// accuracy returns the share of rows that are classified rightly, with fresh
// noise where there is any.
func (l *learner) accuracy(rows []int) (float64, error) {
	right := 0
	for part := range slices.Chunk(rows, l.Batch) {
		l.load(part)
		r := l.represent(nn.Infer)
		if l.noise != nil && l.noise.Err() != nil {
			return 0, errDiverged
		}
		logits := l.classifier.Forward(l.pool, nn.Infer, r)
		for i, y := range l.y {
			if argmax(logits.Row(i)) == y {
				right++
			}
		}
	}
	return float64(right) / float64(len(rows)), nil
}

// argmax returns the place of the largest number, the first of equals.
func argmax(v []float32) int {
	best := 0
	for i := range v {
		if v[i] > v[best] {
			best = i
		}
	}
	return best
}

// close ends an epoch: it decides what to keep and takes the state.
func (l *learner) close(done Progress) {
	if l.Keep == Last || l.state.Kept == 0 || done.Accuracy > l.state.History[l.state.Kept-1].Accuracy {
		l.state.Kept = done.Epoch
		l.state.keep(l)
	}
	l.state.History = append(l.state.History, done)
	l.state.take(l, done.Epoch)
}
