package train

import (
	"context"

	"sotto/learn/model"
	"sotto/promise/mech"
)

// Taught is a model of the trusted side that was trained once, to be released
// as codes at one ε after the other. It is safe for concurrent use.
type Taught struct {
	codes   Codes
	teacher *teacher
}

// Teach trains the model of the trusted side that a fit of h would train,
// whatever the ε of its release.
func (h Codes) Teach(ctx context.Context, d Data, o Options) (*Taught, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	q, err := h.teaches(d)
	if err != nil {
		return nil, err
	}
	t, err := o.Teachers.teach(ctx, q, o)
	if err != nil {
		return nil, err
	}
	return &Taught{codes: h, teacher: t}, nil
}

// Plain returns the model of the trusted side itself, which protects nothing.
func (t *Taught) Plain() (*model.Model, error) { return t.teacher.plain() }

// At returns the model that releases its answers as codes at an ε: the one that
// a fit with that ε and the seed of the teaching would give.
func (t *Taught) At(ctx context.Context, epsilon float64, o Options) (*model.Model, error) {
	h := t.codes
	h.Release = mech.Params{Mechanism: h.Release.Mechanism, Epsilon: epsilon, Dim: h.Release.Dim, Own: h.Release.Own}
	if err := h.check(); err != nil {
		return nil, err
	}
	return h.encode(ctx, t.teacher, o)
}
