package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

// Loss is what a linear model is fitted by.
type Loss string

// The losses. Hinge is the squared one, each class against the others, which
// makes the model a linear support vector machine.
const (
	Logistic Loss = "logistic"
	Hinge    Loss = "hinge"
)

// Linear holds the hyper-parameters of a linear classifier of standardised
// columns. It minimises the mean loss plus L2/2·‖W‖², biases left free, by
// L-BFGS on all rows at once: the problem is convex, so there is no seed.
type Linear struct {
	Loss  Loss    `json:"loss"`  // "" means Logistic
	L2    float64 `json:"l2"`    // positive
	Steps int     `json:"steps"` // at most; 0 means 200
}

// LinearModel is a fitted linear classifier. It keeps buffers, so it is not
// safe for concurrent use.
type LinearModel struct {
	L2 float64 // that it was fitted with

	mean, scale []float64 // of the columns
	layer       *nn.Dense
	theta       []float64 // weights and biases
}

// penalties are tried from the strongest on, each fit starting from the last.
func penalties() []float64 { return []float64{10, 1, 1e-1, 1e-2, 1e-3, 1e-4} }

// Fit fits the classifier to rows with classes from 0 to classes−1. It stops
// with ctx's error when ctx is done. It panics if there is not one class for
// each row, or one out of range.
func (h Linear) Fit(ctx context.Context, p *nn.Pool, d measure.Labelled, classes int) (*LinearModel, error) {
	m, err := newLinearModel(d.X, nil, classes)
	if err != nil {
		return nil, err
	}
	loss, err := h.loss(p, d.Z)
	if err != nil {
		return nil, err
	}
	return m, h.fit(ctx, p, m, m.standardised(d.X), loss)
}

// Choose fits a classifier for each of six penalties, 10 to 10⁻⁴, and returns
// the one that is right most often on the check rows; of equally good ones that
// with the strongest penalty. Fit says when it stops and panics.
func Choose(ctx context.Context, p *nn.Pool, loss Loss, fit, check measure.Labelled, classes int) (*LinearModel, error) {
	m, err := newLinearModel(fit.X, nil, classes)
	if err != nil {
		return nil, err
	}
	of, err := Linear{Loss: loss}.loss(p, fit.Z)
	if err != nil {
		return nil, err
	}
	return m, m.choose(ctx, p, m.standardised(fit.X), of, func() float64 {
		return measure.Accuracy(check.Z, m.Predict(p, check.X))
	})
}

// Counted is rows that stand for many: row i of Counts says how many of each class
// have row i of X.
type Counted struct {
	X      nn.Matrix
	Counts nn.Matrix
}

// ChooseCounted does what [Choose] does with the logistic loss, in a time that grows
// with the number of different rows alone. It panics if there are not as many rows of
// counts as of vectors.
func ChooseCounted(ctx context.Context, p *nn.Pool, fit, check Counted) (*LinearModel, error) {
	weights := make([]float64, fit.X.Rows)
	for i := range weights {
		for _, v := range fit.Counts.Row(i) {
			weights[i] += float64(v)
		}
	}
	m, err := newLinearModel(fit.X, weights, fit.Counts.Cols)
	if err != nil {
		return nil, err
	}
	of := func(scores nn.Matrix) (float64, nn.Matrix) { return countedEntropy(scores, fit.Counts) }
	return m, m.choose(ctx, p, m.standardised(fit.X), of, func() float64 { return m.Right(p, check) })
}

// Right returns the share of what is counted that is predicted right: NaN of nothing.
func (m *LinearModel) Right(p *nn.Pool, d Counted) float64 {
	var right, all float64
	for i, class := range m.Predict(p, d.X) {
		for c, v := range d.Counts.Row(i) {
			if all += float64(v); c == class {
				right += float64(v)
			}
		}
	}
	return right / all
}

// choose fits m by each penalty and leaves it with the one that is judged best.
func (m *LinearModel) choose(ctx context.Context, p *nn.Pool, x nn.Matrix, loss lossOf, judge func() float64) error {
	best, kept, l2 := math.Inf(-1), []float64(nil), 0.0
	for _, penalty := range penalties() {
		h := Linear{L2: penalty, Steps: 100}
		if err := h.fit(ctx, p, m, x, loss); err != nil {
			return err
		}
		if accuracy := judge(); kept == nil || accuracy > best {
			best, l2 = accuracy, penalty
			kept = append(kept[:0], m.theta...)
		}
	}
	m.set(kept)
	m.L2 = l2
	return nil
}

// newLinearModel returns a model of zeros that standardises as x asks, each row with
// its weight; nil means that all count alike.
func newLinearModel(x nn.Matrix, weights []float64, classes int) (*LinearModel, error) {
	if x.Rows == 0 || classes < 2 {
		return nil, fmt.Errorf("reproduce: there are %d rows of %d classes to fit, must be at least 1 of 2", x.Rows, classes)
	}
	if weights == nil {
		weights = slices.Repeat([]float64{1}, x.Rows)
	}
	m := &LinearModel{mean: make([]float64, x.Cols), scale: make([]float64, x.Cols), theta: make([]float64, (x.Cols+1)*classes)}
	n := 0.0
	for _, w := range weights {
		n += w
	}
	for i, w := range weights {
		for j, v := range x.Row(i) {
			m.mean[j] += w * float64(v) / n
		}
	}
	for i, w := range weights {
		for j, v := range x.Row(i) {
			m.scale[j] += w * (float64(v) - m.mean[j]) * (float64(v) - m.mean[j]) / n
		}
	}
	for j, v := range m.scale {
		// A column that never changes tells nothing, and must not become huge
		// in other rows.
		if m.scale[j] = 0; v > 1e-20 {
			m.scale[j] = 1 / math.Sqrt(v)
		}
	}
	m.layer = nn.NewDense(x.Cols, classes, weakrand.New(weakrand.NewPCG(0, 0)))
	m.layer.NoInputGrad = true
	m.set(m.theta)
	return m, nil
}

func (m *LinearModel) standardised(x nn.Matrix) nn.Matrix {
	s := nn.NewMatrix(x.Rows, x.Cols)
	for i := range x.Rows {
		row := s.Row(i)
		for j, v := range x.Row(i) {
			row[j] = float32((float64(v) - m.mean[j]) * m.scale[j])
		}
	}
	return s
}

// set makes theta the parameters of the layer.
func (m *LinearModel) set(theta []float64) {
	copy(m.theta, theta)
	at := 0
	for _, param := range m.layer.Params() {
		for i := range param.Value.Data {
			param.Value.Data[i] = float32(theta[at])
			at++
		}
	}
}

// Scores returns a number for each row and class; the largest of a row is the
// prediction. It panics if x does not have the columns of the fitted rows.
func (m *LinearModel) Scores(p *nn.Pool, x nn.Matrix) nn.Matrix {
	if x.Cols != len(m.mean) {
		panic("reproduce: rows do not have the columns that the model was fitted to")
	}
	return m.layer.Forward(p, nn.Infer, m.standardised(x)).Clone()
}

// Predict returns the class of each row. It panics as Scores does.
func (m *LinearModel) Predict(p *nn.Pool, x nn.Matrix) []int {
	scores := m.Scores(p, x)
	class := make([]int, x.Rows)
	for i := range class {
		class[i] = nn.Argmax(scores.Row(i))
	}
	return class
}

// lossOf is the mean loss of scores, with its gradient in them.
type lossOf func(scores nn.Matrix) (float64, nn.Matrix)

// loss returns the loss of rows with those classes.
func (h Linear) loss(p *nn.Pool, y []int) (lossOf, error) {
	switch h.Loss {
	case Logistic, "":
		var entropy nn.SoftmaxCrossEntropy
		return func(scores nn.Matrix) (float64, nn.Matrix) { return entropy.Loss(p, scores, y) }, nil
	case Hinge:
		return func(scores nn.Matrix) (float64, nn.Matrix) { return squaredHinge(scores, y) }, nil
	}
	return nil, fmt.Errorf("reproduce: loss is %.40q, must be %q or %q", string(h.Loss), Logistic, Hinge)
}

// fit moves m to the minimum for standardised rows, starting from where it is.
func (h Linear) fit(ctx context.Context, p *nn.Pool, m *LinearModel, x nn.Matrix, loss lossOf) error {
	if !(h.L2 > 0) || math.IsInf(h.L2, 1) {
		return fmt.Errorf("reproduce: l2 is %v, must be positive and finite", h.L2)
	}
	params := m.layer.Params()
	weights := len(params[0].Value.Data)
	theta, err := descend(ctx, m.theta, cmp.Or(h.Steps, 200), func(theta, grad []float64) float64 {
		m.set(theta)
		value, g := loss(m.layer.Forward(p, nn.Train, x))
		m.layer.Backward(p, g)
		at := 0
		for _, param := range params {
			for _, v := range param.Grad.Data {
				grad[at] = float64(v)
				at++
			}
		}
		for i, v := range theta[:weights] {
			value += h.L2 / 2 * v * v
			grad[i] += h.L2 * v
		}
		return value
	})
	if err != nil {
		return err
	}
	m.set(theta)
	m.L2 = h.L2
	return nil
}

// squaredHinge is the mean over rows of Σ_c max(0, 1−t·s)², t being 1 for the
// row's class and −1 for the others, with its gradient in the scores.
func squaredHinge(scores nn.Matrix, y []int) (float64, nn.Matrix) {
	grad := nn.NewMatrix(scores.Rows, scores.Cols)
	n, sum := float64(scores.Rows), 0.0
	for i, class := range y {
		row, g := scores.Row(i), grad.Row(i)
		for c, s := range row {
			t := -1.0
			if c == class {
				t = 1
			}
			if short := 1 - t*float64(s); short > 0 {
				sum += short * short
				g[c] = float32(-2 * t * short / n)
			}
		}
	}
	return sum / n, grad
}

// countedEntropy is the mean cross-entropy of classes that are counted for each row,
// with its gradient in the scores.
func countedEntropy(scores, counts nn.Matrix) (float64, nn.Matrix) {
	grad := nn.NewMatrix(scores.Rows, scores.Cols)
	sum, n := 0.0, 0.0
	for _, v := range counts.Data {
		n += float64(v)
	}
	shares := make([]float64, scores.Cols)
	for i := range scores.Rows {
		row, count, g := scores.Row(i), counts.Row(i), grad.Row(i)
		high, total, of := float64(slices.Max(row)), 0.0, 0.0
		for c, s := range row {
			shares[c] = math.Exp(float64(s) - high)
			total += shares[c]
			of += float64(count[c])
		}
		for c, s := range row {
			sum -= float64(count[c]) * (float64(s) - high - math.Log(total))
			g[c] = float32((of*shares[c]/total - float64(count[c])) / n)
		}
	}
	return sum / n, grad
}
