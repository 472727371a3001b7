package errors

import (
	"context"
	"math"
	"slices"

	"sotto/compute/forest"
	"sotto/compute/measure"
	"sotto/compute/nn"
)

// The ways to combine the forest with what the model itself doubts.
const (
	byRanks    = "mean of ranks"
	byLogistic = "logistic regression"
	byFeatures = "forest with doubts as features"
)

// learner is what is learnt on a training part: a forest of the features, and the
// best way to combine it with doubts.
type learner struct {
	forest  *forest.Forest
	grid    []forest.Tried
	way     string // of the combination; "" if there are no doubts
	best    int    // which doubt is meant by ranks
	known   [2][]float64
	weights *logistic
	wide    *forest.Forest // of features and doubts
}

// study is one table, split again and again.
type study struct {
	o      Options
	wrong  []bool
	doubts []doubt
	narrow *forest.Matrix // of features
	wide   *forest.Matrix // of features and doubts
}

func newStudy(a *Answers, x *Features, o Options) (*study, error) {
	s := &study{o: o, wrong: a.Wrong, doubts: a.doubts()}
	var err error
	if s.narrow, err = forest.NewMatrix(len(x.Names), x.Rows); err != nil {
		return nil, err
	}
	rows := make([]Row, len(x.Rows))
	for i, r := range x.Rows {
		rows[i] = slices.Clone(r)
		for k, d := range s.doubts {
			if d.score[i] != 0 {
				rows[i] = append(rows[i], Cell{Column: len(x.Names) + k, Value: d.score[i]})
			}
		}
	}
	s.wide, err = forest.NewMatrix(len(x.Names)+len(s.doubts), rows)
	return s, err
}

// learn chooses the size of leaves by cross-validation on the given rows, and the way
// to combine by the answers that the validation gave to each fold. Where there is one
// size alone, the answers of trees to rows that they have not seen do as well, and cost
// nothing.
func (s *study) learn(ctx context.Context, rows []int, seed uint64) (*learner, error) {
	grid := make([]forest.Options, len(s.o.Leaves))
	for k, leaf := range s.o.Leaves {
		grid[k] = s.o.Forest
		grid[k].MinLeaf, grid[k].Seed = leaf, seed
	}
	l := &learner{}
	best, seen, err := 0, []float64(nil), error(nil)
	if len(grid) > 1 {
		if best, l.grid, err = forest.Choose(ctx, s.narrow, rows, s.wrong, grid, s.o.Folds, seed, s.o.Workers); err != nil {
			return nil, err
		}
		seen = l.grid[best].Scores
	}
	if l.forest, err = grid[best].Fit(ctx, s.narrow, rows, s.wrong, s.o.Workers); err != nil || len(s.doubts) == 0 {
		return l, err
	}
	if seen == nil {
		seen = unseen(l.forest, s.narrow, s.o.Workers)
	}
	wrong := nn.Pick(s.wrong, rows)
	doubts := s.pick(rows)
	reached := map[string]float64{}
	for k := range doubts {
		if measure.AUC(wrong, doubts[k]) > measure.AUC(wrong, doubts[l.best]) {
			l.best = k
		}
	}
	l.known = [2][]float64{slices.Sorted(slices.Values(seen)), slices.Sorted(slices.Values(doubts[l.best]))}
	reached[byRanks] = measure.AUC(wrong, l.ranks(seen, doubts[l.best]))
	l.weights = fitLogistic(append([][]float64{seen}, doubts...), wrong)
	reached[byLogistic] = measure.AUC(wrong, l.weights.apply(append([][]float64{seen}, doubts...), len(rows)))
	if reached[byFeatures], err = s.widen(ctx, l, rows, grid[best]); err != nil {
		return nil, err
	}
	for _, way := range []string{byRanks, byLogistic, byFeatures} {
		if l.way == "" || reached[way] > reached[l.way] {
			l.way = way
		}
	}
	if l.way == byFeatures && l.wide == nil {
		l.wide, err = grid[best].Fit(ctx, s.wide, rows, s.wrong, s.o.Workers)
	}
	return l, err
}

// widen returns the area that a forest of features and doubts reaches on rows that it
// has not seen.
func (s *study) widen(ctx context.Context, l *learner, rows []int, o forest.Options) (float64, error) {
	if len(s.o.Leaves) > 1 {
		_, wide, err := forest.Choose(ctx, s.wide, rows, s.wrong, []forest.Options{o}, s.o.Folds, o.Seed, s.o.Workers)
		if err != nil {
			return 0, err
		}
		return wide[0].AUC, nil
	}
	var err error
	if l.wide, err = o.Fit(ctx, s.wide, rows, s.wrong, s.o.Workers); err != nil {
		return 0, err
	}
	return measure.AUC(nn.Pick(s.wrong, rows), unseen(l.wide, s.wide, s.o.Workers)), nil
}

// unseen returns what the trees of a forest say of rows of the training that they have
// not seen, and one half of what all have.
func unseen(f *forest.Forest, m *forest.Matrix, workers int) []float64 {
	p := f.OutOfBag(m, workers)
	for i, v := range p {
		if math.IsNaN(v) {
			p[i] = 0.5
		}
	}
	return p
}

// pick returns the doubts of some rows.
func (s *study) pick(rows []int) [][]float64 {
	some := make([][]float64, len(s.doubts))
	for k, d := range s.doubts {
		some[k] = nn.Pick(d.score, rows)
	}
	return some
}

// ranks returns the mean of the places that scores take among those of the training.
func (l *learner) ranks(score, doubt []float64) []float64 {
	a, b := below(l.known[0], score), below(l.known[1], doubt)
	for i := range a {
		a[i] = (a[i] + b[i]) / 2
	}
	return a
}

// score ranks rows by each ranker.
func (s *study) score(l *learner, rows []int) map[string][]float64 {
	doubts := s.pick(rows)
	all := map[string][]float64{Forest: l.forest.Predict(s.narrow, rows, s.o.Workers)}
	for k, d := range s.doubts {
		all[d.name] = doubts[k]
	}
	switch l.way {
	case byRanks:
		all[Combined] = l.ranks(all[Forest], doubts[l.best])
	case byLogistic:
		all[Combined] = l.weights.apply(append([][]float64{all[Forest]}, doubts...), len(rows))
	case byFeatures:
		all[Combined] = l.wide.Predict(s.wide, rows, s.o.Workers)
	}
	return all
}
