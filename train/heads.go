package train

import "sotto/nn"

// Target is a label that a release serves beside the first one of its data.
type Target struct {
	Y       []int   `json:"y"`                // class of each row, below Classes, or [Unknown]
	Classes int     `json:"classes"`          // at least 2
	Weight  float64 `json:"weight,omitempty"` // beside that of the first label, which is 1; 0 means 1
}

// classes returns the number of classes of each label, the first one first.
func (d Data) classes() []int {
	all := []int{d.Classes}
	for _, t := range d.More {
		all = append(all, t.Classes)
	}
	return all
}

// labels returns the classes of the rows for each label.
func (d Data) labels() [][]int {
	all := [][]int{d.Y}
	for _, t := range d.More {
		all = append(all, t.Y)
	}
	return all
}

// weights returns how much each label counts, with sum 1.
func (d Data) weights() []float64 {
	all, total := []float64{1}, 1.0
	for _, t := range d.More {
		w := t.Weight
		if w == 0 {
			w = 1
		}
		all = append(all, w)
		total += w
	}
	for i := range all {
		all[i] /= total
	}
	return all
}

// heads is the loss of several labels at once: the mean of their
// cross-entropies by weight. The scores of a row are those of the first label's
// classes, then of the second's, and so on.
type heads struct {
	classes []int
	weights []float64

	loss  []nn.SoftmaxCrossEntropy
	parts []nn.Matrix
	rows  []int // in which a label is known
	known []int // and what it is there
	grad  nn.Matrix
}

func newHeads(d Data) *heads {
	h := &heads{classes: d.classes(), weights: d.weights()}
	h.loss, h.parts = make([]nn.SoftmaxCrossEntropy, len(h.classes)), make([]nn.Matrix, len(h.classes))
	return h
}

// of returns the loss and its gradient with respect to the scores, valid until
// the next call. A row teaches nothing of a label that is unknown.
func (h *heads) of(p *nn.Pool, scores nn.Matrix, labels [][]int) (float64, nn.Matrix) {
	if len(h.classes) == 1 {
		return h.loss[0].Loss(p, scores, labels[0])
	}
	if cap(h.grad.Data) < len(scores.Data) {
		h.grad.Data = make([]float32, len(scores.Data))
	}
	h.grad = nn.Matrix{Rows: scores.Rows, Cols: scores.Cols, Data: h.grad.Data[:len(scores.Data)]}
	clear(h.grad.Data)
	sum, column := 0.0, 0
	for l, classes := range h.classes {
		h.gather(l, scores, column, labels[l])
		if len(h.rows) > 0 {
			// Loss is a mean over the rows that are known; this one over all.
			share := h.weights[l] * float64(len(h.rows)) / float64(scores.Rows)
			loss, grad := h.loss[l].Loss(p, h.parts[l], h.known)
			sum += share * loss
			for i, row := range h.rows {
				to := h.grad.Row(row)[column : column+classes]
				for j, g := range grad.Row(i) {
					to[j] = g * float32(share)
				}
			}
		}
		column += classes
	}
	return sum, h.grad
}

// gather copies the scores of a label, of the rows in which it is known.
func (h *heads) gather(l int, scores nn.Matrix, column int, labels []int) {
	classes := h.classes[l]
	h.rows, h.known = h.rows[:0], h.known[:0]
	for i, y := range labels {
		if y != Unknown {
			h.rows, h.known = append(h.rows, i), append(h.known, y)
		}
	}
	part := &h.parts[l]
	if need := len(h.rows) * classes; cap(part.Data) < need {
		part.Data = make([]float32, need)
	}
	*part = nn.Matrix{Rows: len(h.rows), Cols: classes, Data: part.Data[:len(h.rows)*classes]}
	for i, row := range h.rows {
		copy(part.Row(i), scores.Row(row)[column:column+classes])
	}
}

// tally counts right answers to each label.
type tally struct {
	right, known []int
}

func newTally(labels int) *tally { return &tally{make([]int, labels), make([]int, labels)} }

// add takes in the scores of one row.
func (t *tally) add(classes []int, scores []float32, labels func(label int) int) {
	column := 0
	for l, c := range classes {
		if y := labels(l); y != Unknown {
			t.known[l]++
			if nn.Argmax(scores[column:column+c]) == y {
				t.right[l]++
			}
		}
		column += c
	}
}

// accuracy is the weighted mean over labels of the share of right answers.
func (t *tally) accuracy(weights []float64) float64 {
	sum := 0.0
	for l, w := range weights {
		sum += w * float64(t.right[l]) / float64(max(t.known[l], 1))
	}
	return sum
}
