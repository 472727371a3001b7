package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"sotto/mech"
	"sotto/nn"
	"sotto/train/model"
)

// Unconstrained trains encoder and classifier, and protects nothing.
type Unconstrained struct {
	Training
}

// Fit implements [Method].
func (h Unconstrained) Fit(ctx context.Context, d Data, o Options) (*model.Model, error) {
	return against{Training: h.Training}.fit(ctx, d, o)
}

// Noise trains encoder and classifier with the noise of a mechanism between
// them, drawn anew at each pass.
type Noise struct {
	Training
	// Release is an additive mechanism: laplace-l1, laplace-l2, gaussian or
	// dpnr. Its dim is that of the representation and may be left 0.
	Release mech.Params `json:"release"`
}

// Fit implements [Method].
func (h Noise) Fit(ctx context.Context, d Data, o Options) (*model.Model, error) {
	return against{Training: h.Training, release: &h.Release}.fit(ctx, d, o)
}

// DPNR is robust training after Lyu, He and Li (EMNLP Findings 2020): vectors
// are scaled to [0, 1] by their own smallest and largest number, and get
// Laplace noise in training as in use. Release.Variant says whose noise:
// [mech.AsStated] with scale D/ε, [mech.Paper] with 1/ε, or [mech.Released] with
// one number for all coordinates. The published settings fine-tune BERT; here
// the encoder is the network of [Training] over fixed features.
type DPNR struct {
	Training
	Release mech.Params `json:"release"` // "" as mechanism means dpnr
}

// own names the mechanism of a method that has one of its own, and reports
// whether that was the one named, if any.
func own(p *mech.Params, name string) bool {
	p.Mechanism = cmp.Or(p.Mechanism, name)
	return p.Mechanism == name
}

// Fit implements [Method].
func (h DPNR) Fit(ctx context.Context, d Data, o Options) (*model.Model, error) {
	if !own(&h.Release, "dpnr") {
		return nil, fmt.Errorf("train: mechanism of DPNR is %q, must be dpnr", h.Release.Mechanism)
	}
	return against{Training: h.Training, release: &h.Release}.fit(ctx, d, o)
}

// Adversarial trains the encoder also against an adversary that predicts the
// protected attribute, by reversing its gradient. It promises nothing: the
// adversary it beats is not the attacker it meets.
type Adversarial struct {
	Training
	Lambda float64 `json:"lambda"` // weight of the adversary when fully grown; 0 means 1
}

// Fit implements [Method].
func (h Adversarial) Fit(ctx context.Context, d Data, o Options) (*model.Model, error) {
	return against{Training: h.Training, lambda: h.Lambda, rivals: 1}.fit(ctx, d, o)
}

// Multiple is [Adversarial] with several adversaries that are kept from
// learning the same (Han, Baldwin and Cohn, EACL 2021): their hidden outputs
// are drawn towards being orthogonal, which is their own concern and not the
// encoder's. So they must have hidden layers.
type Multiple struct {
	Training
	Lambda        float64 `json:"lambda"`                  // of each adversary; 0 means 1
	Adversaries   int     `json:"adversaries,omitempty"`   // 0 means 3
	Orthogonality float64 `json:"orthogonality,omitempty"` // weight of keeping them apart; 0 means 0.1
}

// Fit implements [Method].
func (h Multiple) Fit(ctx context.Context, d Data, o Options) (*model.Model, error) {
	if h.Adversaries == 0 {
		h.Adversaries = 3
	}
	if h.Adversaries < 2 || h.Adversaries > 100 {
		return nil, fmt.Errorf("train: adversaries is %d, must be from 2 to 100", h.Adversaries)
	}
	if h.Orthogonality == 0 {
		h.Orthogonality = 0.1
	}
	if h.Adversary != nil && len(h.Adversary) == 0 {
		return nil, errors.New("train: adversaries have no hidden layers, must have at least one to be kept apart")
	}
	return against{Training: h.Training, lambda: h.Lambda, rivals: h.Adversaries, apart: h.Orthogonality}.fit(ctx, d, o)
}

// Federate is [Noise] and [Adversarial] together (Maheshwari, Denis, Keller and
// Bellet, EMNLP Findings 2022). With laplace-l1, [mech.Paper] divides by the L1
// norm, as published, and [mech.Released] by the L2 norm, as the authors' code
// does, which multiplies ε by √D.
type Federate struct {
	Training
	Lambda  float64     `json:"lambda"`  // weight of the adversary when fully grown; 0 means 1
	Release mech.Params `json:"release"` // as for Noise
}

// Fit implements [Method].
func (h Federate) Fit(ctx context.Context, d Data, o Options) (*model.Model, error) {
	return against{Training: h.Training, release: &h.Release, lambda: h.Lambda, rivals: 1}.fit(ctx, d, o)
}

// against is what the methods above have in common.
type against struct {
	Training
	release *mech.Params
	lambda  float64
	rivals  int
	apart   float64
}

func (h against) fit(ctx context.Context, d Data, o Options) (*model.Model, error) {
	l, a, err := h.learn(ctx, d, o)
	if l == nil {
		return nil, err
	}
	m, failed := l.modelOf(a)
	if failed != nil {
		return nil, failed
	}
	return m, err
}

// learn trains and returns the learner with what decides its model. With an
// error the learner is nil, or holds what was kept so far.
func (h against) learn(ctx context.Context, d Data, o Options) (*learner, model.Architecture, error) {
	a := model.Architecture{Inputs: d.X.Cols, Standardise: h.Standardise}
	if err := d.Validate(); err != nil {
		return nil, a, err
	}
	t, err := h.filled(len(d.Train), h.release != nil, h.rivals > 0)
	if err != nil {
		return nil, a, err
	}
	if h.lambda == 0 {
		h.lambda = 1
	}
	if !(h.lambda >= 0 && h.lambda <= 1e6) || !(h.apart >= 0 && h.apart <= 1e6) {
		return nil, a, fmt.Errorf("train: lambda is %v and orthogonality %v, must be positive and at most 1e6", h.lambda, h.apart)
	}
	rows := floats{x: d.X}
	if h.Standardise {
		rows.shift, rows.scale = moments(d.X, d.Train)
	}
	q := plan{
		Training: t, rows: rows, widths: t.Encoder, reversal: h.lambda, rivals: h.rivals, apart: h.apart,
		optimiser: func(params []nn.Param) (*nn.Optimizer, error) { return nn.Adam{Rate: t.Rate}.New(params) },
	}
	a.Encoder = t.Encoder
	if h.release != nil {
		if q.release, err = additive(*h.release, t.dim()); err != nil {
			return nil, a, err
		}
		p := q.release.Params()
		a.Release = &p
	}
	l, err := q.fit(ctx, d, o)
	return l, a, err
}
