package reproduce

import (
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
)

// The most rows of each part in a hurry.
const (
	quickTrain      = 1000
	quickValidation = 200
	quickTest       = 500
)

// split names the rows of the parts of a set.
type split struct{ train, validation, test []int }

// sentences is a set of labelled texts with one split for each seed. Sets with
// a published split have it every time.
type sentences struct {
	*dataset.Set
	splits []split
	rows   []int // all that a split needs, in order
}

// load reads a set as often as there are seeds, because each draws its split.
func (w *work) load(name string) (*sentences, error) {
	s := &sentences{}
	needed := map[int]bool{}
	for seed := range w.seeds {
		set, err := dataset.Load(name, dataset.Options{Dir: w.Dir, Seed: uint64(seed)})
		if err != nil {
			return nil, err
		}
		if s.Set == nil {
			s.Set = set
		}
		parts := w.parts(set, weakrand.New(weakrand.NewPCG(uint64(seed), 0)))
		s.splits = append(s.splits, parts)
		for _, row := range slices.Concat(parts.train, parts.validation, parts.test) {
			needed[row] = true
		}
	}
	for row := range s.Rows {
		if needed[row] {
			s.rows = append(s.rows, row)
		}
	}
	return s, nil
}

// parts takes the parts of a set. One without validation part lends a tenth of
// its training part.
func (w *work) parts(set *dataset.Set, rng *weakrand.Rand) split {
	p := split{set.Indices(dataset.Train), set.Indices(dataset.Validation), set.Indices(dataset.Test)}
	if len(p.validation) == 0 {
		p.train, p.validation = carve(p.train, 0.1, rng)
	}
	if w.Quick {
		p = split{some(p.train, quickTrain, rng), some(p.validation, quickValidation, rng), some(p.test, quickTest, rng)}
	}
	return p
}

// carve draws a share of the rows, at least one, and returns the others and
// these, each in order.
func carve(rows []int, share float64, rng *weakrand.Rand) (rest, drawn []int) {
	drawn = some(rows, max(1, int(share*float64(len(rows)))), rng)
	return without(rows, drawn), drawn
}

// texts returns the texts that the splits need.
func (s *sentences) texts() []string { return dataset.Select(s.Text, s.rows) }

// pick returns the given rows of the set, x standing for s.rows.
func (s *sentences) pick(x nn.Matrix, rows []int) measure.Labelled {
	at := make([]int, len(rows))
	for i, row := range rows {
		at[i], _ = slices.BinarySearch(s.rows, row)
	}
	return measure.Labelled{X: x.Gather(at), Z: dataset.Select(s.Label.IDs, rows)}
}
