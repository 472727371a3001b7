package records

import (
	"cmp"
	"math"
	"slices"
)

// A Learner chooses the pairs about which to ask, and learns from each answer.
type learner struct {
	columns []string
	prior   *Model
	pairs   []MatchPair
	same    int
}

// NewLearner returns a learner that begins with an estimate.
func NewLearner(columns []string, prior *Model) *learner {
	return &learner{columns: columns, prior: prior}
}

// Add takes an answer.
func (l *learner) Add(p MatchPair) {
	l.pairs = append(l.pairs, p)
	if p.Same {
		l.same++
	}
}

// Answers returns how many there are, the same and others.
func (l *learner) Answers() (same, others int) { return l.same, len(l.pairs) - l.same }

// Model returns what was learnt so far: the estimate until there are answers of both
// kinds. It is not calibrated on the answers, which are about pairs in doubt, and unlike
// most pairs.
func (l *learner) Model() (*Model, error) {
	if l.same == 0 || l.same == len(l.pairs) {
		return l.prior, nil
	}
	return fit(l.columns, l.pairs, l.prior, false)
}

// mostWeighed is how many pairs are weighed for what an answer would tell.
const mostWeighed = 500

// Next returns which of the comparisons, those that are skipped left out, tells the
// most, and its probability; −1 if none is left. Until both kinds of answers are there
// it looks for one of the kind that is missing. Then it is the pair by which the model
// would change the most: one that is in doubt, and whose features were seldom asked
// about, p(1 − p)·xᵀΣx with the covariance Σ of the weights.
func (l *learner) Next(pool [][]float64, skip func(k int) bool) (int, float64, error) {
	prior := l.prior.flat()
	w, factor := prior, []float64(nil)
	if l.same > 0 && l.same < len(l.pairs) {
		var err error
		if w, factor, err = descend(l.pairs, prior, prior); err != nil {
			return -1, 0, err
		}
	}
	type candidate struct {
		k    int
		p, v float64
	}
	var all []candidate
	for k, x := range pool {
		if skip(k) {
			continue
		}
		p := Probability(logit(w, x))
		value := float64(p * (1 - p))
		if l.same == 0 {
			value = p // of the same there is none yet
		}
		all = append(all, candidate{k, p, value})
	}
	if len(all) == 0 {
		return -1, 0, nil
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(b.v, a.v) })
	best := all[0]
	if factor == nil {
		return best.k, best.p, nil
	}
	most := math.Inf(-1)
	n := len(w)
	for _, c := range all[:min(len(all), mostWeighed)] {
		var spread float64
		for _, v := range forward(factor, append(slices.Clone(pool[c.k]), 1), n) {
			spread += float64(v * v)
		}
		if told := float64(c.v * spread); told > most {
			most, best = told, c
		}
	}
	return best.k, best.p, nil
}
