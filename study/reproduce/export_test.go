package reproduce

import (
	"context"
	weakrand "math/rand/v2"

	"sotto/compute/measure"
	"sotto/compute/nn"
	"sotto/data/dataset"
)

// Carve exports carve to tests.
func Carve(rows []int, share float64, rng *weakrand.Rand) (rest, drawn []int) {
	return carve(rows, share, rng)
}

// BagMean exports the mean of words to tests.
func BagMean(words nn.Matrix, rows [][]int) nn.Matrix {
	return bag{words: words, rows: rows}.mean(words)
}

// Worst exports worst to tests.
func Worst(of []Release) Release { return worst(of) }

// Include exports include to tests.
func (m *Miss) Include(most, bound float64) { m.include(most, bound) }

// Sentences exports sentences to tests.
type Sentences = sentences

// LoadSentences loads a set in a hurry or not.
func LoadSentences(name string, seeds int, quick bool) (*Sentences, error) {
	w := &work{Options: Options{Quick: quick}, seeds: seeds}
	return w.load(name)
}

// NewSentences makes a set of which every row is needed.
func NewSentences(set *dataset.Set, train, validation, test []int) *Sentences {
	s := &sentences{Set: set, splits: []split{{train, validation, test}}}
	for row := range set.Rows {
		s.rows = append(s.rows, row)
	}
	return s
}

// Parts returns the rows of a seed's split, and those that any split needs.
func (s *sentences) Parts(seed int) (train, validation, test, needed []int) {
	p := s.splits[seed]
	return p.train, p.validation, p.test, s.rows
}

// Texts exports texts to tests.
func (s *sentences) Texts() []string { return s.texts() }

// Pick exports pick to tests.
func (s *sentences) Pick(x nn.Matrix, rows []int) measure.Labelled { return s.pick(x, rows) }

// Classify exports classify to tests.
func Classify(ctx context.Context, p *nn.Pool, s *Sentences, x nn.Matrix) (train, test float64, err error) {
	got, err := classify(ctx, p, Logistic, s, x, 0)
	return got.train, got.test, err
}
