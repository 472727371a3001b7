package plan

import (
	"context"
	"fmt"
	"slices"

	"sotto/compute/measure"
	"sotto/learn/experiment"
	"sotto/learn/train"
	"sotto/promise/dp"
)

// Point is what a release gives at one ε. Shares are from 0 to 1; null is not
// defined.
type Point struct {
	Epsilon float64    `json:"epsilon"` // of one release of one text
	True    dp.Epsilon `json:"true"`    // that is proved of the release, text-level with δ = 0

	// Accuracy is expected over everything that the release can give, on the
	// test rows, the mean over labels; Low and High are its 95 % interval for
	// other rows of the same kind, after Hoeffding.
	Accuracy measure.Number `json:"accuracy"`
	Low      measure.Number `json:"low"`
	High     measure.Number `json:"high"`
	// Balance is what is expected with all classes counting alike: macro-F1,
	// balanced accuracy and recalls, the mean over labels.
	measure.Balance
	// Smallest is the recall of the first label's rarest class in the test part,
	// which Result.Smallest names.
	Smallest measure.Number `json:"smallest_class_recall"`

	// Limit is an estimate of the highest accuracy that any release at ε allows:
	// the bound that is proved for the probabilities that the model without
	// protection gives, or Accuracy or what the commonest class gives if these
	// are more; never above Bound.
	Limit measure.Number `json:"limit"`
	// Bound holds whatever anybody knows: it follows from ε and the shares of the
	// classes alone. LeakageLimit is the same for the attribute: no attacker of
	// one release is right about it more often.
	Bound        measure.Number `json:"bound"`
	LeakageLimit measure.Number `json:"leakage_limit"`

	// Better says whether the release is worth more than naming the commonest
	// class whatever the text: see [Result.Margin].
	Better bool `json:"better_than_majority"`
	Codes  int  `json:"codes"` // how many answers the release chooses from
	// Labels tells of each label where there are several.
	Labels []experiment.LabelScore `json:"labels,omitempty"`
}

// At returns the point of an ε, from memory if it was asked for before.
func (p *Planner) At(ctx context.Context, epsilon float64) (Point, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at, ok := p.seen[epsilon]; ok {
		return at, nil
	}
	if err := checkEpsilon(epsilon); err != nil {
		return Point{}, err
	}
	m, err := p.taught.At(ctx, epsilon, train.Options{Pool: p.pool})
	if err != nil {
		return Point{}, err
	}
	score, err := p.data.Expect(p.pool, m)
	if err != nil {
		return Point{}, err
	}
	bound, err := p.known.Bound(ctx, *score.True)
	if err != nil {
		return Point{}, err
	}
	at := Point{
		Epsilon: epsilon, True: *score.True, Accuracy: score.Accuracy, Low: score.Low, High: score.High, Balance: *score.Balance, Labels: score.Labels,
		Bound: score.Limit, LeakageLimit: score.AttackLimit, Codes: len(m.Architecture().Answers),
	}
	// What is expected of the test rows keeps to the bound of their shares, but
	// for the rounding of the probabilities that it is summed from.
	at.Accuracy = min(at.Accuracy, at.Bound)
	// A release that says nothing is allowed at every ε.
	at.Limit = min(max(measure.Number(bound), at.Accuracy, measure.Number(p.majority())), at.Bound)
	at.Better = p.learnt() && float64(at.Accuracy) > p.majority()+p.margin()
	at.Smallest = p.smallest(&score)
	p.seen[epsilon] = at
	return at, nil
}

// smallest returns the recall of the first label's rarest class.
func (p *Planner) smallest(score *experiment.Score) measure.Number {
	b := score.Balance
	if len(score.Labels) > 0 {
		b = score.Labels[0].Balance
	}
	if class := rarest(p.labels[0]); b != nil && class < len(b.Recalls) {
		return b.Recalls[class].Value
	}
	return measure.Undefined // of many classes
}

// checkEpsilon refuses what nothing is planned for.
func checkEpsilon(epsilon float64) error {
	if !(epsilon > 0 && epsilon <= MostEpsilon) {
		return fmt.Errorf("plan: epsilon is %v, must be positive and at most %v", epsilon, MostEpsilon)
	}
	return nil
}

// MostEpsilon is the most that is planned for. Beyond 30 a release of codes
// hardly ever gives another answer than the best.
const MostEpsilon = 100

// rarest returns the class of the smallest share that is not 0.
func rarest(shares []float64) int {
	least := -1
	for c, share := range shares {
		if share > 0 && (least < 0 || share < shares[least]) {
			least = c
		}
	}
	return max(least, 0)
}

// majority returns what naming the commonest class of each label reaches.
func (p *Planner) majority() float64 {
	sum := 0.0
	for _, shares := range p.labels {
		sum += slices.Max(shares) / float64(len(p.labels))
	}
	return sum
}

// learnt reports whether the model without protection tells more than the
// commonest class: by a point or, of few rows that are not of that class, by a
// tenth of these.
func (p *Planner) learnt() bool {
	return float64(p.plain.Accuracy)-p.majority() >= min(0.01, (1-p.majority())/10)
}

// margin is by how much a release must beat the commonest class to be worth
// anything: a point, or a tenth of what the model without protection gains, if
// that is less.
func (p *Planner) margin() float64 {
	return max(min(0.01, (float64(p.plain.Accuracy)-p.majority())/10), 0)
}
