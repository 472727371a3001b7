package tune

import (
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"
	"strings"
	"time"

	"sotto/encode/bert"
	"sotto/nn"
	"sotto/nn/transformer"
	"sotto/text"
)

// Trainer is a training, not begun, at work or done. It is not safe for concurrent
// use.
type Trainer struct {
	settings Settings
	folder   *bert.Folder
	data     Data
	tokens   []text.Tokens

	pool    *nn.Pool
	encoder *transformer.Encoder
	pooling transformer.Pooling
	head    nn.Sequential
	dropout *nn.Dropout // the one in head
	scale   *scale      // the one in head
	loss    nn.Heads
	groups  []group
	sums    []nn.Matrix // of the head's gradients, over the pieces of a batch
	below   below

	batch transformer.Batch
	y     [][]int
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
	if s, err = s.filled(shape.Layers, length); err != nil {
		return nil, err
	}
	if err = d.validate(); err != nil {
		return nil, err
	}
	shape.Dropout, shape.Seed = s.Dropout, s.Seed
	if s.Layers > 0 {
		shape.Frozen = shape.Layers - s.Layers
	}
	t := &Trainer{settings: s, folder: f, data: d, tokens: make([]text.Tokens, len(d.Texts)), pooling: transformer.Pooling{First: f.First}}
	if t.encoder, err = f.Encoder(shape, nn.NewPool(1).Kernel()); err != nil {
		return nil, err
	}
	t.below.most = mostKept
	if err = t.build(shape.Hidden); err != nil {
		return nil, err
	}
	for _, part := range [][]int{d.Train, d.Validation} {
		for _, i := range part {
			var masked []text.Span
			if d.Masked != nil {
				masked = d.Masked[i]
			}
			t.tokens[i] = f.Tokeniser.EncodeMasked(d.Texts[i], masked, s.Length)
		}
	}
	if t.state.Training, err = t.identity(); err != nil {
		return nil, err
	}
	t.state.begin(t)
	return t, nil
}

// build makes the layers behind the encoder, and the optimisers.
func (t *Trainer) build(hidden int) error {
	rng := weakrand.New(weakrand.NewPCG(t.settings.Seed, 0x74756e65))
	var err error
	if t.dropout, err = nn.NewDropout(t.settings.Dropout, rng.Uint64()); err != nil {
		return err
	}
	classes := 0
	for _, c := range t.data.Classes {
		classes += c
	}
	t.scale = &scale{by: float32(math.Sqrt(float64(hidden)))}
	t.head = nn.Sequential{&nn.L2Normalize{}, t.scale, t.dropout, nn.NewDense(hidden, classes, rng)}
	t.loss = nn.Heads{Classes: t.data.Classes, Weights: t.data.Weights}
	t.y = make([][]int, len(t.data.Labels))
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

// scale multiplies vectors of length 1 to the size that a linear layer learns from
// quickly.
type scale struct {
	by    float32
	y, dx nn.Matrix
}

// Params implements [nn.Layer].
func (*scale) Params() []nn.Param { return nil }

// Forward implements [nn.Layer].
func (s *scale) Forward(_ *nn.Pool, _ nn.Mode, x nn.Matrix) nn.Matrix {
	s.y = s.times(s.y, x)
	return s.y
}

// Backward implements [nn.Layer].
func (s *scale) Backward(_ *nn.Pool, grad nn.Matrix) nn.Matrix {
	s.dx = s.times(s.dx, grad)
	return s.dx
}

func (s *scale) times(dst, x nn.Matrix) nn.Matrix {
	dst = dst.Reshape(x.Rows, x.Cols)
	for i, v := range x.Data {
		dst.Data[i] = v * s.by
	}
	return dst
}

// params returns everything that learns.
func (t *Trainer) params() []nn.Param {
	head := t.head.Params()
	for i := range head {
		head[i].Name = "head." + head[i].Name
	}
	return slices.Concat(t.encoder.Params(), head)
}

// steps returns how many an epoch has.
func (t *Trainer) steps() int {
	return (len(t.data.Train) + t.settings.Batch - 1) / t.settings.Batch
}

// saveEvery is how often a training within an epoch is saved, in case the process
// is killed without warning.
const saveEvery = 5 * time.Minute

// Run trains, until the last epoch, until no better one comes, or until ctx ends:
// then it returns an error that wraps ctx's.
func (t *Trainer) Run(ctx context.Context, o Options) error {
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
func (t *Trainer) tired() bool { return t.state.Epoch-t.state.Kept >= t.settings.Patience }

// epoch trains on what is left of an epoch, and sees how it did.
func (t *Trainer) epoch(ctx context.Context, o Options) error {
	s := &t.state
	order := slices.Clone(t.data.Train)
	rng := weakrand.New(weakrand.NewPCG(t.settings.Seed, uint64(s.Epoch)))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	schedule := nn.Schedule{Warm: int(warmShare * float64(t.settings.Epochs*t.steps())), Total: t.settings.Epochs * t.steps()}
	saved := time.Now()
	for s.Step < t.steps() {
		if err := ctx.Err(); err != nil {
			return t.stopped(o, err)
		}
		at := s.Step * t.settings.Batch
		rows := order[at:min(len(order), at+t.settings.Batch)]
		for _, g := range t.groups {
			g.Rate = g.rate * schedule.At(s.Epoch*t.steps()+s.Step)
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
	if err != nil {
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
		share := float64(len(piece)) / float64(len(rows))
		scores := t.scores(nn.Train, piece)
		loss, grad := t.loss.Loss(p, scores, t.y)
		sum += share * loss
		if share < 1 {
			for j := range grad.Data {
				grad.Data[j] *= float32(share)
			}
		}
		t.encoder.Backward(p, t.pooling.Backward(p, t.head.Backward(p, grad)), i > 0)
		for j, q := range t.head.Params() {
			if i == 0 {
				clear(t.sums[j].Data)
			}
			p.AddScaled(t.sums[j], 1, q.Grad)
			copy(q.Grad.Data, t.sums[j].Data)
		}
	}
	if norm := p.ClipNorm(t.params(), clipNorm); !finite(sum) || !finite(norm) {
		return 0, errDiverged
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
		if size := len(t.tokens[row].IDs); n > 0 && n+size > pieces {
			all, from, n = append(all, rows[from:i]), i, 0
		}
		n += len(t.tokens[row].IDs)
	}
	return append(all, rows[from:])
}

// scores returns those of some texts, and loads their labels.
func (t *Trainer) scores(mode nn.Mode, rows []int) nn.Matrix {
	t.batch.Clear()
	for _, row := range rows {
		t.batch.Add(t.tokens[row].IDs, t.tokens[row].Types)
	}
	for l, y := range t.data.Labels {
		t.y[l] = t.y[l][:0]
		for _, row := range rows {
			t.y[l] = append(t.y[l], y[row])
		}
	}
	x := t.encoder.Above(t.pool, mode, &t.batch, t.below.of(t, rows))
	return t.head.Forward(t.pool, mode, t.pooling.Forward(t.pool, x, &t.batch))
}

// accuracy returns the share of labels of some texts that are told rightly.
func (t *Trainer) accuracy(ctx context.Context, rows []int) (float64, error) {
	right, known := make([]int, len(t.y)), make([]int, len(t.y))
	for _, piece := range t.cut(rows) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		scores := t.scores(nn.Infer, piece)
		for i := range piece {
			column := 0
			for l, c := range t.data.Classes {
				if y := t.y[l][i]; y >= 0 {
					known[l]++
					if nn.Argmax(scores.Row(i)[column:column+c]) == y {
						right[l]++
					}
				}
				column += c
			}
		}
	}
	sum := 0.0
	for l, w := range t.data.Weights {
		sum += w * float64(right[l]) / float64(max(known[l], 1))
	}
	return sum, nil
}
