package predictor

import (
	"context"
	"errors"
	"fmt"

	"sotto/compute/nn"
	"sotto/study/explain"
	"sotto/text"
	"sotto/text/encode/bert"
)

// Path implements [explain.Differentiable]. For an encoder that adds up words the
// baseline is the vector of no words, zeros, and the length to which the whole text
// is scaled stays; for a transformer it is the text with every token but the marks of
// its ends padded.
func (m *Model) Path(ctx context.Context, s string, words []text.Span, class int) (explain.Path, error) {
	switch {
	case m.options.View != Before:
		return nil, fmt.Errorf("predictor: the view %q has no gradients: use occlusion, lime or shap", m.options.View)
	case len(m.options.Maskers) > 0:
		return nil, errors.New("predictor: gradients of a text that is masked are not to be had: use occlusion, lime or shap")
	}
	if b, ok := m.source.(*bert.Model); ok {
		return m.tokens(ctx, b, s, words, class)
	}
	p, ok := split(m.source, s, words)
	if !ok {
		return nil, fmt.Errorf("predictor: the encoder %s does not add up the words of this text, so that they have no gradients: use occlusion, lime or shap", m.source.Name())
	}
	all := make([]bool, len(words))
	for i := range all {
		all[i] = true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	l := &line{model: m, class: class, parts: p.rows, whole: p.without(m.pool, [][]bool{all}).Row(0)}
	l.factor = p.factor(sum(p.rows), ones(p.rows.Rows))
	return l, nil
}

func sum(m nn.Matrix) []float32 {
	all := make([]float32, m.Cols)
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			all[j] += v
		}
	}
	return all
}

func ones(n int) []float32 {
	all := make([]float32, n)
	for i := range all {
		all[i] = 1
	}
	return all
}

// line is the way from zeros to the vector of a text.
type line struct {
	model  *Model
	class  int
	parts  nn.Matrix // a row for each word, and one for the rest
	factor float64   // that their sum is multiplied by
	whole  []float32
}

// At implements [explain.Path].
func (l *line) At(ctx context.Context, shares []float64) ([]float64, [][]float64, error) {
	x := nn.NewMatrix(len(shares), len(l.whole))
	for i, a := range shares {
		for j, v := range l.whole {
			x.Row(i)[j] = float32(a * float64(v))
		}
	}
	l.model.mu.Lock()
	defer l.model.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	values, grad := l.model.slope(x, l.class)
	slopes := make([][]float64, len(shares))
	for i := range slopes {
		slopes[i] = make([]float64, l.parts.Rows)
		for k := range slopes[i] {
			slopes[i][k] = l.factor * dot(grad.Row(i), l.parts.Row(k))
		}
	}
	return values, slopes, nil
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for j, v := range a {
		sum += float64(float64(v) * float64(b[j]))
	}
	return sum
}

// slope returns the probability of a class for each row, and its gradient with
// respect to the row, valid until the next call. The caller holds the lock.
func (m *Model) slope(x nn.Matrix, class int) ([]float64, nn.Matrix) {
	scores := m.bare.Scores(m.pool, x)
	n := len(m.classes)
	values, grad, row := make([]float64, x.Rows), nn.NewMatrix(x.Rows, scores.Cols), make([]float64, n)
	for i := range values {
		softmax(row, scores.Row(i)[m.column:m.column+n])
		values[i] = row[class]
		for c, v := range row {
			g := -row[class] * v
			if c == class {
				g += row[class]
			}
			grad.Row(i)[m.column+c] = float32(g)
		}
	}
	return values, m.bare.Gradient(m.pool, grad)
}
