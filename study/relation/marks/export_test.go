package marks

import (
	"sotto/compute/nn"
	"sotto/study/relation"
	"sotto/text"
)

// Sequence returns a sentence as tokens of at most limit, and where the marks stand.
func Sequence(w *text.WordPiece, limit int, x relation.Instance) (text.Tokens, [2]int, error) {
	m, err := newMarker(w, []string{""}, limit)
	if err != nil {
		return text.Tokens{}, [2]int{}, err
	}
	s, err := read(x, false)
	if err != nil {
		return text.Tokens{}, [2]int{}, err
	}
	t, places := m.sequence(s)
	return t, places, nil
}

// Learner is a head that always drops the same.
type Learner struct{ h *head }

// NewLearner returns one for sentences with so many rows, of which two are those of marks.
func NewLearner(width, pieces int, targets [][]int, labels []int, marks [][2]int, rows []int) (*Learner, error) {
	k := knowledge{Relations: []string{"", "a"}, Pieces: []string{"x", "y"}[:pieces]}
	n, err := newNetwork(width, k, 0.1, 1)
	return &Learner{&head{network: n, about: k, labels: labels, targets: targets, marks: marks, rows: rows}}, err
}

// Loss returns the loss of all sentences, and its gradient with respect to their rows.
func (l *Learner) Loss(x []float32) (float64, []float32, error) {
	for _, pass := range l.h.Passes() {
		*pass = 7
	}
	width := l.h.layer.Params()[0].Value.Rows / 2
	loss, grad, err := l.h.Learn(nn.NewPool(1), nn.Indices(len(l.h.rows)), nn.Matrix{Rows: len(x) / width, Cols: width, Data: x})
	return loss, append([]float32(nil), grad.Data...), err
}
