package train

import (
	"context"

	"sotto/learn/model"
)

// TrustedSide trains the model that stays on the trusted side for [Codes] and
// [Label]: what could be told of a text if nothing had to be protected. Its
// release is the row itself.
type TrustedSide struct {
	Training
}

// Prepare implements [Method].
func (h TrustedSide) Prepare(d Data) (*Fitting, error) {
	return taught(h.lesson, d, func(_ context.Context, t *teacher, _ Options) (*model.Model, error) { return t.plain() })
}

// taught prepares a method whose model is made of a teacher.
func taught(of func(Data) (lesson, error), d Data, encode func(context.Context, *teacher, Options) (*model.Model, error)) (*Fitting, error) {
	q, err := of(d)
	if err != nil {
		return nil, err
	}
	return &Fitting{Fit: func(ctx context.Context, o Options) (*model.Model, error) {
		t, err := o.Teachers.teach(ctx, q, o)
		if err != nil {
			return nil, err
		}
		return encode(ctx, t, o)
	}}, nil
}

// plain returns the teacher as a model.
func (t *teacher) plain() (*model.Model, error) {
	m, err := model.New(model.Architecture{Inputs: t.inputs, Standardise: t.tensors["input.shift"].Data != nil, Classifier: t.widths, Classes: t.classes[0], More: t.classes[1:]}, t.tensors.Renamed("encoder.", "classifier."))
	if err != nil {
		return nil, err
	}
	m.Kept = t.Kept
	return m, nil
}
