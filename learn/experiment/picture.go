package experiment

import (
	"context"
	"fmt"
	"math/rand/v2"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
)

// Picture shows vectors before and after their release, laid out in the plane.
// The points before release are computed from what is to be protected: a
// picture of private texts is not for publication.
type Picture struct {
	Title     string   `json:"title"`
	Layout    string   `json:"layout"` // t-sne
	Attribute string   `json:"attribute"`
	Values    []string `json:"values"` // of the attribute
	Groups    []int    `json:"groups"` // of each point, an index of Values
	Before    []Spot   `json:"before"`
	After     []Spot   `json:"after"` // of the same texts
}

// Spot is a place in the plane.
type Spot [2]float32

// layoutTSNE is the layout of a [Picture].
const layoutTSNE = "t-sne"

// sketch collects what pictures are made of. The zero value, and nil, collect
// nothing.
type sketch struct {
	data     *TrainingSet
	places   []int // in the test part
	released map[int]nn.Matrix
}

// newSketch draws the texts that pictures show. Without an attribute whose
// groups have names there is nothing to see.
func newSketch(d *TrainingSet, texts int, seed uint64) *sketch {
	if texts == 0 || d.Z == nil || len(d.Record.Groups) == 0 {
		return nil
	}
	s := &sketch{data: d, released: map[int]nn.Matrix{}}
	for _, place := range rand.New(rand.NewPCG(seed, 0x9c7)).Perm(len(d.Test)) {
		if len(s.places) < texts && d.Z[d.Test[place]] >= 0 {
			s.places = append(s.places, place)
		}
	}
	return s
}

// keep remembers the releases of a configuration, those of the test part.
func (s *sketch) keep(config int, released nn.Matrix) {
	if s == nil || released.Cols == 0 {
		return
	}
	s.released[config] = released.Gather(s.places)
}

// draw makes a picture of each selected configuration, side by side.
func (s *sketch) draw(ctx context.Context, pool *nn.Pool, all []Configuration) ([]Picture, error) {
	if s == nil || len(s.places) < 2 {
		return nil, nil
	}
	rows := dataset.Select(s.data.Test, s.places)
	groups := dataset.Select(s.data.Z, rows)
	matrices, pictures := []nn.Matrix{s.data.X.Gather(rows)}, []Picture(nil)
	for i, c := range all {
		if m, ok := s.released[i]; ok && c.Selected {
			matrices = append(matrices, m)
			pictures = append(pictures, Picture{
				Title: c.Name(), Layout: layoutTSNE, Attribute: s.data.Record.Attribute, Values: s.data.Record.Groups, Groups: groups,
			})
		}
	}
	if pictures == nil {
		return nil, nil
	}
	spots, faults := make([][]Spot, len(matrices)), make([]error, len(matrices))
	pool.Each(len(matrices), func(_, i int) {
		var at [][2]float32
		at, faults[i] = measure.TSNE(ctx, nn.NewPool(1), matrices[i], measure.PlaneOptions{Seed: 1})
		for _, p := range at {
			spots[i] = append(spots[i], p)
		}
	})
	for i, err := range faults {
		if err != nil {
			return nil, fmt.Errorf("experiment: the picture of %s: %w", pictures[max(i-1, 0)].Title, err)
		}
	}
	for i := range pictures {
		pictures[i].Before, pictures[i].After = spots[0], spots[i+1]
	}
	return pictures, nil
}
