package train

import "context"

// Majority always answers the commonest class of the rows it is fitted on.
type Majority struct{}

// Fit implements [Method].
func (Majority) Fit(_ context.Context, d Data, _ Options) (*Model, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	m := &Model{architecture: Architecture{Inputs: d.X.Cols, Classes: d.Classes, More: d.classes()[1:], Constant: CommonestClass}}
	labels := d.labels()
	for l, classes := range d.classes() {
		counts := make([]float32, classes)
		for _, row := range d.Train {
			if y := labels[l][row]; y != Unknown {
				counts[y]++
			}
		}
		m.majority = append(m.majority, argmax(counts))
	}
	return m, nil
}

// Random answers each class with the same probability.
type Random struct{}

// Fit implements [Method].
func (Random) Fit(_ context.Context, d Data, _ Options) (*Model, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	return &Model{architecture: Architecture{Inputs: d.X.Cols, Classes: d.Classes, More: d.classes()[1:], Constant: AnyClass}}, nil
}
