package experiment

import (
	"context"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
	"sotto/promise/dp"
)

// Choose is what the tests of this package look at.
var Choose = choose

// Points lists the grid of a spec.
func (s Spec) Points() ([]Point, error) { return s.points() }

// SeveralBound is the limit for labels of so many classes, of which the reference
// gives the scores.
func SeveralBound(ctx context.Context, reference nn.Matrix, classes []int, epsilon dp.Epsilon) measure.Number {
	d := &TrainingSet{}
	unknown := make([]int, reference.Rows)
	for i := range unknown {
		unknown[i] = dataset.Unknown // which leaves the scores as they are
		d.Test = append(d.Test, i)
	}
	for _, c := range classes {
		d.Labels = append(d.Labels, dataset.Column{Classes: make([]string, c), IDs: unknown})
	}
	s := &scorer{data: d, reference: reference}
	s.known = s.learn
	return s.severalBound(ctx, epsilon)
}
