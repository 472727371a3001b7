package nn

// Heads is the loss of several labels at once: the mean of their cross-entropies
// by weight. The scores of a row are those of the first label's classes, then of
// the second's, and so on.
type Heads struct {
	Classes []int     // of each label
	Weights []float64 // of each label, with sum 1

	loss  []SoftmaxCrossEntropy
	parts []Matrix
	rows  []int // in which a label is known
	known []int // and what it is there
	grad  Matrix
}

// Loss returns the loss and its gradient with respect to the scores, valid until
// the next call. A row teaches nothing of a label that is negative there, unless
// it is the only one, which must be known. It panics as
// [SoftmaxCrossEntropy.Loss] does.
func (h *Heads) Loss(p *Pool, scores Matrix, labels [][]int) (float64, Matrix) {
	if h.loss == nil {
		h.loss, h.parts = make([]SoftmaxCrossEntropy, len(h.Classes)), make([]Matrix, len(h.Classes))
	}
	if len(h.Classes) == 1 {
		return h.loss[0].Loss(p, scores, labels[0])
	}
	h.grad = h.grad.Reshape(scores.Rows, scores.Cols)
	clear(h.grad.Data)
	sum, column := 0.0, 0
	for l, classes := range h.Classes {
		h.gather(l, scores, column, labels[l])
		if len(h.rows) > 0 {
			// Loss is a mean over the rows that are known; this one over all.
			share := h.Weights[l] * float64(len(h.rows)) / float64(scores.Rows)
			loss, grad := h.loss[l].Loss(p, h.parts[l], h.known)
			sum += float64(share * loss)
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
func (h *Heads) gather(l int, scores Matrix, column int, labels []int) {
	h.rows, h.known = h.rows[:0], h.known[:0]
	for i, y := range labels {
		if y >= 0 {
			h.rows, h.known = append(h.rows, i), append(h.known, y)
		}
	}
	part := &h.parts[l]
	*part = part.Reshape(len(h.rows), h.Classes[l])
	for i, row := range h.rows {
		copy(part.Row(i), scores.Row(row)[column:])
	}
}
