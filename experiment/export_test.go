package experiment

import (
	"context"

	"sotto/dataset"
	"sotto/dp"
	"sotto/measure"
	"sotto/nn"
)

// What the tests of this package look at.
var (
	Choose    = choose
	Summarise = summarise
)

// Points lists the grid of a spec.
func (s Spec) Points() ([]Point, error) { return s.points() }

// SeveralBound is the limit for labels of so many classes, of which the reference
// gives the scores.
func SeveralBound(ctx context.Context, reference nn.Matrix, classes []int, epsilon dp.Epsilon) measure.Number {
	d := &prepared{}
	unknown := make([]int, reference.Rows)
	for i := range unknown {
		unknown[i] = dataset.Unknown // which leaves the scores as they are
		d.test = append(d.test, i)
	}
	for _, c := range classes {
		d.labels = append(d.labels, dataset.Column{Classes: make([]string, c), IDs: unknown})
	}
	s := &scorer{data: d, reference: reference}
	s.known = s.learn
	return s.severalBound(ctx, epsilon)
}

// Prepared returns how many data sets are kept.
func (s *Sets) Prepared() int {
	different := map[*prepared]bool{}
	for _, d := range s.all {
		different[d] = true
	}
	return len(different)
}
