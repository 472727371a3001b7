package linear

import (
	"context"
	"fmt"
	"strings"

	"sotto/study/explain"
	"sotto/text"
)

var _ explain.Differentiable = (*Model)(nil)

// path is the straight line from a text without words to a text: counts grow from 0.
type path struct {
	model *Model
	class int
	base  []float64   // the score of each head without words
	worth [][]float64 // what each word adds to it, and last what lies between words does
}

// Path implements [explain.Differentiable] for a model over words.
func (m *Model) Path(_ context.Context, s string, words []text.Span, class int) (explain.Path, error) {
	v, ok := m.features.(*Vocabulary)
	if !ok {
		return nil, fmt.Errorf("linear: a model over %s has no gradients in words: use occlusion, lime or shap", m.features.Name())
	}
	p := &path{model: m, class: class, base: make([]float64, len(m.weights)), worth: make([][]float64, len(words)+1)}
	for c, w := range m.weights {
		p.base[c] = w[v.Width()]
	}
	for i := range p.worth {
		p.worth[i] = make([]float64, len(m.weights))
	}
	tokens := Tokens(s)
	// What a token is worth belongs to the words that lie in it, alike.
	give := func(token int, worth []float64, part float64) {
		var in []int
		for i, w := range words {
			if w.Start < tokens[token].End && w.End > tokens[token].Start {
				in = append(in, i)
			}
		}
		if len(in) == 0 {
			in = []int{len(words)}
		}
		for _, i := range in {
			for c, w := range worth {
				p.worth[i][c] += w * part / float64(len(in))
			}
		}
	}
	places := map[uint64][][2]int{} // tokens that make a feature, each time it occurs
	var order []uint64
	put := func(feature uint64, a, b int) {
		if places[feature] == nil {
			order = append(order, feature)
		}
		places[feature] = append(places[feature], [2]int{a, b})
	}
	for i, t := range tokens {
		word := strings.ToLower(s[t.Start:t.End])
		put(hashWord(word), i, i)
		if i > 0 {
			put(hashPair(strings.ToLower(s[tokens[i-1].Start:tokens[i-1].End]), word), i-1, i)
		}
	}
	for _, f := range order {
		worth := m.column(v, f)
		for _, at := range places[f] {
			part := 0.5 / float64(len(places[f]))
			give(at[0], worth, part)
			give(at[1], worth, part)
		}
	}
	return p, nil
}

// At implements [explain.Path].
func (p *path) At(_ context.Context, shares []float64) (values []float64, slopes [][]float64, err error) {
	for _, share := range shares {
		scores := make([]float64, len(p.base))
		for c := range scores {
			whole := 0.0
			for _, w := range p.worth {
				whole += w[c]
			}
			scores[c] = p.base[c] + float64(share*whole)
		}
		values = append(values, p.model.probabilities(scores)[p.class])
		by := p.model.slope(scores, p.class)
		row := make([]float64, len(p.worth))
		for i, w := range p.worth {
			row[i] = product(by, w)
		}
		slopes = append(slopes, row)
	}
	return values, slopes, nil
}

// slope is the derivative of a class's probability in the score of each head.
func (m *Model) slope(scores []float64, class int) []float64 {
	by := make([]float64, len(scores))
	if len(m.classes) == 2 {
		p := sigmoid(scores[0])
		if by[0] = p * (1 - p); class == 0 {
			by[0] = -by[0]
		}
		return by
	}
	sum := 0.0
	for _, s := range scores {
		sum += sigmoid(s)
	}
	if sum == 0 {
		return by
	}
	p := m.probabilities(scores)[class]
	for c, s := range scores {
		d := sigmoid(s) * sigmoid(-s) / sum
		if by[c] = -float64(p * d); c == class {
			by[c] += d
		}
	}
	return by
}
