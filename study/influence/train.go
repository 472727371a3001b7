package influence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"

	"sotto/compute/nn"
	"sotto/learn/model"
)

// Train teaches a student on the training texts, and keeps the epoch that has the best
// all-correct accuracy on the validation texts. It has the same bits for every number
// of workers, and wherever it was stopped and resumed. When ctx is done it returns the
// error of ctx.
func Train(ctx context.Context, t *Teacher, d *Data, s Settings, o Options) (*Student, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s = s.withDefaults(t.Slow())
	o.Workers = o.workers()
	key, err := trainingKey(t, d, s)
	if err != nil {
		return nil, err
	}
	keep := &kept{dir: o.Keep, key: key}
	v := NewVocabulary(d)
	l, err := readPlan(ctx, t, drawn(d, v, s), o, keep)
	if err != nil {
		return nil, err
	}
	test, err := newExam(ctx, t, d, d.Validation, o, keep, "validation")
	if err != nil {
		return nil, err
	}
	st := &Student{Teacher: t, Settings: s, Data: d.Name, DataHash: d.Hash, vocabulary: v, workers: o.Workers}
	if err = st.learn(ctx, l, test, o); err != nil {
		return nil, err
	}
	if err = st.judge(ctx, d, test, o, keep); err != nil {
		return nil, err
	}
	if err = st.fill(ctx, o); err != nil {
		return nil, err
	}
	return st, nil
}

// trainingKey is a digest of what decides what is read for a training.
func trainingKey(t *Teacher, d *Data, s Settings) (string, error) {
	about, err := json.Marshal(struct {
		Format, Teacher, Data string
		Words, Phrases, Swaps int
		Seed                  uint64
	}{"sotto-influence-reading-1", t.Digest(), d.Hash, s.Words, s.Phrases, s.Swaps, s.Seed})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(about)
	return hex.EncodeToString(sum[:]), nil
}

// learn trains the network.
func (s *Student) learn(ctx context.Context, l *lessons, test *exam, o Options) error {
	n := newNetwork(l.context.Cols, l.part.Cols, s.Settings.Width, s.Teacher.Size(), s.Settings.Seed)
	n.context.shift, n.context.factor = model.Moments(l.context, nn.Indices(l.context.Rows))
	n.part.shift, n.part.factor = model.Moments(l.part, nn.Indices(l.part.Rows))
	n.context.apply(l.context)
	n.part.apply(l.part)
	test.scale(n)
	s.network = n
	p := nn.NewPool(o.Workers)
	opt, err := nn.AdamW{Adam: nn.Adam{Rate: s.Settings.Rate}, Decay: 0.01}.New(n.params())
	if err != nil {
		return err
	}
	size := s.Settings.Batch
	steps := (len(l.of) + size - 1) / size
	schedule := nn.Schedule{Warm: max(1, s.Settings.Epochs*steps/20), Total: s.Settings.Epochs * steps}
	rng := seeded(s.Settings.Seed, "order")
	best, weights := math.Inf(-1), []float32(nil)
	for epoch := range s.Settings.Epochs {
		loss := 0.0
		order := rng.Perm(len(l.of))
		for step := range steps {
			if err := ctx.Err(); err != nil {
				return err
			}
			opt.Rate = s.Settings.Rate * schedule.At(epoch*steps+step)
			loss += n.step(p, l, order[step*size:min(len(order), (step+1)*size)])
			p.ClipNorm(n.params(), 1)
			opt.Step(p)
			o.tell("teaching the student", epoch*steps+step+1, s.Settings.Epochs*steps)
		}
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return errDiverged
		}
		got := test.allCorrect(s.said(p, test))
		s.Result.History = append(s.Result.History, Epoch{Loss: loss / float64(steps), AllCorrect: got})
		if got >= best { // of equals the one that has learnt more
			best, weights, s.Result.Epoch = got, n.copy(weights), epoch+1
		}
	}
	n.restore(weights)
	return nil
}

// step sets the gradients of a batch and returns its loss: the mean over lessons of
// the squared distance between the representation of the whole and that of the context
// with the influence.
func (n *network) step(p *nn.Pool, l *lessons, batch []int) float64 {
	c, t, target := nn.NewMatrix(len(batch), l.context.Cols), nn.NewMatrix(len(batch), l.part.Cols), nn.NewMatrix(len(batch), l.whole.Cols)
	for i, at := range batch {
		of := l.of[at]
		copy(c.Row(i), l.context.Row(of.context))
		copy(t.Row(i), l.part.Row(of.part))
		whole, without := l.whole.Row(of.whole), l.without.Row(of.context)
		for j, z := range whole {
			target.Row(i)[j] = z - without[j]
		}
	}
	var mse nn.MSE
	mean, grad := mse.Loss(p, n.forward(p, nn.Train, c, t), target)
	// The sum over numbers, not their mean: gradients of a mean over hundreds would be
	// as small as what Adam adds to their roots.
	scale := float32(target.Cols)
	for i := range grad.Data {
		grad.Data[i] *= scale
	}
	n.backward(p, grad)
	return mean * float64(target.Cols)
}

// copy returns the weights, over the memory of dst if that suffices.
func (n *network) copy(dst []float32) []float32 {
	dst = dst[:0]
	for _, p := range n.params() {
		dst = append(dst, p.Value.Data...)
	}
	return dst
}

// restore sets the weights to what copy returned.
func (n *network) restore(weights []float32) {
	for _, p := range n.params() {
		copy(p.Value.Data, weights)
		weights = weights[len(p.Value.Data):]
	}
}

// Epoch is how an epoch did.
type Epoch struct {
	Loss       float64 `json:"loss"`
	AllCorrect float64 `json:"all_correct"` // on the validation texts
}

// String says how it did.
func (e Epoch) String() string {
	return fmt.Sprintf("loss %.5f, all correct %.2f %%", e.Loss, 100*e.AllCorrect)
}
