package influence

import (
	"context"
	"fmt"
	"math"

	"sotto/explain"
	"sotto/influence/teacher"
	"sotto/text"
)

// Explainer explains the student's teacher by influence scores: a word's weight is how
// much its influence speaks for the class, from −1 to 1. It implements
// explain.Explainer, and asks no predictor but the teacher.
type Explainer struct{ Student *Student }

// Name implements explain.Explainer.
func (Explainer) Name() string { return "influence" }

// Explain implements explain.Explainer. The predictor must be the teacher, or answer
// with the same classes; what it says of the text is what the explanation reports.
func (e Explainer) Explain(ctx context.Context, p explain.Predictor, s string, class int) (*explain.Explanation, error) {
	words := explain.Words(s)
	if len(words) == 0 {
		return nil, fmt.Errorf("influence: %w", explain.ErrWords)
	}
	got, err := p.Predict(ctx, []string{s})
	if err != nil {
		return nil, err
	}
	names := p.Classes()
	if err = explain.Check(got, 1, len(e.Student.Teacher.Names)); err != nil {
		return nil, fmt.Errorf("influence: the predictor is not the student's teacher: %w", err)
	}
	said := 0
	for j, v := range got[0] {
		if v > got[0][said] {
			said = j
		}
	}
	if class == explain.Predicted {
		class = said
	}
	if class < 0 || class >= len(names) {
		return nil, fmt.Errorf("influence: class is %d, must be below %d", class, len(names))
	}
	x := &explain.Explanation{Method: e.Name(), Prediction: names[said], Class: names[class], Probability: got[0][class], Base: 1 / float64(len(names)), Asked: 1}
	weights, err := e.Student.weights(ctx, s, words, class)
	if err != nil {
		return nil, err
	}
	sum := x.Base
	for i, w := range words {
		x.Tokens = append(x.Tokens, explain.Token{Text: s[w.Start:w.End], Start: w.Start, End: w.End, Weight: weights[i]})
		sum += weights[i]
	}
	x.Check = math.Abs(sum - x.Probability)
	return x, nil
}

// weights returns by how much the influence of each span speaks for a class.
func (s *Student) weights(ctx context.Context, s0 string, words []text.Span, class int) ([]float64, error) {
	places := make([]teacher.Place, len(words))
	for i, w := range words {
		places[i] = teacher.Place{Text: s0, Span: w}
	}
	scores, err := s.score(ctx, places, nil, nil, class, false)
	if err != nil {
		return nil, err
	}
	k := float64(len(s.Teacher.Names))
	weights := make([]float64, len(words))
	for i, x := range scores {
		// From −1 to 1 where there are two classes, and never above 1.
		weights[i] = min(1, (float64(x.Speaks*k)-1)/(k-1))
	}
	return weights, nil
}

var _ explain.Explainer = Explainer{}

var _ explain.Predictor = (*teacher.Teacher)(nil)
