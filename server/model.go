package server

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strconv"

	"sotto/dp"
	"sotto/internal/fault"
	"sotto/nn"
	"sotto/train"
)

// model is one that is served. It never changes: another takes its place.
type model struct {
	name      string
	version   string // the first digits of the weights' SHA-256
	method    string
	stopped   bool // the training was interrupted
	classes   []string
	width     int // numbers of a vector
	guarantee dp.Guarantee
	mechanism string
	coverage  string
	workers   chan *worker // those that nobody uses
}

// worker is a clone of a model, since a model serves one goroutine at a time.
type worker struct {
	model *train.Model
	pool  *nn.Pool
}

// load reads a model and refuses one that no private vector is made for.
func load(name, dir string) (m *model, err error) {
	defer fault.Catch(&err)
	trained, info, err := train.Load(dir)
	if err != nil {
		return nil, err
	}
	a := trained.Architecture()
	g := trained.Guarantee()
	switch {
	case a.Constant != "":
		return nil, fmt.Errorf("server: model %s releases nothing, so there is nothing to send it", name)
	case g.Validate() != nil || math.IsInf(float64(g.Epsilon), 1):
		return nil, fmt.Errorf("server: model %s takes vectors that nothing protects", name)
	}
	m = &model{
		name: name, version: info.Weights[:12], method: info.Method, stopped: info.Interrupted,
		classes: info.Data.Classes, width: trained.Dim(), guarantee: g,
		mechanism: info.Guarantee.Mechanism, coverage: info.Assumption,
		workers: make(chan *worker, runtime.GOMAXPROCS(0)),
	}
	if len(m.classes) != a.Classes {
		m.classes = make([]string, a.Classes)
		for i := range m.classes {
			m.classes[i] = strconv.Itoa(i)
		}
	}
	for range cap(m.workers) - 1 {
		m.workers <- &worker{trained.Clone(), nn.NewPool(1)}
	}
	m.workers <- &worker{trained, nn.NewPool(1)}
	if _, _, err := m.classify(context.Background(), nn.NewMatrix(1, m.width)); err != nil {
		return nil, fmt.Errorf("server: model %s answers a vector of zeros with numbers that are not finite", name)
	}
	return m, nil
}

var errNotFinite = errors.New("a score is not finite")

// classify returns the probability that the model gives each class for each
// row, and the name of the likeliest; or errNotFinite if a vector is so large
// that its scores overflow.
func (m *model) classify(ctx context.Context, x nn.Matrix) (nn.Matrix, []string, error) {
	var w *worker
	select {
	case w = <-m.workers:
	case <-ctx.Done():
		return nn.Matrix{}, nil, ctx.Err()
	}
	defer func() { m.workers <- w }()
	y := w.model.Logits(w.pool, x)
	classes := make([]string, y.Rows)
	for i := range y.Rows {
		// Before the softmax, which may round different scores to equal ones.
		classes[i] = m.classes[likeliest(y.Row(i))]
		if !softmax(y.Row(i)) {
			return nn.Matrix{}, nil, errNotFinite
		}
	}
	return y, classes, nil
}

// likeliest returns the index of the largest score, the first of equals.
func likeliest(row []float32) int {
	best := 0
	for i, v := range row {
		if v > row[best] {
			best = i
		}
	}
	return best
}

// softmax replaces scores by probabilities, and reports whether they were
// finite.
func softmax(row []float32) bool {
	most := math.Inf(-1)
	for _, v := range row {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return false
		}
		most = max(most, float64(v))
	}
	sum := 0.0
	for _, v := range row {
		sum += math.Exp(float64(v) - most)
	}
	for i, v := range row {
		row[i] = float32(math.Exp(float64(v)-most) / sum)
	}
	return true
}
