package train

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sotto/compute/nn"
	"sotto/learn/model"
	"sotto/promise/mech"
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
	optimiser optimiser      // nil means Adam
}

// optimiser makes the optimiser of some parameters.
type optimiser func([]nn.Param) (*nn.Optimizer, error)

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

	loss       nn.Heads
	orthogonal apart
	batch      nn.Matrix
	y          [][]int // of each label
	z          []int

	state State // after the last whole epoch
}

// check refuses what cannot be trained on d.
func (q plan) check(d Data) error {
	if q.rivals > 0 && d.Z == nil {
		return errors.New("train: data has no protected attribute, which an adversary needs")
	}
	_, err := q.build(d, Options{})
	return err
}

// model trains the network and makes a model of what it keeps. Its classifier
// and classes are those of the data, and a says the rest.
func (q plan) model(ctx context.Context, d Data, o Options, a model.Architecture) (*model.Model, error) {
	l, err := q.fit(ctx, d, o)
	if l == nil {
		return nil, err
	}
	a.Classifier = append(slices.Clone(l.Classifier), model.Columns(d.classes()))
	a.Classes, a.More = d.Classes, d.classes()[1:]
	m, failed := model.New(a, l.tensors())
	if failed != nil {
		return nil, failed
	}
	m.Kept = l.state.History[l.state.Kept-1]
	return m, err
}

// fit trains the network that a plan describes.
func (q plan) fit(ctx context.Context, d Data, o Options) (*learner, error) {
	l, err := q.build(d, o)
	if err != nil {
		return nil, err
	}
	if l.state.Training, err = l.identity(); err != nil {
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
			err = fmt.Errorf("train: epoch %d of %d: %w", epoch+1, q.Epochs, err)
			if l.state.Epoch == 0 {
				return nil, err // there is nothing to keep
			}
			return l, err
		}
		l.close(done)
		if o.Save != nil {
			if err := o.Save(&l.state); err != nil {
				return l, err
			}
		}
		o.tell(l.state.Last())
	}
	return l, nil
}

// build makes the layers.
func (q plan) build(d Data, o Options) (*learner, error) {
	b := newBuilder(o.Seed)
	l := &learner{plan: q, data: d, seed: o.Seed, pool: o.pool(), loss: nn.Heads{Classes: d.classes(), Weights: d.weights()}, y: make([][]int, 1+len(d.More))}
	width := q.rows.width()
	if q.widths != nil {
		l.encoder = b.Perceptron(width, q.widths, q.Dropout)
		l.encoder.Dense()[0].NoInputGrad = true
		width = q.widths[len(q.widths)-1]
	} else {
		l.encoder = b.Dropout(nil, q.corrupt)
	}
	if q.release != nil {
		normaliser, err := model.Normaliser(q.release.Params())
		if err != nil {
			return nil, err
		}
		if l.noise, err = nn.NewNoise(q.release, b.Rand.Uint64()); err != nil {
			return nil, err
		}
		l.bridge = nn.Sequential{normaliser, l.noise}
	}
	l.classifier = b.Perceptron(width, append(slices.Clone(q.Classifier), model.Columns(d.classes())), q.Dropout)
	l.classifier.Dense()[0].NoInputGrad = q.widths == nil
	for range q.rivals {
		l.opponents = append(l.opponents, newAdversary(b, width, q.Adversary, d.Groups, q.Dropout))
	}
	if b.Err != nil {
		return nil, b.Err
	}
	l.dropouts = b.Dropouts
	if err := l.start(d.Start); err != nil {
		return nil, err
	}
	var err error
	if q.optimiser == nil {
		q.optimiser = nn.Adam{Rate: q.Rate}.New
	}
	if l.optimizer, err = q.optimiser(l.params()); err != nil {
		return nil, err
	}
	l.state.begin(l)
	return l, nil
}

// params returns everything that is trained, with names that tell the parts
// apart.
func (l *learner) params() []nn.Param {
	all := slices.Concat(named("encoder", l.encoder.Params()), named("classifier", l.classifier.Params()))
	for i, a := range l.opponents {
		all = append(all, named(fmt.Sprintf("adversary%d", i), a.Params())...)
	}
	return all
}

// tensors returns a copy of what a learner has kept, by the names that a model
// gives it.
func (l *learner) tensors() model.Tensors {
	t := make(model.Tensors)
	place := map[string]int{}
	for _, k := range l.state.kept { // as "kept.encoder.3.weight"; weights and biases alternate
		fields := strings.Split(k.Name, ".")
		part, kind := fields[1], fields[len(fields)-1]
		t[fmt.Sprintf("%s.%d.%s", part, place[part], kind)] = nn.Matrix{Rows: k.Shape[0], Cols: k.Shape[1], Data: slices.Clone(k.Data)}
		if kind == "bias" {
			place[part]++
		}
	}
	if f, ok := l.rows.(floats); ok && f.shift != nil {
		t["input.shift"] = nn.Matrix{Rows: 1, Cols: len(f.shift), Data: slices.Clone(f.shift)}
		t["input.scale"] = nn.Matrix{Rows: 1, Cols: len(f.scale), Data: slices.Clone(f.scale)}
	}
	return t
}

// additive makes the mechanism that p describes for a representation of the
// given width. It releases as many numbers as it takes.
func additive(p mech.Params, width int) (mech.Mechanism, error) {
	if p.Dim != 0 && p.Dim != width {
		return nil, fmt.Errorf("train: dim of the mechanism is %d, must be that of the representation, %d", p.Dim, width)
	}
	p.Dim = width
	m, err := mech.New(p)
	if err != nil {
		return nil, err
	}
	_, err = model.Normaliser(m.Params())
	return m, err
}
