package explain

import "context"

// Occlusion leaves out one word at a time: its weight is the probability of the
// class with it minus that without. Words that say the same twice hide each other,
// so weights need not add up to anything; Check says what is missing.
type Occlusion struct{}

var _ Explainer = Occlusion{}

// Name implements [Explainer].
func (Occlusion) Name() string { return "occlusion" }

// Explain implements [Explainer].
func (Occlusion) Explain(ctx context.Context, p Predictor, s string, class int) (*Explanation, error) {
	q, err := open(ctx, p, s, class)
	if err != nil {
		return nil, err
	}
	n := len(q.words)
	kept := make([][]bool, n+1) // the last is of the text without any word
	for i := range kept {
		kept[i] = make([]bool, n)
		for j := range kept[i] {
			kept[i][j] = j != i && i < n
		}
	}
	values, err := q.values(ctx, kept)
	if err != nil {
		return nil, err
	}
	weights := make([]float64, n)
	for i := range weights {
		weights[i] = q.whole[q.class] - values[i]
	}
	return q.explanation(Occlusion{}.Name(), values[n], weights)
}
