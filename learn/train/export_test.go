package train

import (
	"context"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/promise/mech"
)

// Lambda is the weight of an adversary in an epoch, counted from 0.
func Lambda(lambda float64, epoch, epochs int) float64 {
	return plan{Training: Training{Epochs: epochs}, reversal: lambda}.lambda(float64(epoch))
}

// Adversary is an adversary alone.
type Adversary struct{ *adversary }

// NewAdversary makes one without dropout.
func NewAdversary(width int, hidden []int, groups int, lambda float32) Adversary {
	a := newAdversary(newBuilder(1), width, hidden, groups, 0)
	a.Reversal.Lambda = lambda
	return Adversary{a}
}

// Loss is that of predicting the groups from r.
func (a Adversary) Loss(p *nn.Pool, r nn.Matrix, groups []int) float64 {
	return a.Forward(p, r, groups)
}

// Hidden returns the hidden outputs of the last call of Loss.
func (a Adversary) Hidden() nn.Matrix { return a.adversary.Hidden }

// Backward returns the gradient for r of the last call of Loss.
func (a Adversary) Backward(p *nn.Pool, push nn.Matrix, weight float32) nn.Matrix {
	return a.adversary.Backward(p, push, weight)
}

// Params returns what the adversary trains.
func (a Adversary) Params() []nn.Param { return a.adversary.Params() }

// Learner is a network in training, with an adversary and without dropout.
type Learner struct{ *learner }

// NewLearner makes one. Its steps are too small to change a weight.
func NewLearner(d Data, widths []int, release *mech.Params, lambda float64, adversaries int) (Learner, error) {
	q := plan{
		Training: Training{Shape: Shape{Encoder: widths, Adversary: []int{5}}, Batch: len(d.Train)},
		rows:     floats{x: d.X}, widths: widths, rivals: adversaries,
		optimiser: func(params []nn.Param) (*nn.Optimizer, error) { return nn.Adam{Rate: 1e-35}.New(params) },
	}
	if release != nil {
		var err error
		if q.release, err = mech.New(*release); err != nil {
			return Learner{}, err
		}
	}
	l, err := q.build(d, Options{Seed: 1})
	if err != nil {
		return Learner{}, err
	}
	for _, a := range l.opponents {
		a.Reversal.Lambda = float32(lambda)
	}
	return Learner{l}, nil
}

// Step takes a step on all rows, which sets the gradients.
func (l Learner) Step() error {
	_, err := l.step(l.data.Train)
	return err
}

// Params returns everything that is trained.
func (l Learner) Params() []nn.Param { return l.params() }

// Losses returns that of the classifier and the sum of the adversaries', with
// the noise of the first step.
func (l Learner) Losses() (own, others float64) {
	if l.noise != nil {
		l.noise.Pass = 0
	}
	l.load(l.data.Train)
	r := l.represent(nn.Train)
	own, _ = l.loss.Loss(l.pool, l.classifier.Forward(l.pool, nn.Train, r), l.y)
	for _, a := range l.opponents {
		others += a.Forward(l.pool, r, l.z)
	}
	return own, others
}

// FitLinear fits a linear classifier as INLP does.
func FitLinear(ctx context.Context, d Data) (*nn.Dense, model.Progress, error) {
	return linear{seed: 1, epochs: 20}.fit(ctx, nn.NewPool(1), d.X, d.Y, d.Classes, d.Train, d.Validation)
}

// Tilted is a fair release with what it was chosen by.
type Tilted struct {
	Model *model.Model
	Gap   float64
	Rates []float64 // of each pair of class and group
	Pairs nn.Matrix // probabilities of pairs of the rows that check
	// Zero is the model of a tilt by 0, and None that of none, both from the same
	// teacher.
	Zero, None *model.Model
}

// Tilt fits fair codes step by step.
func (h Codes) Tilt(ctx context.Context, d Data, seed uint64) (Tilted, error) {
	q, err := h.fairLesson(d)
	if err != nil {
		return Tilted{}, err
	}
	t, err := q.teach(ctx, Options{Seed: seed})
	if err != nil {
		return Tilted{}, err
	}
	var out Tilted
	none, err := h.solve(ctx, t, nn.Matrix{}, 1)
	if err != nil {
		return out, err
	}
	zero, err := h.solve(ctx, t, nn.NewMatrix(d.Classes, d.Groups), 1)
	if err != nil {
		return out, err
	}
	c, err := h.fair(ctx, t, none, 1)
	if err != nil {
		return out, err
	}
	out.Gap, out.Rates = c.gap, c.rates
	out.Pairs = t.checked.Columns(model.Columns(t.classes), len(t.expect))
	for to, from := range map[**model.Model]coding{&out.Model: c, &out.Zero: zero, &out.None: none} {
		if *to, err = from.model(); err != nil {
			return out, err
		}
	}
	return out, nil
}

// EncodeUnfair makes codes of a teacher that knows no groups.
func (h Codes) EncodeUnfair(ctx context.Context, d Data) error {
	q, err := h.lesson(d)
	if err != nil {
		return err
	}
	t, err := q.teach(ctx, Options{Seed: 1})
	if err != nil {
		return err
	}
	_, err = h.encode(ctx, t, Options{})
	return err
}

// HeadsLoss returns the loss of several labels and its gradient.
func HeadsLoss(d Data, scores nn.Matrix, labels [][]int) (float64, nn.Matrix) {
	return (&nn.Heads{Classes: d.classes(), Weights: d.weights()}).Loss(nn.NewPool(1), scores, labels)
}

// Annealed returns the ε that an epoch, counted from 0, trains with.
func Annealed(anneal float64, release mech.Params, epoch, epochs int) (float64, error) {
	m, err := mech.New(release)
	if err != nil {
		return 0, err
	}
	m, err = plan{Training: Training{Anneal: anneal, Epochs: epochs}, release: m}.annealed(float64(epoch))
	if err != nil {
		return 0, err
	}
	return float64(m.Guarantee().Epsilon), nil
}

// Apart returns copies of the gradients that keep hidden outputs apart.
func (l Learner) Apart(hidden []nn.Matrix) []nn.Matrix {
	var all []nn.Matrix
	for _, g := range l.orthogonal.Push(l.pool, hidden) {
		all = append(all, g.Clone())
	}
	return all
}

// Losses returns that of the classifier and the mean of the adversaries', with the
// noise of the first pass.
func (t *Together) Losses(rows []int, x nn.Matrix) (own, others float64) {
	t.rewind()
	t.load(nn.NewPool(1), rows, x)
	r := t.l.represent(nn.Train)
	own, _ = t.l.loss.Loss(t.l.pool, t.l.classifier.Forward(t.l.pool, nn.Train, r), t.l.y)
	for _, a := range t.l.opponents {
		others += a.Forward(t.l.pool, r, t.l.z) / float64(len(t.l.opponents))
	}
	return own, others
}

// Gradient returns that of the encoder's rows, with the noise of the first pass.
func (t *Together) Gradient(rows []int, x nn.Matrix) (nn.Matrix, error) {
	t.rewind()
	_, grad, err := t.Learn(nn.NewPool(1), rows, x)
	return grad, err
}

func (t *Together) rewind() {
	for _, pass := range t.Passes() {
		*pass = 0
	}
}
