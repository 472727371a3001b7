// Package counted says of answers that were only counted what "sotto evaluate" says of
// rows: workers that hold a part of them each count, and their counts add up.
package counted

import (
	"errors"
	"slices"

	"sotto/dataset"
	"sotto/dp"
	"sotto/experiment"
	"sotto/experiment/score"
	"sotto/measure"
	"sotto/mech"
	"sotto/train/model"
)

// Answers is how a model answered rows that are not those of a data set, such as the
// releases of a job: counts are all that is left of them.
type Answers struct {
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
}

// Evaluation returns what [experiment.Evaluate] says of such rows, as far as counts tell it: of
// what was drawn, so that numbers of codes are not those of their law. It refuses
// counts of which a label has no row.
func (c Answers) Evaluation() (*experiment.Evaluation, error) {
	s := score.Unmeasured()
	s.Seed, s.Epoch, s.Interrupted, s.Claimed = c.Seed, c.Epoch, c.Interrupted, &c.Statement.Claimed
	least := -1
	var labels []score.Label
	var priors [][]float64
	for l, counts := range c.Counts {
		rows, shares := 0, []float64(nil)
		for _, n := range counts.Rows() {
			rows, shares = rows+n, append(shares, float64(n))
		}
		if rows == 0 {
			return nil, errors.New("counted: no row has one of the model's classes, must be at least one")
		}
		for y := range shares {
			shares[y] /= float64(rows)
		}
		b := counts.Balance(dataset.Column{Classes: c.Labels[l].Classes}.Names())
		labels = append(labels, score.Label{Name: c.Labels[l].Name, Accuracy: counts.Accuracy(), Majority: measure.Number(slices.Max(shares)), Balance: &b})
		priors = append(priors, shares)
		if least < 0 || rows < least {
			least = rows
		}
	}
	if len(labels) == 0 {
		return nil, errors.New("counted: no label was counted, must be at least one")
	}
	s.Tell(labels, least, true)
	s.Allow(c.Guarantee, priors)
	m := experiment.Configuration{
		Point:    experiment.Point{Method: c.Method, Mechanism: c.Statement.Mechanism, Variant: c.Statement.Variant, Epsilon: float64(c.Statement.Claimed)},
		Selected: true, Statement: &c.Statement, Coverage: c.Coverage, Seeds: []score.Score{s},
	}
	m.Mean, m.Deviation, m.Interval = score.Summarise(m.Seeds)
	return &experiment.Evaluation{
		Format: experiment.EvaluationFormat, Dir: c.Dir, Data: c.Data, Rows: experiment.Rows{Test: least}, Reference: measure.Undefined,
		Notes: m.Vanished(c.Data, ""), Models: []experiment.Configuration{m},
		Seeds: m.Seeds, Mean: m.Mean, Deviation: m.Deviation, Interval: m.Interval,
	}, nil
}
