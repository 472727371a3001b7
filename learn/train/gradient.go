package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"sotto/learn/model"
	"sotto/promise/mech"
)

// Unprotected trains encoder and classifier, and releases the representation as
// it is. [TrustedSide] has no representation that could be released.
type Unprotected struct {
	Training
}

// Prepare implements [Method].
func (h Unprotected) Prepare(d Data) (*Fitting, error) {
	return against{Training: h.Training}.prepare(d)
}

// Noise trains encoder and classifier with the noise of a mechanism between
// them, drawn anew at each pass.
type Noise struct {
	Training
	// Release is an additive mechanism: laplace-l1, laplace-l2, gaussian or
	// dpnr. Its dim is that of the representation and may be left 0.
	Release mech.Params `json:"release"`
}

// Prepare implements [Method].
func (h Noise) Prepare(d Data) (*Fitting, error) {
	return against{Training: h.Training, release: &h.Release}.prepare(d)
}

// DPNR is robust training after Lyu, He and Li (EMNLP Findings 2020): vectors
// are scaled to [0, 1] by their own smallest and largest number, and get
// Laplace noise in training as in use. Release.Variant says whose noise:
// [mech.AsStated] with scale D/ε, [mech.Paper] with 1/ε, or [mech.Released] with
// one number for all coordinates. The published settings fine-tune BERT: so does
// [Together], and on fixed features the encoder is the network of [Training] alone.
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

// Prepare implements [Method].
func (h DPNR) Prepare(d Data) (*Fitting, error) {
	if !own(&h.Release, "dpnr") {
		return nil, fmt.Errorf("train: mechanism of DPNR is %q, must be dpnr", h.Release.Mechanism)
	}
	return against{Training: h.Training, release: &h.Release}.prepare(d)
}

// Adversarial trains the encoder also against an adversary that predicts the
// protected attribute, by reversing its gradient. It promises nothing: the
// adversary it beats is not the attacker it meets.
type Adversarial struct {
	Training
	Lambda float64 `json:"lambda"` // weight of the adversary when fully grown; 0 means 1
}

// Prepare implements [Method].
func (h Adversarial) Prepare(d Data) (*Fitting, error) {
	return against{Training: h.Training, lambda: h.Lambda, rivals: 1}.prepare(d)
}

// Multiple is [Adversarial] with several adversaries that are kept from
// learning the same (Han, Baldwin and Cohn, EACL 2021): their hidden outputs
// are drawn towards being orthogonal, which is their own concern and not the
// encoder's. So they must have hidden layers.
type Multiple struct {
	Training
	Lambda        float64 `json:"lambda"`                  // of all adversaries together; 0 means 1
	Adversaries   int     `json:"adversaries,omitempty"`   // 0 means 3
	Orthogonality float64 `json:"orthogonality,omitempty"` // weight of keeping them apart; 0 means 0.1
}

// Prepare implements [Method].
func (h Multiple) Prepare(d Data) (*Fitting, error) {
	h.Adversaries, h.Orthogonality = cmp.Or(h.Adversaries, 3), cmp.Or(h.Orthogonality, 0.1)
	if h.Adversaries < 2 || h.Adversaries > 100 {
		return nil, fmt.Errorf("train: adversaries is %d, must be from 2 to 100", h.Adversaries)
	}
	if h.Adversary != nil && len(h.Adversary) == 0 {
		return nil, errors.New("train: adversaries have no hidden layers, must have at least one to be kept apart")
	}
	return against{Training: h.Training, lambda: h.Lambda, rivals: h.Adversaries, apart: h.Orthogonality}.prepare(d)
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

// Prepare implements [Method].
func (h Federate) Prepare(d Data) (*Fitting, error) {
	return against{Training: h.Training, release: &h.Release, lambda: h.Lambda, rivals: 1}.prepare(d)
}

// against is what the methods above have in common.
type against struct {
	Training
	release *mech.Params
	lambda  float64
	rivals  int
	apart   float64
}

func (h against) prepare(d Data) (*Fitting, error) {
	q, a, err := h.plan(d)
	if err != nil {
		return nil, err
	}
	return &Fitting{
		Fit:      func(ctx context.Context, o Options) (*model.Model, error) { return q.model(ctx, d, o, a) },
		Together: func(columns int, seed uint64) (*Together, error) { return q.together(d, columns, seed) },
	}, nil
}

// plan returns what is to be trained, with what decides its model.
func (h against) plan(d Data) (plan, model.Architecture, error) {
	a := model.Architecture{Inputs: d.X.Cols, Standardise: h.Standardise}
	if err := d.Validate(); err != nil {
		return plan{}, a, err
	}
	t, err := h.filled(len(d.Train), h.release != nil, h.rivals > 0)
	if err != nil {
		return plan{}, a, err
	}
	h.lambda = cmp.Or(h.lambda, 1)
	if !(h.lambda >= 0 && h.lambda <= 1e6) || !(h.apart >= 0 && h.apart <= 1e6) {
		return plan{}, a, fmt.Errorf("train: lambda is %v and orthogonality %v, must be positive and at most 1e6", h.lambda, h.apart)
	}
	q := plan{Training: t, rows: t.rows(d), widths: t.Encoder, reversal: h.lambda, rivals: h.rivals, apart: h.apart}
	a.Encoder = t.Encoder
	if h.release != nil {
		if q.release, err = additive(*h.release, t.Dim()); err != nil {
			return plan{}, a, err
		}
		p := q.release.Params()
		a.Release = &p
	}
	return q, a, q.check(d)
}
