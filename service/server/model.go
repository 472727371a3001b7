package server

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"sotto/compute/nn"
	"sotto/internal/fault"
	"sotto/learn/model"
	"sotto/promise/dp"
)

// served is one that is served. It never changes: another takes its place.
type served struct {
	name      string
	version   string // the first digits of the model's ID
	method    string
	stopped   bool // the training was interrupted
	labels    []label
	width     int       // numbers of a vector
	codes     int       // that a vector stands for one of; 0 if it is no code
	cells     nn.Matrix // the vector of each cell that a release names; no rows if it names none
	guarantee dp.Guarantee
	mechanism string
	coverage  string
	bytes     int64        // of its weights on disk
	workers   chan *worker // those that nobody uses
}

// label is one that a model answers.
type label struct {
	name          string
	classes       []string
	scores, class string // what its outputs are called
}

// worker is a clone of a model's head, since one serves one goroutine at a time.
type worker struct {
	head *model.Head
	pool *nn.Pool
}

// load reads a model and refuses one that no private vector is made for. Of a
// whole model it keeps the classifier alone. Weights may have so many bytes.
func load(name, dir string, most int64) (m *served, err error) {
	defer fault.Catch(&err)
	head, err := model.LoadHeadWithin(dir, most)
	if err != nil {
		return nil, err
	}
	info := head.Manifest
	m = &served{
		name: name, version: info.Model[:12], method: info.Method, stopped: info.Interrupted,
		labels: labelsOf(info.Labels), width: head.Dim(), codes: head.Codes(), cells: head.Cells(), guarantee: head.Guarantee(),
		mechanism: info.Receives.Mechanism, coverage: info.Assumption,
		workers: make(chan *worker, runtime.GOMAXPROCS(0)),
	}
	for range cap(m.workers) - 1 {
		m.workers <- &worker{head.Clone(), nn.NewPool(1)}
	}
	m.workers <- &worker{head, nn.NewPool(1)}
	if _, err := m.classify(context.Background(), nn.NewMatrix(1, m.width)); err != nil {
		return nil, fmt.Errorf("server: model %s answers a vector of zeros with numbers that are not finite", name)
	}
	return m, nil
}

// labelsOf names the outputs: "scores" and "class" for one label, and those
// behind its name and a dot for each of several.
func labelsOf(records []model.LabelRecord) []label {
	var all []label
	for _, r := range records {
		l := label{r.Name, r.Classes, outputScores, outputClass}
		if len(records) > 1 {
			l.scores, l.class = r.Name+"."+outputScores, r.Name+"."+outputClass
		}
		all = append(all, l)
	}
	return all
}

var errNotFinite = errors.New("a score is not finite")

// classified is what is said of one label of each row.
type classified struct {
	scores  nn.Matrix // the probability of each class
	classes []string  // the likeliest
}

// classify returns what the model says of each label; or errNotFinite if a
// vector is so large that its scores overflow.
func (m *served) classify(ctx context.Context, x nn.Matrix) ([]classified, error) {
	var w *worker
	if ctx.Err() != nil { // whoever asked is gone
		return nil, ctx.Err()
	}
	select {
	case w = <-m.workers:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { m.workers <- w }()
	y := w.head.Logits(w.pool, x)
	all := make([]classified, len(m.labels))
	column := 0 // the columns behind those of all labels are for nobody
	for l, label := range m.labels {
		n := len(label.classes)
		c := classified{nn.NewMatrix(y.Rows, n), make([]string, y.Rows)}
		for i := range y.Rows {
			copy(c.scores.Row(i), y.Row(i)[column:column+n])
		}
		if c.scores.Finite() != nil {
			return nil, errNotFinite
		}
		for i := range y.Rows {
			row := c.scores.Row(i)
			// Before the softmax, which may round different scores to equal ones.
			c.classes[i] = label.classes[nn.Argmax(row)]
			nn.Softmax(row, row)
		}
		all[l] = c
		column += n
	}
	return all, nil
}
