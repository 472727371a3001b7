package experiment

import (
	"math"

	"sotto/compute/measure"
	"sotto/promise/dp"
)

// Tell fills in what labels come to together, of which each is told so well, on so many
// rows: the mean accuracy with its interval, and the balance of one label, or the means
// and the smallest recall of several. Answers were drawn, or counted by their law.
func (s *Score) Tell(labels []LabelScore, rows int, drawn bool) {
	accuracy, each := 0.0, make([]*measure.Balance, len(labels))
	for l, one := range labels {
		accuracy += float64(one.Accuracy) / float64(len(labels))
		each[l] = one.Balance
	}
	s.Accuracy = measure.Number(accuracy)
	if len(labels) == 1 && drawn {
		low, high := measure.ClopperPearson(int(math.Round(accuracy*float64(rows))), rows, 0.95)
		s.Low, s.High = measure.Number(low), measure.Number(high)
	} else { // a text counts for a share, not for right or wrong
		low, high := measure.Hoeffding(accuracy, rows, 0.95)
		s.Low, s.High = measure.Number(low), measure.Number(high)
	}
	if len(labels) == 1 {
		s.Balance = each[0]
		return
	}
	s.Balance, s.Labels = measure.AcrossLabels(each), labels
}

// Allow fills in what is true and the accuracy that it allows at most, by the priors of
// each label's classes, and reports whether anything follows from it.
func (s *Score) Allow(g dp.Guarantee, labels [][]float64) bool {
	s.True, s.Delta, s.Unit = &g.Epsilon, g.Delta, g.Unit
	if g.Unit != dp.Text || g.Delta != 0 {
		return false
	}
	s.Limit = 0
	balanced := measure.Number(0)
	for _, priors := range labels { // each label is bounded for itself
		s.Limit += measure.AccuracyLimit(g.Epsilon, priors) / measure.Number(len(labels))
		balanced += measure.AccuracyLimit(g.Epsilon, measure.Alike(priors)) / measure.Number(len(labels))
	}
	s.Balance.Limit = &balanced
	return true
}
