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
	"sotto/train/model"
)

// lambda returns the adversaries' weight in an epoch of E, counted from 0: it
// grows from 0 towards λ as λ·(2/(1+e^{−7e/E}) − 1).
func (q plan) lambda(epoch int) float64 {
	return q.reversal * (2/(1+math.Exp(-7*float64(epoch)/float64(q.Epochs))) - 1)
}

// annealed returns the mechanism of an epoch, counted from 0.
func (q plan) annealed(epoch int) (mech.Mechanism, error) {
	half := float64(q.Epochs) / 2
	if q.release == nil || q.Anneal <= 1 || float64(epoch) >= half {
		return q.release, nil
	}
	p := q.release.Params()
	p.Epsilon *= math.Pow(q.Anneal, 1-float64(epoch)/half)
	return mech.New(p)
}

// epoch trains on every row once and tells how it went.
func (l *learner) epoch(ctx context.Context, epoch int) (model.Progress, error) {
	order := slices.Clone(l.data.Train)
	rng := weakrand.New(weakrand.NewPCG(l.seed, uint64(epoch)))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	if l.noise != nil && l.Anneal > 1 {
		m, err := l.annealed(epoch)
		if err != nil {
			return model.Progress{}, err
		}
		l.noise.Use(m)
	}
	for _, a := range l.opponents {
		a.reversal.Lambda = float32(l.lambda(epoch))
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
		loss := a.forward(l.pool, r, l.z)
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return errDiverged
		}
		hidden = append(hidden, a.hidden)
	}
	apart := l.keptApart(hidden)
	for i, a := range l.opponents {
		var push nn.Matrix
		if apart != nil {
			push = apart[i]
		}
		l.pool.AddScaled(grad, 1/float32(len(l.opponents)), a.backward(l.pool, push, float32(l.apart)))
	}
	return nil
}

// keptApart returns the gradients that draw the adversaries' hidden outputs
// towards being orthogonal, nil if nothing does. Each row is taken as a direction,
// as the difference loss is usually written: else adversaries come apart by shrinking,
// know nothing any more, and the encoder fools them by leaving all sense.
func (l *learner) keptApart(hidden []nn.Matrix) []nn.Matrix {
	if !(l.apart > 0) {
		return nil
	}
	const tiny = 1e-6
	norms := make([][]float32, len(hidden))
	directions := make([]nn.Matrix, len(hidden))
	for i, h := range hidden {
		norms[i], directions[i] = make([]float32, h.Rows), h.Clone()
		for r := range h.Rows {
			row, square := directions[i].Row(r), 0.0
			for _, v := range row {
				square += float64(v) * float64(v)
			}
			norms[i][r] = float32(math.Sqrt(square)) + tiny
			for j := range row {
				row[j] /= norms[i][r]
			}
		}
	}
	_, grads := l.orthogonal.Loss(l.pool, directions)
	for i, g := range grads {
		for r := range g.Rows {
			for j := range g.Row(r) {
				g.Row(r)[j] /= norms[i][r] // a length is taken as given
			}
		}
	}
	return grads
}

// accuracy returns the share of labels that are told rightly, with fresh noise
// where there is any.
func (l *learner) accuracy(rows []int) (float64, error) {
	t := newTally(len(l.y))
	for part := range slices.Chunk(rows, l.Batch) {
		l.load(part)
		r := l.represent(nn.Infer)
		if l.noise != nil && l.noise.Err() != nil {
			return 0, errDiverged
		}
		logits := l.classifier.Forward(l.pool, nn.Infer, r)
		for i := range part {
			t.add(l.loss.Classes, logits.Row(i), func(label int) int { return l.y[label][i] })
		}
	}
	return t.accuracy(l.loss.Weights), nil
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
