package explain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

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
// gradient on the way from the baseline to the text times the way. The weights, with
// what punctuation contributes, add up to the difference between the two
// probabilities.
//
// The way is divided evenly at first. What is integrated on a piece of it must be the
// difference between the probabilities at its ends, so that each piece tells its own
// error: those that are off most are halved, until the whole is within CompleteTo.
type Gradients struct {
	Steps int // of the even division; 0 means 50
}

var _ Explainer = Gradients{}

const (
	// CompleteTo is how far integrated gradients may be from adding up.
	CompleteTo = 1e-3
	// MostSteps is at how many places of the way gradients are computed at most.
	MostSteps = 3200
)

// Name implements [Explainer].
func (Gradients) Name() string { return "ig" }

// Explain implements [Explainer]. It refuses to explain what is not complete.
func (g Gradients) Explain(ctx context.Context, p Predictor, s string, class int) (*Explanation, error) {
	steps := cmp.Or(g.Steps, 50)
	if steps < 2 || steps > MostSteps {
		return nil, fmt.Errorf("explain: integrated gradients have %d steps, must have from 2 to %d", steps, MostSteps)
	}
	q, path, err := openPath(ctx, p, s, class)
	if err != nil {
		return nil, err
	}
	pieces, err := divide(ctx, path, steps)
	if err != nil {
		return nil, err
	}
	for asked := 2*len(pieces) + 1; ; {
		mean, rough := integrate(pieces)
		e, err := q.along(g.Name(), pieces[0].from.value, mean)
		if err != nil {
			return nil, err
		}
		if e.Steps, e.Limit = asked-1, CompleteTo; e.Check <= CompleteTo {
			return e, nil
		}
		if asked+2*len(rough) > MostSteps || len(rough) == 0 {
			return nil, fmt.Errorf("explain: integrated gradients miss the difference by %.2g after %d steps, must be within %v", e.Check, e.Steps, CompleteTo)
		}
		asked += 2 * len(rough)
		if pieces, err = halve(ctx, path, pieces, rough); err != nil {
			return nil, err
		}
	}
}

// place is a share of the way, the probability there and its slopes.
type place struct {
	share, value float64
	slopes       []float64
}

// piece is a part of the way, with its middle.
type piece struct{ from, middle, to place }

// at computes some places of the way.
func at(ctx context.Context, path Path, shares []float64) ([]place, error) {
	values, slopes, err := path.At(ctx, shares)
	if err != nil {
		return nil, err
	}
	all := make([]place, len(shares))
	for i, a := range shares {
		all[i] = place{a, values[i], slopes[i]}
	}
	return all, nil
}

// divide divides the way evenly, two steps a piece.
func divide(ctx context.Context, path Path, steps int) ([]piece, error) {
	n := steps / 2
	shares := make([]float64, 2*n+1)
	for i := range shares {
		shares[i] = float64(i) / float64(2*n)
	}
	places, err := at(ctx, path, shares)
	if err != nil {
		return nil, err
	}
	pieces := make([]piece, n)
	for i := range pieces {
		pieces[i] = piece{places[2*i], places[2*i+1], places[2*i+2]}
	}
	return pieces, nil
}

// integrate adds up pieces by Simpson's rule. It returns the integral of each slope, and
// the pieces that make up most of what is missed, in order.
func integrate(pieces []piece) (mean []float64, rough []int) {
	mean = make([]float64, len(pieces[0].from.slopes))
	off, missed := make([]float64, len(pieces)), 0.0
	for i, c := range pieces {
		width, sum := c.to.share-c.from.share, 0.0
		for j := range mean {
			v := width / 6 * (c.from.slopes[j] + float64(4*c.middle.slopes[j]) + c.to.slopes[j])
			mean[j] += v
			sum += v
		}
		off[i] = math.Abs(sum - (c.to.value - c.from.value))
		missed += off[i]
	}
	order := indices(len(pieces))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(off[b], off[a]) })
	for found := 0.0; len(rough) < len(order) && found < most*missed; {
		i := order[len(rough)]
		found += off[i]
		rough = append(rough, i)
	}
	slices.Sort(rough)
	return mean, rough
}

// most is the share of what is missed that is looked at more closely.
const most = 0.8

// halve halves some pieces.
func halve(ctx context.Context, path Path, pieces []piece, rough []int) ([]piece, error) {
	var shares []float64
	for _, i := range rough {
		c := pieces[i]
		shares = append(shares, (c.from.share+c.middle.share)/2, (c.middle.share+c.to.share)/2)
	}
	places, err := at(ctx, path, shares)
	if err != nil {
		return nil, err
	}
	var all []piece
	for i, c := range pieces {
		k, found := slices.BinarySearch(rough, i)
		if !found {
			all = append(all, c)
			continue
		}
		all = append(all, piece{c.from, places[2*k], c.middle}, piece{c.middle, places[2*k+1], c.to})
	}
	return all, nil
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
