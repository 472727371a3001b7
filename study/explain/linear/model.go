package linear

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
)

// Options say how a model is fitted. The zero value is scikit-learn's default.
type Options struct {
	C float64 // how much rows count beside the penalty ½‖w‖²; 0 means 1
	// Against holds, in each row, what a text has above the same text without some
	// words: attributions of these words are penalised by their squares. Nil means
	// none.
	Against *Rows
	Lambda  float64 // what an attribution costs; 0 means 10 for each unit of C
}

// Model is a fitted classifier: one weight vector for two classes, and otherwise one for
// each, against all others. It is safe for concurrent use.
type Model struct {
	features Features
	classes  []string
	weights  [][]float64 // each with its constant behind
	options  Options
}

// Fit fits a model to rows that the features made, with labels below the number of
// classes. It stops with ctx's error when ctx is done. It panics if there is not one
// label a row.
func Fit(ctx context.Context, f Features, x *Rows, labels []int, classes []string, o Options) (*Model, error) {
	if x.Len() != len(labels) {
		panic("linear: there is not one label a row")
	}
	if x.Width != f.Width() {
		return nil, fmt.Errorf("linear: rows have %d numbers, must have %d", x.Width, f.Width())
	}
	if o.C = cmp.Or(o.C, 1); !(o.C > 0) || math.IsInf(o.C, 1) {
		return nil, fmt.Errorf("linear: C is %v, must be positive and finite", o.C)
	}
	if o.Lambda = cmp.Or(o.Lambda, 10*o.C); !(o.Lambda > 0) || math.IsInf(o.Lambda, 1) {
		return nil, fmt.Errorf("linear: lambda is %v, must be positive and finite", o.Lambda)
	}
	if err := x.check(); err != nil {
		return nil, err
	}
	seen := make([]int, len(classes))
	for _, y := range labels {
		if y < 0 || y >= len(classes) {
			return nil, fmt.Errorf("linear: a label is %d, must be below %d", y, len(classes))
		}
		seen[y]++
	}
	if held := len(seen) - countZero(seen); held < 2 {
		return nil, fmt.Errorf("linear: rows have %d classes, must have at least 2", held)
	}
	m := &Model{features: f, classes: classes, options: o}
	for c := range m.heads() {
		w, err := m.problem(x, labels, c).minimise(ctx)
		if err != nil {
			return nil, err
		}
		m.weights = append(m.weights, w)
	}
	return m, nil
}

func countZero(n []int) (zeros int) {
	for _, v := range n {
		if v == 0 {
			zeros++
		}
	}
	return zeros
}

// heads is how many weight vectors there are.
func (m *Model) heads() int {
	if len(m.classes) == 2 {
		return 1
	}
	return len(m.classes)
}

// stands is the class for which a head speaks.
func (m *Model) stands(head int) int {
	if len(m.classes) == 2 {
		return 1
	}
	return head
}

// problem is what a head minimises.
func (m *Model) problem(x *Rows, labels []int, head int) *problem {
	q := &problem{x: x, yes: make([]bool, len(labels)), c: m.options.C, against: m.options.Against, lambda: m.options.Lambda}
	for i, y := range labels {
		q.yes[i] = y == m.stands(head)
	}
	return q
}

// Classes implements [explain.Predictor].
func (m *Model) Classes() []string { return m.classes }

// Features returns what makes numbers of texts.
func (m *Model) Features() Features { return m.features }

// Predict implements [explain.Predictor].
func (m *Model) Predict(ctx context.Context, texts []string) ([][]float64, error) {
	rows, err := m.features.Rows(ctx, texts)
	if err != nil {
		return nil, err
	}
	return m.Answer(rows), nil
}

// Answer returns the probabilities of rows.
func (m *Model) Answer(rows *Rows) [][]float64 {
	all := make([][]float64, rows.Len())
	scores := make([]float64, m.heads())
	for i := range all {
		for c, w := range m.weights {
			scores[c] = rows.dot(i, w) + w[rows.Width]
		}
		all[i] = m.probabilities(scores)
	}
	return all
}

// probabilities makes probabilities of the scores of heads. Those of heads that stand
// against all others are scaled to add up to 1.
func (m *Model) probabilities(scores []float64) []float64 {
	if len(m.classes) == 2 {
		return []float64{sigmoid(-scores[0]), sigmoid(scores[0])}
	}
	p, sum := make([]float64, len(scores)), 0.0
	for c, s := range scores {
		p[c] = sigmoid(s)
		sum += p[c]
	}
	for c := range p {
		if p[c] /= sum; sum == 0 {
			p[c] = 1 / float64(len(p))
		}
	}
	return p
}

// Labels returns the most probable class of each row.
func (m *Model) Labels(rows *Rows) []int {
	labels := make([]int, rows.Len())
	for i, p := range m.Answer(rows) {
		for c := range p {
			if p[c] > p[labels[i]] {
				labels[i] = c
			}
		}
	}
	return labels
}

// Weights returns the weight of a word for a class, and its rank among the words and
// pairs by size, 1 for the largest: false if the model has no such word. Nothing but
// counts of words has it.
func (m *Model) Weights(word string, class int) (weight float64, rank int, ok bool) {
	v, is := m.features.(*Vocabulary)
	if !is {
		return 0, 0, false
	}
	j, known := v.columns[hashWord(strings.ToLower(word))]
	if !known {
		return 0, 0, false
	}
	w := m.weights[0]
	sign := 1.0
	if m.heads() > 1 {
		w = m.weights[class]
	} else if class == 0 {
		sign = -1
	}
	rank = 1
	for _, other := range w[:v.Width()] {
		if math.Abs(other) > math.Abs(w[j]) {
			rank++
		}
	}
	return sign * w[j], rank, true
}

// column returns what a feature adds to the score of each head, zeros if it was never
// seen.
func (m *Model) column(v *Vocabulary, feature uint64) []float64 {
	out := make([]float64, len(m.weights))
	if j, ok := v.columns[feature]; ok {
		for c, w := range m.weights {
			out[c] = w[j]
		}
	}
	return out
}

func addTo(sum, more []float64) {
	for i, v := range more {
		sum[i] += v
	}
}
