// Package sotto makes private vectors of texts, with the guarantee beside each: the API
// that most programs need, on one page. Texts stay on the trusted side, where this package
// runs; what it releases may leave.
//
//	m, err := sotto.Open(ctx, "model") // that sotto train --out, or Train, made
//	…
//	r, err := m.Release(ctx, "my parcel never arrived")
//	…
//	fmt.Println(r.Vector, r.Guarantee) // ε = 4 (text-level)
//
// [Open] opens a trained model, [OpenMechanism] an encoder and a mechanism without any
// training, [Train] makes a model from a table, and [Dial] asks a gateway that keeps a
// budget for each user. All of them give a [Release] of a text, and [Model.Decode] reads
// in it what the model was trained to tell.
//
// Noise is always fresh, of the operating system's: there is no seed to hand in. No
// error quotes a text. This package counts no budget: two releases about one person add
// up, and who must not exceed a sum of ε runs sotto gateway.
//
// It is made of the rooms of this module, which have every setting, and of no study: a
// model that was trained with masks of personal data needs a context of [text.WithTypes],
// and data that is linked by person one of own.WithLinker.
package sotto

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"unicode/utf8"

	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/learn/model"
	"sotto/learn/vectorise"
	"sotto/promise/dp"
	"sotto/promise/mech"
	"sotto/promise/noise"
	"sotto/text"
	"sotto/text/encode"
	"sotto/text/encode/catalogue"
	shipped "sotto/text/encode/cells"
)

// ErrTrained is wrapped by the error for a text that the model was trained on: no ε
// covers it. [IncludeTrained] releases it all the same.
var ErrTrained = errors.New("the model was trained on this text, so that no guarantee covers it")

// Release is what leaves the trusted side of one text.
type Release struct {
	// Vector is the release itself. Where a model releases one of several codes, it is
	// the index of the code, a single number.
	Vector []float64 `json:"vector"`
	// Guarantee says how little the vector tells of the text: ε, between which texts, and
	// under which assumptions. It is that of one release; those of the same text add up.
	Guarantee dp.Guarantee `json:"guarantee"`
	Scope     string       `json:"scope"`   // what counts as one release
	Against   string       `json:"against"` // whom the guarantee binds, and whom it does not
	// Uncovered says why nothing is promised of this text, and ε is infinite then; "" where
	// the guarantee covers it.
	Uncovered string `json:"uncovered,omitempty"`
}

// Label is what a release tells of one question that the model was trained for.
type Label struct {
	Name  string `json:"name"`
	Class string `json:"class"` // the likeliest
	// Probabilities are those that the model gives each class, by its name.
	Probabilities map[string]float64 `json:"probabilities"`
}

// Option changes how a model is opened.
type Option func(*settings)

type settings struct {
	include bool
	maskers []text.Masker
}

// IncludeTrained releases texts that the model was trained on, too. Their releases say
// that nothing is promised of them.
func IncludeTrained() Option { return func(s *settings) { s.include = true } }

// Mask masks parts of each text before anything else, such as names of a list. No
// guarantee rests on it. A model that was trained with masks needs the same ones.
func Mask(maskers ...text.Masker) Option {
	return func(s *settings) { s.maskers = append(s.maskers, maskers...) }
}

// Model releases texts: a trained model, or an encoder with a mechanism. It is safe for
// concurrent use until it is closed.
type Model struct {
	opened   *model.Opened // nil without training
	job      vectorise.Job // all but the texts
	trained  *model.Trained
	masked   []text.Masker // those that masked what the model was trained on
	promise  Release       // what each release says, but for its vector
	settings settings

	mu     sync.Mutex   // guards the rest
	reader *model.Model // that decodes; what it returns is valid until it is asked again
}

// Open opens the folder of a trained model: one that sotto train --out or [Train] made, if
// it holds a single model, or that of a seed in it. It refuses a model whose releases no
// finite ε protects, and runs nothing that the folder names: where its encoder is a
// program or an address, the context must permit it (catalogue.Permit).
func Open(ctx context.Context, dir string, options ...Option) (*Model, error) {
	folders, err := model.Folders(dir)
	if err != nil {
		return nil, err
	}
	if len(folders) == 1 {
		return open(ctx, folders[0], options)
	}
	var can []string
	for _, folder := range folders {
		if m, failed := open(ctx, folder, options); failed == nil {
			can, err = append(can, folder), errors.Join(err, m.Close())
		}
	}
	if len(can) == 0 {
		return nil, fmt.Errorf("sotto: %s holds %d models and none can be opened: name one to learn why, such as %s", dir, len(folders), folders[0])
	}
	return nil, errors.Join(fmt.Errorf("sotto: %s holds several models, must be one of %s", dir, strings.Join(can, ", ")), err)
}

// open opens the folder of one model.
func open(ctx context.Context, dir string, options []Option) (*Model, error) {
	opened, err := model.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	if len(opened.Numbers) > 0 {
		return nil, fmt.Errorf("sotto: %s takes the columns %s beside texts, which a text alone has not: release a file with sotto encode --model", dir, strings.Join(opened.Numbers, ", "))
	}
	m := &Model{opened: opened, reader: opened.Model.Clone(), settings: settle(options)}
	if err = m.mask(ctx); err != nil {
		return nil, err
	}
	release := opened.Model.Architecture().Release
	if release == nil {
		return nil, fmt.Errorf("sotto: %s has no mechanism, must have one: its vectors promise nothing", dir)
	}
	mechanism, err := mech.New(*release)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	batch, err := opened.Model.Batch(runtime.GOMAXPROCS(0))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	m.job.Model = &oneAtATime{Batch: batch}
	m.trained, m.masked, err = opened.Trained(m.settings.maskers)
	if errors.Is(err, model.ErrNotKnown) {
		m.trained, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	e, err := opened.Source(ctx)
	if err == nil {
		err = opened.Fits(e)
	}
	return m.ready(e, mechanism, err)
}

// mask opens the masks of personal data that the model was trained with, and refuses a
// model of which others are missing.
func (m *Model) mask(ctx context.Context) error {
	for _, rule := range m.opened.Masks.LackingOf(m.settings.maskers) {
		if !text.IsTypes(rule) {
			continue
		}
		typed, err := text.OpenTypes(ctx, rule, text.TypesOptions{})
		if err != nil {
			return fmt.Errorf("sotto: %s was trained with texts masked by %q: %w", m.opened.Folder, rule, err)
		}
		m.settings.maskers = append(m.settings.maskers, typed)
	}
	if lacking := m.opened.Masks.LackingOf(m.settings.maskers); len(lacking) > 0 {
		return fmt.Errorf("sotto: %s was trained with texts masked by %q, must be opened with the same masks", m.opened.Folder, lacking)
	}
	if masks := m.opened.Masks; masks.Dropout > 0 {
		m.job.Drop = func(masked []bool) { mech.DrawMasks(masked, masks.Dropout, masks.Draw, noise.Crypto()) }
	}
	return nil
}

// cells is the parameter of a mechanism that public cells are for.
const cells = "cells"

// OpenMechanism opens an encoder, and a mechanism that releases its vectors, with nothing
// trained: "default" and mech.Params{Mechanism: "cells", Epsilon: 4} need no file. See
// sotto encoder list and sotto epsilon for what there is. It refuses a mechanism without a
// finite ε. An encoder that is a program is run, and one that is an address is asked.
func OpenMechanism(ctx context.Context, encoder string, p mech.Params, options ...Option) (*Model, error) {
	if p.Epsilon == 0 {
		return nil, errors.New("sotto: no ε is given, must be that of each release")
	}
	if mech.Uses(p.Mechanism, cells) && p.Value(cells) == nil {
		public, err := shipped.ShippedFor("", encoder, p.Epsilon)
		if err != nil {
			return nil, err
		}
		p = p.With(public.Given())
	}
	e, err := catalogue.Open(ctx, catalogue.Said(encoder), dataset.Dir())
	if err != nil {
		return nil, err
	}
	mechanism, err := mech.New(p.Fit(e.Dim()))
	if err == nil {
		if in, _ := mechanism.Shape(); in != e.Dim() {
			err = fmt.Errorf("sotto: %s takes rows of %d numbers, but the encoder makes %d", p.Mechanism, in, e.Dim())
		}
	}
	m := &Model{settings: settle(options)}
	m.job.Mechanism = mechanism
	return m.ready(e, mechanism, err)
}

// ready completes a model by its encoder, which it closes if there is an error, and by what
// each release promises.
func (m *Model) ready(e encode.Source, mechanism mech.Mechanism, err error) (*Model, error) {
	if err == nil && !(mechanism.Guarantee().Epsilon < dp.Infinite) {
		a := mechanism.Profile()
		err = fmt.Errorf("sotto: %s %s promises nothing: %s", mechanism.Params().Mechanism, a.Variant, a.Reason)
	}
	m.job.Encoder, m.job.Maskers, m.job.Workers = e, m.settings.maskers, runtime.GOMAXPROCS(0)
	if err != nil {
		if e != nil {
			err = errors.Join(err, m.Close())
		}
		return nil, err
	}
	record := mech.NewRecord(mechanism, "")
	m.promise = Release{Guarantee: record.Guarantee, Scope: record.Scope, Against: record.Against}
	var own *model.Model
	if m.opened != nil {
		own = m.opened.Model
	}
	assumed := append(append([]string{}, record.Guarantee.Assumptions...), model.Uncovered(e, own)...)
	if own != nil && m.trained == nil {
		assumed = append(assumed, "which texts the model was trained on is not known, since its folder does not say it; those are not covered")
	}
	m.promise.Guarantee.Assumptions = assumed
	return m, nil
}

func settle(options []Option) (s settings) {
	for _, o := range options {
		o(&s)
	}
	return s
}

// oneAtATime lets several goroutines release through a model.
type oneAtATime struct {
	mu sync.Mutex
	*model.Batch
}

// Release implements [vectorise.Releaser].
func (o *oneAtATime) Release(x nn.Matrix) ([]float64, []error, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.Batch.Release(x)
}

// Guarantee returns what each release promises, of a text that it covers.
func (m *Model) Guarantee() dp.Guarantee {
	g := m.promise.Guarantee
	g.Assumptions = append([]string{}, g.Assumptions...)
	return g
}

// Measured returns what was measured when the model was trained, such as accuracy, each a
// share from 0 to 1; empty for an encoder with a mechanism.
func (m *Model) Measured() map[string]float64 {
	if m.opened == nil {
		return nil
	}
	return maps.Clone(m.opened.Manifest.Metrics)
}

// Close ends the encoder, where it is a program or a mapped file.
func (m *Model) Close() error {
	if c, ok := m.job.Encoder.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// Release releases a text, with fresh noise each time. Where the model was trained on
// the text, the error wraps [ErrTrained].
func (m *Model) Release(ctx context.Context, text string) (Release, error) {
	all, err := m.ReleaseBatch(ctx, []string{text})
	if err != nil {
		return Release{}, err
	}
	return all[0], nil
}

// ReleaseBatch releases texts, each with noise of its own, or none of them.
func (m *Model) ReleaseBatch(ctx context.Context, texts []string) ([]Release, error) {
	all := make([]Release, len(texts))
	for i, t := range texts {
		if !utf8.ValidString(t) {
			return nil, fmt.Errorf("sotto: text %d of %d is not UTF-8, must be", i+1, len(texts))
		}
		all[i] = m.promise
		all[i].Guarantee = m.Guarantee()
		if m.trained == nil || !m.trained.Text(t, m.masked, nil) {
			continue
		}
		if !m.settings.include {
			return nil, fmt.Errorf("sotto: text %d of %d: %w", i+1, len(texts), ErrTrained)
		}
		all[i].Guarantee.Epsilon, all[i].Guarantee.Delta, all[i].Uncovered = dp.Infinite, 0, ErrTrained.Error()
	}
	vectors, err := m.job.Texts(ctx, texts)
	if err != nil {
		return nil, err
	}
	for i, v := range vectors {
		all[i].Vector = v
	}
	return all, nil
}

// Decode says what a release of this model tells, one Label for each question that it was
// trained for. It looks at the vector alone, so that it adds nothing to what is known of
// the text, and a receiver may do it. It also takes a code that is spelt as the vector
// with a 1 in its place, as gateways do. An encoder with a mechanism answers nothing.
func (m *Model) Decode(r Release) ([]Label, error) {
	if m.opened == nil {
		return nil, errors.New("sotto: an encoder with a mechanism answers no label, must be a trained model")
	}
	x := nn.NewMatrix(1, m.opened.Model.Dim())
	switch coded := len(m.opened.Model.Architecture().Answers) > 0; {
	case coded && len(r.Vector) == 1:
		code := r.Vector[0]
		if !(code >= 0 && code < float64(x.Cols) && code == math.Trunc(code)) {
			return nil, fmt.Errorf("sotto: the release is no code of the model, must be from 0 to %d", x.Cols-1)
		}
		x.Data[int(code)] = 1
	case len(r.Vector) != x.Cols:
		return nil, fmt.Errorf("sotto: the release has %d numbers, must have %d as those of the model", len(r.Vector), x.Cols)
	default:
		for i, v := range r.Vector {
			x.Data[i] = float32(v)
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	y := m.reader.Logits(nn.NewPool(1), x)
	if y.Finite() != nil {
		return nil, errors.New("sotto: the release is not finite, or too large to be read")
	}
	var all []Label
	scores := y.Row(0)
	for _, label := range m.opened.Labels {
		own := scores[:len(label.Classes)]
		scores = scores[len(label.Classes):]
		l := Label{Name: label.Name, Class: label.Classes[nn.Argmax(own)], Probabilities: map[string]float64{}}
		nn.Softmax(own, own)
		for c, class := range label.Classes {
			l.Probabilities[class] = float64(own[c])
		}
		all = append(all, l)
	}
	return all, nil
}

// Folder returns the folder that the model was opened from, "" for none.
func (m *Model) Folder() string {
	if m.opened == nil {
		return ""
	}
	return filepath.Clean(m.opened.Folder)
}
