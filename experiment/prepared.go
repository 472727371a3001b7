package experiment

import (
	"cmp"
	"context"
	"runtime"

	"sotto/dataset"
	"sotto/train"
	"sotto/train/model"
)

// Prepared is the data of a [Spec] as numbers, with the first of its methods,
// for those who do something else with both than [Run] does. Others may share
// it: it is only read.
type Prepared struct {
	train.Data
	Test   []int // rows to measure on
	Record model.DataRecord
	Notes  []string
	Labels []dataset.Column // of all rows, the first label first
	Method train.Method
	Spec   Spec // filled
}

// Prepare loads and encodes the data of a spec, as [Run] would.
func Prepare(ctx context.Context, s Spec, o Options) (*Prepared, error) {
	s, err := s.Filled()
	if err != nil {
		return nil, err
	}
	d, err := o.Sets.prepare(ctx, s.wants(), s.In, cmp.Or(o.Workers, runtime.GOMAXPROCS(0)))
	if err != nil {
		return nil, err
	}
	points, err := s.points()
	if err != nil {
		return nil, err
	}
	set, err := (&runner{data: d}).prepare(s, points[0])
	if err != nil {
		return nil, err
	}
	return &Prepared{Data: d.Data, Test: d.test, Record: d.record, Notes: d.notes, Labels: d.labels, Method: set.method, Spec: s}, nil
}
