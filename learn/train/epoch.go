package train

import (
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/promise/mech"
)

// lambda returns the adversaries' weight after e epochs of E: it grows from 0
// towards λ as λ·(2/(1+e^{−7e/E}) − 1).
func (q plan) lambda(epoch float64) float64 {
	return q.reversal * (2/(1+math.Exp(-7*epoch/float64(q.Epochs))) - 1)
}

// annealed returns the mechanism after so many epochs.
func (q plan) annealed(epoch float64) (mech.Mechanism, error) {
	half := float64(q.Epochs) / 2
	if q.release == nil || q.Anneal <= 1 || epoch >= half {
		return q.release, nil
	}
	p := q.release.Params()
	p.Epsilon *= math.Pow(q.Anneal, 1-epoch/half)
	return mech.New(p)
}

// advance sets what changes in the course of a training, after so many epochs.
func (l *learner) advance(epoch float64) error {
	if l.noise != nil && l.Anneal > 1 {
		m, err := l.annealed(epoch)
		if err != nil {
			return err
		}
		l.noise.Use(m)
	}
	for _, a := range l.opponents {
		a.Reversal.Lambda = float32(l.lambda(epoch))
	}
	return nil
}

// epoch trains on every row once and tells how it went.
func (l *learner) epoch(ctx context.Context, epoch int) (model.Progress, error) {
	order := slices.Clone(l.data.Train)
	rng := weakrand.New(weakrand.NewPCG(l.seed, uint64(epoch)))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if err := l.advance(float64(epoch)); err != nil {
		return model.Progress{}, err
	}
	sum := 0.0
	for rows := range slices.Chunk(order, l.Batch) {
		if err := ctx.Err(); err != nil {
			return model.Progress{}, fmt.Errorf("stopped: %w", err)
		}
		loss, err := l.step(rows)
		if err != nil {
			return model.Progress{}, err
		}
		sum += loss * float64(len(rows))
	}
	// A loss can be finite although weights are not: ReLU makes 0 of NaN.
	for _, q := range l.live() {
		if q.Value.Finite() != nil {
			return model.Progress{}, errDiverged
		}
	}
	if l.noise != nil {
		l.noise.Use(l.release) // what counts is how it does with all of its noise
	}
	accuracy, err := l.accuracy(l.data.Validation)
	return model.Progress{Epoch: epoch + 1, Epochs: l.Epochs, Loss: sum / float64(len(order)), Accuracy: accuracy}, err
}

// errDiverged is returned when a training has left the finite numbers.
var errDiverged = errors.New("the training diverged: a loss, a weight or a vector is not finite; lower the rate")

// step trains on one batch and returns the loss of the classifier.
func (l *learner) step(rows []int) (float64, error) {
	l.load(rows)
	loss, _, err := l.learn()
	if err != nil {
		return 0, err
	}
	l.optimizer.Step(l.pool)
	return loss, nil
}

// learn sets the gradients of everything that is trained, by the batch. It returns the
// loss of the classifier, and the gradient with respect to the batch where the
// encoder's first layer was asked for it.
func (l *learner) learn() (float64, nn.Matrix, error) {
	p := l.pool
	r := l.represent(nn.Train)
	if l.noise != nil && l.noise.Err() != nil {
		return 0, nn.Matrix{}, errDiverged
	}
	loss, grad := l.loss.Loss(p, l.classifier.Forward(p, nn.Train, r), l.y)
	if math.IsNaN(loss) || math.IsInf(loss, 0) {
		return 0, nn.Matrix{}, errDiverged
	}
	grad = l.classifier.Backward(p, grad)
	if err := l.oppose(r, grad); err != nil {
		return 0, nn.Matrix{}, err
	}
	if l.widths != nil {
		grad = l.encoder.Backward(p, l.bridge.Backward(p, grad))
	}
	return loss, grad, nil
}

// load copies the given rows, their classes and groups into the batch.
func (l *learner) load(rows []int) {
	l.batch = l.batch.Reshape(len(rows), l.rows.width())
	l.rows.gather(l.batch, rows)
	for i, label := range l.data.labels() {
		l.y[i] = l.y[i][:0]
		for _, row := range rows {
			l.y[i] = append(l.y[i], label[row])
		}
	}
	l.z = l.z[:0]
	if l.data.Z != nil {
		for _, row := range rows {
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
		loss := a.Forward(l.pool, r, l.z)
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return errDiverged
		}
		hidden = append(hidden, a.Hidden)
	}
	var apart []nn.Matrix
	if l.apart > 0 {
		apart = l.orthogonal.Push(l.pool, hidden)
	}
	for i, a := range l.opponents {
		var push nn.Matrix
		if apart != nil {
			push = apart[i]
		}
		l.pool.AddScaled(grad, 1/float32(len(l.opponents)), a.Backward(l.pool, push, float32(l.apart)))
	}
	return nil
}

// accuracy returns the share of labels that are told rightly, with fresh noise
// where there is any.
func (l *learner) accuracy(rows []int) (float64, error) {
	t := nn.NewTally(len(l.y))
	for part := range slices.Chunk(rows, l.Batch) {
		l.load(part)
		logits, err := l.scores()
		if err != nil {
			return 0, err
		}
		for i := range part {
			t.Add(l.loss.Classes, logits.Row(i), func(label int) int { return l.y[label][i] })
		}
	}
	return t.Accuracy(l.loss.Weights), nil
}

// scores returns what the classifier says of the batch.
func (l *learner) scores() (nn.Matrix, error) {
	r := l.represent(nn.Infer)
	if l.noise != nil && l.noise.Err() != nil {
		return nn.Matrix{}, errDiverged
	}
	return l.classifier.Forward(l.pool, nn.Infer, r), nil
}

// close ends an epoch: it decides what to keep and takes the state.
func (l *learner) close(done model.Progress) {
	if l.Keep == Last || l.state.Kept == 0 || done.Accuracy > l.state.History[l.state.Kept-1].Accuracy {
		l.state.Kept = done.Epoch
		l.state.keep(l)
	}
	l.state.History = append(l.state.History, done)
	l.state.take(l, done.Epoch)
}
