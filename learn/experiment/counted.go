package experiment

import (
	"fmt"
	"slices"

	"sotto/compute/measure"
	"sotto/data/dataset"
	"sotto/data/table"
	"sotto/learn/model"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// This part of the package says of answers that were only counted what "sotto evaluate" says of
// rows: workers that hold a part of them each count, and their counts add up.

// CountedAnswers is how a model answered rows that are not those of a data set, such as the
// releases of a job: counts are all that is left of them.
type CountedAnswers struct {
	Dir         string           // of the model
	Data        model.DataRecord // says what the rows are
	Method      string
	Seed        uint64
	Epoch       int // that was kept
	Interrupted bool
	Statement   mech.Statement
	Coverage    string
	Guarantee   dp.Guarantee

	Labels []model.LabelRecord  // that were counted, the first one first
	Counts []*measure.Confusion // of each of them
	Before []*measure.Confusion // the same of releases without noise; nil if that was not counted
}

// Evaluation returns what [experiment.Evaluate] says of such rows, as far as counts tell it: of
// what was drawn, so that numbers of codes are not those of their law. It refuses
// counts of which a label has no row.
func (c CountedAnswers) Evaluation() (*Evaluation, error) {
	s, priors, rows, err := c.score(c.Counts)
	if err != nil {
		return nil, err
	}
	s.Claimed = &c.Statement.Claimed
	s.Allow(c.Guarantee, priors)
	m := Configuration{
		Point:    Point{Method: c.Method, Mechanism: c.Statement.Mechanism, Variant: c.Statement.Variant, Epsilon: float64(c.Statement.Claimed)},
		Selected: true, Statement: &c.Statement, Coverage: c.Coverage, Seeds: []Score{*s},
	}
	m.Mean, m.Deviation, m.Interval = Summarise(m.Seeds)
	e := &Evaluation{
		Format: EvaluationFormat, Dir: c.Dir, Data: c.Data, Rows: Rows{Test: rows}, Reference: measure.Undefined,
		Notes: m.Vanished(c.Data, ""), Models: []Configuration{m},
		Seeds: m.Seeds, Mean: m.Mean, Deviation: m.Deviation, Interval: m.Interval,
	}
	if c.Before != nil {
		e.Before, _, _, err = c.score(c.Before)
	}
	return e, err
}

// score says how well the labels are told by counts of each, on how many rows, and how
// common their classes are.
func (c CountedAnswers) score(all []*measure.Confusion) (s *Score, priors [][]float64, least int, err error) {
	if len(all) == 0 || len(all) != len(c.Labels) {
		return nil, nil, 0, fmt.Errorf("counted: there are counts of %d labels, must be of %d, and of at least one", len(all), len(c.Labels))
	}
	var labels []LabelScore
	for l, counts := range all {
		rows, shares := 0, []float64(nil)
		for _, n := range counts.Rows() {
			rows, shares = rows+n, append(shares, float64(n))
		}
		if rows == 0 {
			return nil, nil, 0, fmt.Errorf("counted: no row has a class of the label %s, must be at least one; its classes are %s", c.Labels[l].Name, table.Listed(c.Labels[l].Classes))
		}
		for y := range shares {
			shares[y] /= float64(rows)
		}
		b := counts.Balance(dataset.Column{Classes: c.Labels[l].Classes}.Names())
		labels = append(labels, LabelScore{Name: c.Labels[l].Name, Accuracy: counts.Accuracy(), Majority: measure.Number(slices.Max(shares)), Balance: &b})
		priors = append(priors, shares)
		if l == 0 || rows < least {
			least = rows
		}
	}
	one := Unmeasured()
	one.Seed, one.Epoch, one.Interrupted = c.Seed, c.Epoch, c.Interrupted
	one.Tell(labels, least, true)
	return &one, priors, least, nil
}
