// Package predictor makes predictors, as package explain asks them, of models of this
// module, of programs and of addresses.
//
// A model that releases through a mechanism has two views: how it answers before the
// release, and how often a receiver answers what, over everything that the release
// may draw. Both are computed on the trusted side and are as secret as the texts. The
// smallest use is
//
//	m, err := predictor.Load(ctx, "model", predictor.Options{})
//	e, err := explain.SHAP{}.Explain(ctx, m, "a text", explain.Predicted)
package predictor

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"sotto/compute/nn"
	"sotto/learn/experiment"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/study/explain"
	"sotto/text"
	"sotto/text/encode"
)

// View says which answers of a model are explained.
type View string

// The views.
const (
	// Before is what the model would answer if nothing were drawn.
	Before View = "before"
	// Expected is how often a receiver of releases answers each class.
	Expected View = "expected"
)

// Views lists the views.
func Views() []string { return []string{string(Before), string(Expected)} }

// Options say how a model is asked. The zero value is usable.
type Options struct {
	View    View   // "" means Before
	Label   string // of a model with several; "" means the first
	Draws   int    // of a release whose law is not known; 0 means 200
	Seed    uint64 // of these
	Workers int    // 0 means 1
	// Maskers are what masks texts, as in training.
	Maskers []text.Masker
}

// Model is a model of this module as a predictor. It is safe for concurrent use.
type Model struct {
	options Options
	opened  *model.Opened // nil for one that was made by New
	named   string        // what opens the encoder
	source  encode.Source
	model   *model.Model
	info    model.Manifest
	label   int
	classes []string
	column  int // of the label's first class among the scores

	mu     sync.Mutex // guards what follows, which has buffers
	pool   *nn.Pool
	bare   *model.Bare // nil if the model is nothing before its release
	noBare error
	reader *reader // of gradients of a transformer, made when they are asked for
}

var (
	_ explain.Opener         = (*Model)(nil)
	_ explain.Differentiable = (*Model)(nil)
)

// Load loads the model at dir, or the first below it, and opens its encoder.
func Load(ctx context.Context, dir string, o Options) (*Model, error) {
	opened, err := experiment.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	source, err := opened.Source(ctx)
	if err != nil {
		return nil, err
	}
	p, err := New(opened.Model, opened.Manifest, source, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", opened.Folder, err)
	}
	p.opened, p.named = opened, string(opened.Encoder)
	return p, nil
}

// Trained returns what the model's folder knows of the texts that it was trained on,
// and what masked them; where it knows nothing the error wraps [model.ErrNotKnown].
func (m *Model) Trained() (*model.Trained, []text.Masker, error) {
	if m.opened == nil {
		return nil, nil, fmt.Errorf("predictor: %w", model.ErrNotKnown)
	}
	return m.opened.Trained(m.options.Maskers)
}

// New makes a predictor of a model and what makes vectors of texts for it. Gradients
// of a transformer need the folder that its name says, or that Load knows.
func New(m *model.Model, info model.Manifest, source encode.Source, o Options) (*Model, error) {
	o.View, o.Draws, o.Workers = cmp.Or(o.View, Before), cmp.Or(o.Draws, 200), cmp.Or(o.Workers, 1)
	a := m.Architecture()
	info.Architecture = a
	labels, err := info.Labels()
	if err != nil {
		return nil, err
	}
	p := &Model{options: o, source: source, named: source.Name(), model: m.Clone(), info: info, pool: nn.NewPool(max(1, o.Workers))}
	if err = p.refuse(); err != nil {
		return nil, err
	}
	if err = p.choose(labels); err != nil {
		return nil, err
	}
	if p.bare, p.noBare = m.Bare(); p.noBare != nil && (o.View == Before || a.Constant != "") {
		if a.Constant == "" {
			return nil, fmt.Errorf("%w; the view %q explains what receivers answer", p.noBare, Expected)
		}
		return nil, p.noBare
	}
	return p, nil
}

// choose finds the label that is explained.
func (m *Model) choose(labels []model.LabelRecord) error {
	var names []string
	for i, l := range labels {
		if m.options.Label == "" || m.options.Label == l.Name {
			m.label, m.classes = i, l.Classes
			return nil
		}
		names = append(names, l.Name)
		m.column += len(l.Classes)
	}
	return fmt.Errorf("predictor: label is %q, must be one of %s", m.options.Label, strings.Join(names, ", "))
}

// refuse refuses options and models that texts alone cannot be given to.
func (m *Model) refuse() error {
	o, a := m.options, m.info.Architecture
	switch {
	case o.View != Before && o.View != Expected:
		return fmt.Errorf("predictor: view is %q, must be %s", o.View, strings.Join(Views(), " or "))
	case o.Draws < 2 || o.Draws > 100_000:
		return fmt.Errorf("predictor: draws is %d, must be from 2 to 100,000", o.Draws)
	case o.Workers < 1:
		return fmt.Errorf("predictor: workers is %d, must be at least 1", o.Workers)
	case o.View == Expected && a.Release == nil:
		return fmt.Errorf("predictor: the model has no mechanism, so that nothing is drawn: only the view %q has a meaning", Before)
	}
	if numbers, _, err := m.info.Data.Numbers(); err != nil || len(numbers) > 0 {
		return fmt.Errorf("predictor: the model reads columns of numbers beside texts, must read texts alone")
	}
	if m.source.Dim() != a.Inputs {
		return fmt.Errorf("predictor: the model takes %d numbers and the encoder %s makes %d, must be as many; a model of pairs of texts cannot be asked about one", a.Inputs, m.source.Name(), m.source.Dim())
	}
	if lacking := m.info.Masked().LackingOf(o.Maskers); len(lacking) > 0 {
		return fmt.Errorf("predictor: the model was trained with texts masked by %q, must be given the same masks", lacking)
	}
	return nil
}

// Classes implements [explain.Predictor].
func (m *Model) Classes() []string { return slices.Clone(m.classes) }

// View returns which answers are explained.
func (m *Model) View() View { return m.options.View }

// Folder returns where the model lies that Load found; "" of one that New was given.
func (m *Model) Folder() string {
	if m.opened == nil {
		return ""
	}
	return m.opened.Folder
}

// Manifest returns what the folder of the model says of it.
func (m *Model) Manifest() model.Manifest { return m.info }

// Guarantee returns what one release of the model promises.
func (m *Model) Guarantee() dp.Guarantee { return m.model.Guarantee() }

// Source returns what makes vectors of texts.
func (m *Model) Source() encode.Source { return m.source }

// Predict implements [explain.Predictor].
func (m *Model) Predict(ctx context.Context, texts []string) ([][]float64, error) {
	x, err := m.encode(ctx, texts)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.answer(ctx, x)
}

// encode makes vectors of texts, masked as in training.
func (m *Model) encode(ctx context.Context, texts []string) (nn.Matrix, error) {
	if len(m.options.Maskers) == 0 {
		return encode.Texts(ctx, m.source, texts, m.options.Workers)
	}
	masks := make([]text.Masking, len(texts))
	for i, s := range texts {
		masks[i] = text.Mask(s, nil, m.options.Maskers...)
	}
	return encode.Masked(ctx, m.source, texts, masks, m.options.Workers)
}

// answer answers rows by the view. The caller holds the lock.
func (m *Model) answer(ctx context.Context, x nn.Matrix) ([][]float64, error) {
	if m.options.View == Expected {
		r, err := m.received(ctx, x)
		if err != nil {
			return nil, err
		}
		return r.Answers, nil
	}
	if err := x.Finite(); err != nil {
		return nil, err
	}
	return m.before(x), nil
}

// before answers rows as the model does if nothing is drawn.
func (m *Model) before(x nn.Matrix) [][]float64 {
	scores := m.bare.Scores(m.pool, x)
	n := len(m.classes)
	rows, all := make([][]float64, x.Rows), make([]float64, x.Rows*n)
	for i := range rows {
		rows[i] = all[i*n : (i+1)*n : (i+1)*n]
		softmax(rows[i], scores.Row(i)[m.column:m.column+n])
	}
	return rows
}

// softmax sets dst to the probabilities that scores stand for.
func softmax(dst []float64, scores []float32) {
	top, sum := float64(slices.Max(scores)), 0.0
	for i, v := range scores {
		dst[i] = math.Exp(float64(v) - top)
		sum += dst[i]
	}
	for i := range dst {
		dst[i] /= sum
	}
}
