package train

import (
	"context"
	"fmt"
)

// Plain trains the model that stays on the trusted side for [Codes] and
// [Label]: what could be told of a text if nothing had to be protected. Its
// release is the row itself.
type Plain struct {
	Training
}

// Fit implements [Method].
func (h Plain) Fit(ctx context.Context, d Data, o Options) (*Model, error) {
	t, err := teach(ctx, h.Training, d, o)
	if err != nil {
		return nil, err
	}
	return t.plain()
}

// plain returns the teacher as a model.
func (t *Teacher) plain() (*Model, error) {
	numbers := make(tensors)
	for name, x := range t.tensors {
		numbers[name] = x.Clone()
	}
	for i := range t.widths {
		for _, kind := range []string{"weight", "bias"} {
			from := fmt.Sprintf("encoder.%d.%s", i, kind)
			numbers[fmt.Sprintf("classifier.%d.%s", i, kind)] = numbers[from]
			delete(numbers, from)
		}
	}
	m, err := newModel(Architecture{Inputs: t.inputs, Standardise: t.shift != nil, Classifier: t.widths, Classes: t.classes[0], More: t.classes[1:]}, numbers)
	if err != nil {
		return nil, err
	}
	m.Kept = t.Kept
	return m, nil
}
