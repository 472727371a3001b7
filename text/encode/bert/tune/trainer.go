package tune

import (
	"context"
	"fmt"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"time"

	"sotto/compute/nn"
	"sotto/compute/nn/transformer"
	"sotto/text/encode/bert"
)

// Trainer is a training, not begun, at work or done. It is not safe for concurrent
// use.
type Trainer struct {
	settings Settings
	folder   *bert.Folder
	long     bert.Long
	data     Data

	pool    *nn.Pool
	encoder *transformer.Encoder
	vectors *vectors
	head    Head
	groups  []group
	sums    []nn.Matrix // of the head's gradients, over the pieces of a batch

	state State
}

// group is parameters with a rate and a decay of their own.
type group struct {
	*nn.Optimizer
	rate float64
}

// New prepares a training, or refuses its settings or its data. It takes over the
// tensors of the folder.
func New(f *bert.Folder, d Data, s Settings) (*Trainer, error) {
	shape := f.Shape()
	length, err := f.Limit(s.Length)
	if err != nil {
		return nil, err
	}
	if err = d.validate(); err != nil {
		return nil, err
	}
	if s, err = s.filled(d, shape.Layers, length); err != nil {
		return nil, err
	}
	if d.Words != nil && s.Length < 3 {
		return nil, fmt.Errorf("tune: length is %d, must be at least 3 for words", s.Length)
	}
	shape.Dropout, shape.Seed = s.Dropout, s.Seed
	if s.Layers > 0 {
		shape.Frozen = shape.Layers - s.Layers
	}
	long, err := s.rule(f)
	if err != nil {
		return nil, err
	}
	if s.Long = long.Rule; s.Long == bert.Truncate {
		s.Long = "" // as it was before there were others
	}
	t := &Trainer{settings: s, folder: f, long: long, data: d, head: d.Head}
	if t.encoder, err = f.Encoder(shape, nn.NewPool(1).Kernel()); err != nil {
		return nil, err
	}
	t.vectors = newVectors(f, t.encoder, d, s.Length, long)
	if err = t.vectors.known(d, s.Length); err != nil {
		return nil, err
	}
	t.vectors.below.frozen = s.Layers > 0
	if t.head == nil {
		if t.head, err = newLinear(d, t.vectors.width(), s); err != nil {
			return nil, err
		}
	}
	if err = t.optimisers(); err != nil {
		return nil, err
	}
	if t.state.Training, err = t.identity(); err != nil {
		return nil, err
	}
	t.state.begin(t)
	return t, nil
}

// optimisers makes those of the encoder and of what stands behind it.
func (t *Trainer) optimisers() error {
	var weights, others []nn.Param
	for _, q := range t.encoder.Params() {
		if strings.HasSuffix(q.Name, ".bias") || strings.Contains(q.Name, "LayerNorm") {
			others = append(others, q)
		} else {
			weights = append(weights, q)
		}
	}
	rate, decay := t.settings.Rate, t.settings.Decay
	for _, g := range []struct {
		params []nn.Param
		rate   float64
		decay  float64
	}{{weights, rate, decay}, {others, rate, 0}, {t.head.Params(), headTimes * rate, decay}} {
		o, err := nn.AdamW{Adam: nn.Adam{Rate: g.rate}, Decay: g.decay}.New(g.params)
		if err != nil {
			return err
		}
		t.groups = append(t.groups, group{o, g.rate})
	}
	for _, q := range t.head.Params() {
		t.sums = append(t.sums, nn.NewMatrix(q.Value.Rows, q.Value.Cols))
	}
	return nil
}

// headPrefix stands before the names of what is not the encoder's.
const headPrefix = "head."

// params returns everything that learns.
func (t *Trainer) params() []nn.Param {
	head := slices.Clone(t.head.Params())
	for i := range head {
		head[i].Name = headPrefix + head[i].Name
	}
	return slices.Concat(t.encoder.Params(), head)
}

// passes returns the counters of everything that draws.
func (t *Trainer) passes() []*uint64 {
	return append([]*uint64{&t.encoder.Pass}, t.head.Passes()...)
}

// steps returns how many an epoch has.
func (t *Trainer) steps() int {
	return (len(t.data.Train) + t.settings.Batch - 1) / t.settings.Batch
}

// saveEvery is how often a training within an epoch is saved, in case the process
// is killed without warning.
const saveEvery = 5 * time.Minute

// Run trains, until the last epoch, until no better one comes, or until ctx ends:
// then it returns an error that wraps ctx's. Meanwhile the process collects garbage
// more eagerly, so that MiniLM is trained within 1.5 GB.
func (t *Trainer) Run(ctx context.Context, o Options) error {
	defer sparing()()
	if t.pool = o.Pool; t.pool == nil {
		t.pool = nn.NewPool(1)
	}
	if o.Resume != nil {
		if err := t.restore(o.Resume); err != nil {
			return err
		}
	}
	for t.state.Epoch < t.settings.Epochs && !t.tired() {
		if err := t.epoch(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// tired reports that epochs have brought nothing for a while.
func (t *Trainer) tired() bool {
	return !t.settings.Last && t.state.Epoch-t.state.Kept >= t.settings.Patience
}

// epoch trains on what is left of an epoch, and sees how it did.
func (t *Trainer) epoch(ctx context.Context, o Options) error {
	s := &t.state
	order := slices.Clone(t.data.Train)
	rng := weakrand.New(weakrand.NewPCG(t.settings.Seed, uint64(s.Epoch)))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	total := t.settings.Epochs * t.steps()
	schedule := nn.Schedule{Warm: int(warmShare * float64(total)), Total: total}
	saved := time.Now()
	for s.Step < t.steps() {
		if err := ctx.Err(); err != nil {
			return t.stopped(o, err)
		}
		at := s.Step * t.settings.Batch
		rows := order[at:min(len(order), at+t.settings.Batch)]
		done := s.Epoch*t.steps() + s.Step
		for _, g := range t.groups {
			g.Rate = g.rate * schedule.At(done)
		}
		if err := t.head.Advance(float64(done) / float64(total)); err != nil {
			return err
		}
		loss, err := t.step(rows)
		if err != nil {
			return err
		}
		s.Step++
		s.Loss += loss * float64(len(rows))
		if o.Progress != nil {
			o.Progress(t.progress(s.Loss / float64(min(len(order), s.Step*t.settings.Batch))))
		}
		if o.Save != nil && time.Since(saved) > saveEvery {
			saved = time.Now()
			if err := o.Save(s.take(t)); err != nil {
				return err
			}
		}
	}
	accuracy, err := t.accuracy(ctx, t.data.Validation)
	if err != nil && ctx.Err() == nil {
		return err
	} else if err != nil {
		return t.stopped(o, err)
	}
	done := Epoch{Loss: s.Loss / float64(len(order)), Accuracy: accuracy}
	if o.Progress != nil {
		p := t.progress(done.Loss)
		p.Accuracy, p.Ended = accuracy, true
		o.Progress(p)
	}
	s.close(t, done)
	if o.Save != nil {
		return o.Save(s.take(t))
	}
	return nil
}

// stopped saves what there is.
func (t *Trainer) stopped(o Options, err error) error {
	if o.Save != nil {
		if failed := o.Save(t.state.take(t)); failed != nil {
			return failed
		}
	}
	return fmt.Errorf("tune: epoch %d of %d: stopped: %w", t.state.Epoch+1, t.settings.Epochs, err)
}

func (t *Trainer) progress(loss float64) Progress {
	s := &t.state
	p := Progress{Epoch: s.Epoch + 1, Epochs: t.settings.Epochs, Step: s.Epoch*t.steps() + s.Step, Steps: t.settings.Epochs * t.steps(), Loss: loss}
	if n := len(s.History); n > 0 {
		p.Accuracy = s.History[n-1].Accuracy
	}
	return p
}

// step trains on one batch and returns its loss. The gradient is the mean over its
// texts, whatever pieces they come in.
func (t *Trainer) step(rows []int) (float64, error) {
	p, sum := t.pool, 0.0
	for i, piece := range t.cut(rows) {
		share := float64(t.vectors.count(piece)) / float64(t.vectors.count(rows))
		loss, grad, err := t.head.Learn(p, piece, t.vectors.of(p, nn.Train, piece))
		if err != nil {
			return 0, ErrDiverged
		}
		sum += share * loss
		if share < 1 {
			for j := range grad.Data {
				grad.Data[j] *= float32(share)
			}
		}
		t.vectors.back(p, grad, i > 0)
		for j, q := range t.head.Params() {
			if i == 0 {
				clear(t.sums[j].Data)
			}
			p.AddScaled(t.sums[j], float32(share), q.Grad)
			copy(q.Grad.Data, t.sums[j].Data)
		}
	}
	if norm := p.ClipNorm(t.params(), clipNorm); !finite(sum) || !finite(norm) {
		return 0, ErrDiverged
	}
	for _, g := range t.groups {
		g.Step(p)
	}
	return sum, nil
}

// cut splits texts into pieces that are computed together, in order.
func (t *Trainer) cut(rows []int) [][]int {
	var all [][]int
	from, n := 0, 0
	for i, row := range rows {
		size := t.vectors.size(row)
		if n > 0 && n+size > pieces {
			all, from, n = append(all, rows[from:i]), i, 0
		}
		n += size
	}
	return append(all, rows[from:])
}

// accuracy returns the share of labels of some texts, or of their words, that are
// told rightly. What it draws is drawn again where ctx ends it.
func (t *Trainer) accuracy(ctx context.Context, rows []int) (float64, error) {
	var before []uint64
	for _, pass := range t.passes() {
		before = append(before, *pass)
	}
	tally := nn.NewTally(len(t.data.Classes))
	for _, piece := range t.cut(rows) {
		if err := ctx.Err(); err != nil {
			for i, pass := range t.passes() {
				*pass = before[i]
			}
			return 0, err
		}
		scores, err := t.head.Scores(t.pool, piece, t.vectors.of(t.pool, nn.Infer, piece))
		if err != nil {
			return 0, ErrDiverged
		}
		var y [][]int
		for l := range t.data.Classes {
			y = append(y, t.data.told(nil, l, piece))
		}
		for i := range scores.Rows {
			tally.Add(t.data.Classes, scores.Row(i), func(label int) int { return y[label][i] })
		}
	}
	return tally.Accuracy(t.data.Weights), nil
}
