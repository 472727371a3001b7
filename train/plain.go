package train

import (
	"context"
	"strings"

	"sotto/train/model"
)

// Plain trains the model that stays on the trusted side for [Codes] and
// [Label]: what could be told of a text if nothing had to be protected. Its
// release is the row itself.
type Plain struct {
	Training
}

// Fit implements [Method].
func (h Plain) Fit(ctx context.Context, d Data, o Options) (*model.Model, error) {
	t, err := teach(ctx, h.Training, d, o)
	if err != nil {
		return nil, err
	}
	return t.plain()
}

// plain returns the teacher as a model.
func (t *Teacher) plain() (*model.Model, error) {
	m, err := model.New(model.Architecture{Inputs: t.inputs, Standardise: t.tensors["input.shift"].Data != nil, Classifier: t.widths, Classes: t.classes[0], More: t.classes[1:]}, renamed(t.tensors, "encoder.", "classifier."))
	if err != nil {
		return nil, err
	}
	m.Kept = t.Kept
	return m, nil
}

// renamed returns copies of numbers, those of one part as those of another.
func renamed(all model.Tensors, part, as string) model.Tensors {
	numbers := make(model.Tensors)
	for name, x := range all {
		if behind, ok := strings.CutPrefix(name, part); ok {
			name = as + behind
		}
		numbers[name] = x.Clone()
	}
	return numbers
}
