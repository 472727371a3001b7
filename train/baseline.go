package train

import "context"

// Majority always answers the commonest class of the rows it is fitted on.
type Majority struct{}

// Fit implements [Method].
func (Majority) Fit(_ context.Context, d Data, _ Options) (*Model, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	counts := make([]float32, d.Classes)
	for _, row := range d.Train {
		counts[d.Y[row]]++
	}
	return &Model{
		architecture: Architecture{Inputs: d.X.Cols, Classes: d.Classes, Constant: CommonestClass},
		majority:     argmax(counts),
	}, nil
}

// Random answers each class with the same probability.
type Random struct{}

// Fit implements [Method].
func (Random) Fit(_ context.Context, d Data, _ Options) (*Model, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	return &Model{architecture: Architecture{Inputs: d.X.Cols, Classes: d.Classes, Constant: AnyClass}}, nil
}
