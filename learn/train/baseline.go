package train

import (
	"context"

	"sotto/compute/nn"
	"sotto/learn/model"
)

// Majority always answers the commonest class of the rows it is fitted on.
type Majority struct{}

// Prepare implements [Method].
func (Majority) Prepare(d Data) (*Fitting, error) {
	return d.constant(model.CommonestClass, func() model.Tensors {
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
		return model.Tensors{"majority": majority}
	})
}

// Random answers each class with the same probability.
type Random struct{}

// Prepare implements [Method].
func (Random) Prepare(d Data) (*Fitting, error) {
	return d.constant(model.AnyClass, func() model.Tensors { return nil })
}

// constant makes models that look at nothing.
func (d Data) constant(c model.Constant, tensors func() model.Tensors) (*Fitting, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	a := model.Architecture{Inputs: d.X.Cols, Classes: d.Classes, More: d.classes()[1:], Constant: c}
	return &Fitting{Fit: func(context.Context, Options) (*model.Model, error) { return model.New(a, tensors()) }}, nil
}
