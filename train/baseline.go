package train

import (
	"context"

	"sotto/nn"
	"sotto/train/model"
)

// Majority always answers the commonest class of the rows it is fitted on.
type Majority struct{}

// Fit implements [Method].
func (Majority) Fit(_ context.Context, d Data, _ Options) (*model.Model, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	labels, majority := d.labels(), nn.NewMatrix(1, 1+len(d.More))
	for l, classes := range d.classes() {
		counts := make([]float32, classes)
		for _, row := range d.Train {
			if y := labels[l][row]; y != Unknown {
				counts[y]++
			}
		}
		majority.Data[l] = float32(nn.Argmax(counts))
	}
	return d.constant(model.CommonestClass, model.Tensors{"majority": majority})
}

// Random answers each class with the same probability.
type Random struct{}

// Fit implements [Method].
func (Random) Fit(_ context.Context, d Data, _ Options) (*model.Model, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	return d.constant(model.AnyClass, nil)
}

// constant makes a model that looks at nothing.
func (d Data) constant(c model.Constant, t model.Tensors) (*model.Model, error) {
	return model.New(model.Architecture{Inputs: d.X.Cols, Classes: d.Classes, More: d.classes()[1:], Constant: c}, t)
}
