package linear

import (
	"cmp"
	"context"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"
)

// Examples explains answers of a model by rows that it was trained on.
type Examples struct {
	model  *Model
	x      *Rows
	labels []int
	bends  []*curvature
	slopes [][]float64 // for each head, the derivative of each row's loss in its score

	weights []float64 // of columns, for neighbours
	lengths []float64 // of weighted rows
	holders [][]int32 // rows that have a column; nil where most have it
	values  [][]float64
}

// Example is a training row and what it is to an answer.
type Example struct {
	Row   int     `json:"row"`   // place among the training rows
	Label int     `json:"label"` // that it was trained with
	Score float64 `json:"score"`
}

// Examples returns what explains answers by the rows that the model was fitted to.
func (m *Model) Examples(x *Rows, labels []int) *Examples {
	e := &Examples{model: m, x: x, labels: labels}
	for head, w := range m.weights {
		q := m.problem(x, labels, head)
		scores := q.scores(w)
		_, bend := q.gradient(w, scores)
		slope := make([]float64, len(scores))
		for i, s := range scores {
			if slope[i] = sigmoid(s); q.yes[i] {
				slope[i]--
			}
		}
		e.bends, e.slopes = append(e.bends, q.curvature(bend)), append(e.slopes, slope)
	}
	e.invert()
	return e
}

// invert prepares neighbours. Columns of words count by how rare they are, ln(n/df),
// without which rows would be near for having "the" in common.
func (e *Examples) invert() {
	n := e.x.Len()
	e.weights, e.lengths = make([]float64, e.x.Width), make([]float64, n)
	e.holders, e.values = make([][]int32, e.x.Width), make([][]float64, e.x.Width)
	_, words := e.model.features.(*Vocabulary)
	for i := range n {
		index, value := e.x.Row(i)
		for k, j := range index {
			e.holders[j] = append(e.holders[j], int32(i))
			e.values[j] = append(e.values[j], value[k])
		}
	}
	for j, rows := range e.holders {
		e.weights[j] = 1
		if words && len(rows) > 0 {
			e.weights[j] = math.Log(float64(n) / float64(len(rows)))
		}
	}
	for i := range n {
		index, value := e.x.Row(i)
		sum := 0.0
		for k, j := range index {
			v := value[k] * e.weights[j]
			sum += float64(v * v)
		}
		e.lengths[i] = math.Sqrt(sum)
	}
}

// Nearest returns the k training rows whose vectors point most nearly the way that row i
// of x does, nearest first; their score is the cosine. Row skip is left out, none if it
// is negative.
func (e *Examples) Nearest(x *Rows, i, k, skip int) []Example {
	scores := make([]float64, e.x.Len())
	index, value := x.Row(i)
	length := 0.0
	for at, j := range index {
		v := value[at] * e.weights[j]
		length += float64(v * v)
		v *= e.weights[j]
		for h, row := range e.holders[j] {
			scores[row] += float64(v * e.values[j][h])
		}
	}
	length = math.Sqrt(length)
	for row := range scores {
		if scores[row] != 0 {
			scores[row] /= length * e.lengths[row]
		}
	}
	if skip >= 0 {
		scores[skip] = math.Inf(-1)
	}
	return e.Top(scores, k)
}

// Influence returns the k training rows without which the loss at row i of x, with a
// label, would grow most, and after them, if they are asked for, those without which it
// would fall most: by influence functions (Koh and Liang, ICML 2017) of the last layer,
//
//	g·H⁻¹·gᵢ,
//
// g being the gradient of the loss at the row, gᵢ that at a training row and H the
// Hessian of the objective. That is how much the loss grows without training row i, to
// first order.
func (e *Examples) Influence(x *Rows, i, label, k int) (help, harm []Example) {
	scores := make([]float64, e.x.Len())
	for head, w := range e.model.weights {
		g := make([]float64, e.x.Width+1)
		slope := sigmoid(x.dot(i, w) + w[e.x.Width])
		if label == e.model.stands(head) {
			slope--
		}
		x.add(i, slope, g)
		g[e.x.Width] = slope
		v := e.bends[head].solve(g, 1e-6, 500)
		for row := range scores {
			scores[row] += float64(e.model.options.C * e.slopes[head][row] * (e.x.dot(row, v) + v[e.x.Width]))
		}
	}
	help = e.Top(scores, k)
	for row := range scores {
		scores[row] = -scores[row]
	}
	harm = e.Top(scores, k)
	for j := range harm {
		harm[j].Score = -harm[j].Score
	}
	return help, harm
}

// Top returns the rows with the k largest scores, of equal ones the first.
func (e *Examples) Top(scores []float64, k int) []Example {
	var some []Example
	for row, v := range scores {
		if len(some) == k && (k == 0 || !(v > some[k-1].Score)) {
			continue
		}
		at := len(some)
		for at > 0 && v > some[at-1].Score {
			at--
		}
		some = slices.Insert(some, at, Example{row, e.labels[row], v})
		some = some[:min(k, len(some))]
	}
	return some
}

// Order returns the places of numbers, those of the largest first and of equal ones in
// order.
func Order(scores []float64) []int {
	rows := make([]int, len(scores))
	for i := range rows {
		rows[i] = i
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	return rows
}

// Losses returns the loss of each training row, which is large where the model does not
// believe its label.
func (e *Examples) Losses() []float64 {
	losses := make([]float64, e.x.Len())
	for i, p := range e.model.Answer(e.x) {
		losses[i] = -math.Log(max(p[e.labels[i]], math.SmallestNonzeroFloat64))
	}
	return losses
}

// Differing returns the share of the k nearest other rows of a training row, weighted by
// their cosine, that have another label.
func (e *Examples) Differing(row, k int) float64 {
	other, sum := 0.0, 0.0
	for _, near := range e.Nearest(e.x, row, k, row) {
		if near.Score > 0 {
			if sum += near.Score; near.Label != e.labels[row] {
				other += near.Score
			}
		}
	}
	if sum == 0 {
		return 0
	}
	return other / sum
}

// Disagreement returns Differing of every training row. So many workers change no bit.
func (e *Examples) Disagreement(ctx context.Context, k, workers int) ([]float64, error) {
	all := make([]float64, e.x.Len())
	err := each(ctx, len(all), workers, func(i int) { all[i] = e.Differing(i, k) })
	return all, err
}

// SelfInfluence returns how much each training row does for its own label, gᵢ·H⁻¹·gᵢ:
// rows that are mislabelled must defend themselves against all others. It is solved for
// the most rows whose bound |gᵢ|² is largest, because the Hessian is no less than 1 where
// weights are penalised; for the others it is 0. So many workers change no bit.
func (e *Examples) SelfInfluence(ctx context.Context, most, workers int) ([]float64, error) {
	all, bound := make([]float64, e.x.Len()), make([]float64, e.x.Len())
	for i := range bound {
		for head := range e.slopes {
			bound[i] += float64(e.slopes[head][i] * e.slopes[head][i] * (e.x.squared(i) + 1))
		}
	}
	rows := Order(bound)
	err := each(ctx, min(most, len(rows)), workers, func(k int) {
		i := rows[k]
		for head := range e.model.weights {
			g := make([]float64, e.x.Width+1)
			e.x.add(i, e.slopes[head][i], g)
			g[e.x.Width] = e.slopes[head][i]
			// The error of the product is of second order in that of the solution.
			all[i] += product(g, e.bends[head].solve(g, 0.03, 100))
		}
	})
	return all, err
}

// each does so many things, on so many workers.
func each(ctx context.Context, n, workers int, f func(k int)) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(max(workers, 1))
	for k := range n {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			f(k)
			return nil
		})
	}
	return g.Wait()
}
