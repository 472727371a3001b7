package explain

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"sotto/text"
)

// Differentiable is a predictor whose probabilities have gradients with respect to
// what it makes of words.
type Differentiable interface {
	Predictor

	// Path opens the way from a text of which nothing is known to s, for the
	// probability of a class. An error says why there is none.
	Path(ctx context.Context, s string, words []text.Span, class int) (Path, error)
}

// Path is the straight line from a baseline to what a predictor makes of a text.
type Path interface {
	// At returns, for each share of the way from 0 to 1, the probability there and
	// what each word contributes to its slope: the gradient times the whole way that
	// the word has to go. What belongs to no word, such as punctuation, is the last
	// number of each row.
	At(ctx context.Context, shares []float64) (values []float64, slopes [][]float64, err error)
}

// GradientInput weighs words by the gradient at the text times their way from the
// baseline (Shrikumar and others, 2016). It is the first step of [Gradients] and
// complete only where the predictor is linear; Check says what is missing.
type GradientInput struct{}

var _ Explainer = GradientInput{}

// Name implements [Explainer].
func (GradientInput) Name() string { return "gradient" }

// Explain implements [Explainer].
func (g GradientInput) Explain(ctx context.Context, p Predictor, s string, class int) (*Explanation, error) {
	q, path, err := openPath(ctx, p, s, class)
	if err != nil {
		return nil, err
	}
	values, slopes, err := path.At(ctx, []float64{0, 1})
	if err != nil {
		return nil, err
	}
	return q.along(g.Name(), values[0], slopes[1])
}

// Gradients is integrated gradients (Sundararajan, Taly and Yan, ICML 2017): the mean
// gradient on the way from the baseline to the text times the way. The weights,
// with what punctuation contributes, add up to the difference between the two
// probabilities; if they miss it by more than CompleteTo, steps are doubled, up to
// MostSteps.
type Gradients struct {
	Steps int // 0 means 50
}

var _ Explainer = Gradients{}

const (
	// CompleteTo is how far integrated gradients may be from adding up.
	CompleteTo = 1e-3
	// MostSteps is how many steps an integral has at most.
	MostSteps = 3200
)

// Name implements [Explainer].
func (Gradients) Name() string { return "ig" }

// Explain implements [Explainer]. It refuses to explain what is not complete.
func (g Gradients) Explain(ctx context.Context, p Predictor, s string, class int) (*Explanation, error) {
	steps := cmp.Or(g.Steps, 50)
	if steps < 1 || steps > MostSteps {
		return nil, fmt.Errorf("explain: integrated gradients have %d steps, must have from 1 to %d", steps, MostSteps)
	}
	q, path, err := openPath(ctx, p, s, class)
	if err != nil {
		return nil, err
	}
	ends, _, err := path.At(ctx, []float64{0, 1})
	if err != nil {
		return nil, err
	}
	for {
		shares := make([]float64, steps)
		for i := range shares {
			shares[i] = (float64(i) + 0.5) / float64(steps)
		}
		_, slopes, err := path.At(ctx, shares)
		if err != nil {
			return nil, err
		}
		mean := make([]float64, len(q.words)+1)
		for _, row := range slopes {
			for j, v := range row {
				mean[j] += v / float64(steps)
			}
		}
		e, err := q.along(g.Name(), ends[0], mean)
		if err != nil {
			return nil, err
		}
		if e.Steps, e.Limit = steps, CompleteTo; e.Check <= CompleteTo {
			return e, nil
		}
		if steps *= 2; steps > MostSteps {
			return nil, fmt.Errorf("explain: integrated gradients miss the difference by %.2g after %d steps, must be within %v", e.Check, e.Steps, CompleteTo)
		}
	}
}

// openPath opens a text and the way to it, and refuses a predictor that says another
// thing at the end of the way than of the text.
func openPath(ctx context.Context, p Predictor, s string, class int) (*subject, Path, error) {
	d, ok := p.(Differentiable)
	if !ok {
		return nil, nil, fmt.Errorf("explain: the predictor has no gradients: use occlusion, lime or shap")
	}
	q, err := open(ctx, p, s, class)
	if err != nil {
		return nil, nil, err
	}
	path, err := d.Path(ctx, s, q.words, q.class)
	return q, path, err
}

// along is explanation with what belongs to no word at the end of the weights, which
// counts as part of the base.
func (q *subject) along(method string, base float64, weights []float64) (*Explanation, error) {
	n := len(q.words)
	e, err := q.explanation(method, base+weights[n], weights[:n])
	if err == nil && math.Abs(weights[n]) > 0 {
		e.Rest = weights[n]
	}
	return e, err
}
