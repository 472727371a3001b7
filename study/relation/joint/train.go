package joint

import (
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"time"

	"sotto/compute/nn"
	"sotto/study/relation"
	"sotto/study/relation/rule"
)

// Epoch is how an epoch did.
type Epoch struct {
	Loss float64 `json:"loss"`
	F1   float64 `json:"f1"`   // of relations of the development part; the official mean for SemEval-2010
	BLEU float64 `json:"bleu"` // of rules there
	// Unseen says that the development part was not looked at: it is, every few epochs, where
	// a look would take longer than an epoch.
	Unseen bool `json:"unseen,omitempty"`
}

// score is what the best epoch is chosen by, among those that were looked at.
func (e Epoch) score() float64 {
	if e.Unseen {
		return -1
	}
	return e.F1 + e.BLEU
}

// Progress is how far a training is.
type Progress struct {
	Step, Steps int
	Epoch       Epoch // the last one that was looked at
	Ended       bool  // it has just been looked at
	Number      int   // of the epoch, from 1
}

// Options of [Trainer.Run].
type Options struct {
	Pool     *nn.Pool           // nil means one worker; the result does not depend on it
	Resume   *State             // nil means from the start
	Save     func(*State) error // is called behind each epoch, and when the training is stopped; may be nil
	Progress func(Progress)     // may be nil
}

// Trainer is a training, not begun, at work or done. It is not safe for concurrent use.
type Trainer struct {
	settings Settings
	name     string
	v        vocabulary
	rules    *rule.File
	gate     *relation.Gate
	net      *network
	table    nn.Matrix
	lessons  []*example
	dev      []relation.Instance
	examples []*example // of dev
	// references are the rules of the true relation that match each of dev.
	references [][]int
	optimum    *nn.Optimizer
	average    []nn.Matrix // of the weights of late steps, which is what is used
	state      State
}

// New prepares a training, or refuses its settings or its data.
func New(d Data, s Settings) (*Trainer, error) {
	s, err := s.filled()
	if err != nil {
		return nil, err
	}
	if err = d.check(); err != nil {
		return nil, err
	}
	t := &Trainer{settings: s, name: d.Name, rules: some(d.Rules, s.Share, s.Seed).Plain(), dev: d.Dev}
	if t.gate, err = relation.NewGate(t.rules); err != nil {
		return nil, err
	}
	if err = t.prepare(d); err != nil {
		return nil, err
	}
	if t.settings.Epochs == 0 {
		t.settings.Epochs = t.epochs()
	}
	if t.net, err = newNetwork(&t.v, t.table, s, usual); err != nil {
		return nil, err
	}
	if t.optimum, err = (nn.Adam{Rate: s.Rate}).New(t.net.params()); err != nil {
		return nil, err
	}
	for _, q := range t.net.params() {
		t.average = append(t.average, q.Value.Clone())
	}
	return t, t.begin()
}

// prepare makes examples of the instances, and the vocabulary that they need.
func (t *Trainer) prepare(d Data) error {
	rules, err := relation.NewRules(t.rules)
	if err != nil {
		return err
	}
	all := lessons(d.Train, rules, t.settings.On)
	plain := make([]relation.Instance, len(all))
	for k, l := range all {
		plain[k] = l.Instance
	}
	rng := weakrand.New(weakrand.NewPCG(t.settings.Seed, 0x776f726473))
	t.v, t.table = know(plain, t.settings.Mask, d.Vectors, func() float32 { return float32(0.3 * rng.NormFloat64()) })
	if len(t.v.relations) < 2 {
		return errors.New("joint: no instance to learn from has a relation, must be some: there may be too few rules that match")
	}
	var texts []string
	for _, l := range all {
		if l.rule >= 0 {
			texts = append(texts, t.gate.Text(l.rule))
		}
	}
	if len(texts) == 0 && t.settings.Without != Decoder {
		return errors.New("joint: no rule matches an instance to learn from, so that there is nothing to write: give other rules, or train without the decoder")
	}
	t.v.pieces = relation.LearnAlphabet(texts)
	for _, l := range all {
		e := t.v.example(l.Instance)
		e.label = slices.Index(t.v.relations, l.Relation)
		if l.rule >= 0 {
			e.target = t.v.pieces.Numbers(t.gate.Text(l.rule))
		}
		t.lessons = append(t.lessons, e)
	}
	if t.settings.Without == Classifier { // what has no rule teaches nothing
		t.lessons = slices.DeleteFunc(t.lessons, func(e *example) bool { return e.target == nil })
	}
	for _, x := range d.Dev {
		t.examples, t.references = append(t.examples, t.v.example(x)), append(t.references, t.gate.References(x, x.Relation))
	}
	return nil
}

// usualSteps is how many a training has: 15 epochs of SemEval-2010.
const usualSteps = 2160

// epochs returns how many a training has that does not say so.
func (t *Trainer) epochs() int {
	if n := t.settings.Steps; n > 0 {
		return min(max((n+t.steps()/2)/t.steps(), 1), 100)
	}
	return min(max(usualSteps/t.steps(), 10), 100)
}

// looks reports whether the development part is looked at after an epoch, from 1. Going
// through it takes a third of what it takes to learn from as many instances.
func (t *Trainer) looks(epoch int) bool {
	every := max(3*len(t.dev)/len(t.lessons), 1)
	return epoch%every == 0 || epoch == t.settings.Epochs
}

// steps returns how many an epoch has.
func (t *Trainer) steps() int {
	return (len(t.lessons) + t.settings.Batch - 1) / t.settings.Batch
}

// Run trains until the last epoch, or until ctx ends: then it returns an error that wraps
// ctx's.
func (t *Trainer) Run(ctx context.Context, o Options) error {
	p := o.Pool
	if p == nil {
		p = nn.NewPool(1)
	}
	if o.Resume != nil {
		if err := t.restore(o.Resume); err != nil {
			return err
		}
	}
	for t.state.Epoch < t.settings.Epochs {
		if err := t.epoch(ctx, p, o); err != nil {
			return err
		}
	}
	return nil
}

// saveEvery is how often a training within an epoch is saved, in case the process is killed
// without warning.
const saveEvery = 5 * time.Minute

// mostNorm is the length to which longer gradients are cut.
const mostNorm = 5

// epoch trains on what is left of an epoch, and sees how it did.
func (t *Trainer) epoch(ctx context.Context, p *nn.Pool, o Options) error {
	s, saved := &t.state, time.Now()
	order := weakrand.New(weakrand.NewPCG(t.settings.Seed, uint64(s.Epoch)+1)).Perm(len(t.lessons))
	for s.Step < t.steps() {
		if err := ctx.Err(); err != nil {
			return t.stopped(o, err)
		}
		at := s.Step * t.settings.Batch
		rows := order[at:min(len(order), at+t.settings.Batch)]
		chosen := nn.Pick(t.lessons, rows)
		loss := t.net.learn(p, newBatch(nn.Pick(chosen, byLength(chosen))))
		if math.IsNaN(loss) || math.IsInf(loss, 0) {
			return errors.New("joint: the loss is not finite; a smaller rate may help")
		}
		p.ClipNorm(t.net.params(), mostNorm)
		t.optimum.Step(p)
		s.Loss += float64(loss * float64(len(rows)))
		if s.Step++; t.optimum.Steps%averageEvery == 0 {
			t.blend(p)
		}
		t.tell(o, false)
		if o.Save != nil && time.Since(saved) > saveEvery {
			saved = time.Now()
			if err := o.Save(t.take()); err != nil {
				return err
			}
		}
	}
	done, err := t.look(ctx, p)
	if err != nil {
		return t.stopped(o, err)
	}
	done.Loss = s.Loss / float64(len(order))
	t.close(done)
	t.tell(o, !done.Unseen)
	if o.Save != nil {
		return o.Save(t.take())
	}
	return nil
}

// look sees how the mean of the weights does after an epoch, if it is time for that.
func (t *Trainer) look(ctx context.Context, p *nn.Pool) (Epoch, error) {
	if !t.looks(t.state.Epoch + 1) {
		return Epoch{Unseen: true}, nil
	}
	m := t.now()
	t.swap()
	defer t.swap()
	return t.develop(ctx, p, m)
}

// The weights that are used are a mean over steps, those k steps ago with a share that
// falls as 0.998^k (Polyak and Juditsky, 1992): it tells about a point of F1 more than the
// weights of one step. It is taken anew every few steps, which is as good.
const (
	averageEvery = 8
	averageKeep  = 0.984112 // 0.998^8
)

// blend takes the weights into their mean. Early means forget faster.
func (t *Trainer) blend(p *nn.Pool) {
	k := float64(t.optimum.Steps / averageEvery)
	fresh := float32(1 - min(averageKeep, (1+k)/(10+k)))
	params := t.net.params()
	p.Each(len(params), func(_, i int) {
		to, from := t.average[i].Data, params[i].Value.Data
		for j, v := range from {
			to[j] += float32(fresh * (v - to[j]))
		}
	})
}

// swap puts the mean in the place of the weights, and the weights in its place.
func (t *Trainer) swap() {
	for i, q := range t.net.params() {
		a := t.average[i].Data
		for j, v := range q.Value.Data {
			q.Value.Data[j], a[j] = a[j], v
		}
	}
}

// stopped saves what there is.
func (t *Trainer) stopped(o Options, err error) error {
	if o.Save != nil {
		if failed := o.Save(t.take()); failed != nil {
			return failed
		}
	}
	return fmt.Errorf("joint: epoch %d of %d: stopped: %w", t.state.Epoch+1, t.settings.Epochs, err)
}

// tell tells how far the training is.
func (t *Trainer) tell(o Options, ended bool) {
	if o.Progress == nil {
		return
	}
	s := &t.state
	pr := Progress{Step: s.Epoch*t.steps() + s.Step, Steps: t.settings.Epochs * t.steps(), Ended: ended, Number: s.Epoch}
	for _, e := range s.History {
		if !e.Unseen {
			pr.Epoch = e
		}
	}
	o.Progress(pr)
}
