package influence

import (
	"context"
	"errors"
	"slices"

	"sotto/study/explain"
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
	names := e.Student.Teacher.Names
	if !slices.Equal(p.Classes(), names) {
		return nil, errors.New("influence: the predictor has other classes than the student's teacher, must have the same")
	}
	k := float64(len(names))
	return explain.By(ctx, e.Name(), p, s, class, func(words []text.Span, class int) (float64, []float64, error) {
		places, weights := make([]TeacherPlace, len(words)), make([]float64, len(words))
		for i, w := range words {
			places[i] = TeacherPlace{Text: s, Span: w}
		}
		scores, err := e.Student.score(ctx, places, nil, nil, class, false)
		for i, x := range scores {
			// From −1 to 1 where there are two classes, and never above 1.
			weights[i] = min(1, (float64(x.Speaks*k)-1)/(k-1))
		}
		return 1 / k, weights, err
	})
}

var _ explain.Explainer = Explainer{}

var _ explain.Predictor = (*Teacher)(nil)
