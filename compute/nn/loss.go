package nn

import (
	"fmt"
	"math"
)

// SoftmaxCrossEntropy is the mean over the batch of −ln softmax(logits)[label].
// The zero value is ready for use.
type SoftmaxCrossEntropy struct {
	grad Matrix
	rows []float64
}

// Loss returns the loss and its gradient with respect to the logits, n×classes,
// which is valid until the next call: (softmax − one-hot label)/n. The largest
// logit of a row is subtracted first, so nothing overflows. The loss of an
// empty batch is 0. It panics if the number of labels is not n, or if a label
// is not below classes.
func (s *SoftmaxCrossEntropy) Loss(p *Pool, logits Matrix, labels []int) (float64, Matrix) {
	logits.sound("logits")
	if len(labels) != logits.Rows {
		panic(fmt.Sprintf("nn: Loss with %d labels, want %d", len(labels), logits.Rows))
	}
	for _, label := range labels {
		if label < 0 || label >= logits.Cols {
			panic(fmt.Sprintf("nn: Loss with a label outside the %d classes", logits.Cols))
		}
	}
	s.grad = s.grad.Reshape(logits.Rows, logits.Cols)
	s.rows = lengthen(s.rows, logits.Rows)
	p.rows(logits.Rows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			s.rows[i] = crossEntropy(s.grad.Row(i), logits.Row(i), labels[i], 1/float64(logits.Rows))
		}
	})
	return mean(s.rows), s.grad
}

// crossEntropy returns the loss of one row and sets its gradient times factor.
func crossEntropy(grad, logits []float32, label int, factor float64) float64 {
	largest := math.Inf(-1)
	for _, v := range logits {
		largest = max(largest, float64(v)) // NaN stays
	}
	sum := 0.0
	for j, v := range logits {
		e := math.Exp(float64(v) - largest)
		grad[j] = float32(e)
		sum += e
	}
	scale := factor / sum
	for j, e := range grad {
		grad[j] = float32(float64(e) * scale)
	}
	// 1 − softmax as the sum of the other classes, which loses no digits.
	others := 0.0
	for j, g := range grad {
		if j != label {
			others += float64(g)
		}
	}
	grad[label] = float32(-others)
	return math.Log(sum) - (float64(logits[label]) - largest)
}

// MSE is the mean over all elements of (y − target)². The zero value is ready
// for use.
type MSE struct {
	grad Matrix
	rows []float64
}

// Loss returns the loss and its gradient with respect to y, valid until the
// next call: 2(y − target)/(n·columns). The loss of no elements is 0. It panics
// if the sizes differ.
func (m *MSE) Loss(p *Pool, y, target Matrix) (float64, Matrix) {
	y.sound("y of MSE")
	target.want("target of MSE", y.Rows, y.Cols)
	m.grad = m.grad.Reshape(y.Rows, y.Cols)
	m.rows = lengthen(m.rows, y.Rows)
	p.rows(y.Rows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			grad, t, sum := m.grad.Row(i), target.Row(i), 0.0
			for j, v := range y.Row(i) {
				d := float64(v) - float64(t[j])
				sum += float64(d * d)
				grad[j] = float32(2 * d / float64(len(y.Data)))
			}
			m.rows[i] = sum / float64(max(y.Cols, 1))
		}
	})
	return mean(m.rows), m.grad
}

// Orthogonality keeps several adversaries from learning the same. With hᵢ the
// hidden outputs of adversary i for one row, the loss is the mean over the
// batch of Σ_{i<j} (hᵢ·hⱼ)²: zero where the adversaries look at orthogonal
// directions. The zero value is ready for use.
//
// To reach the hidden outputs, make an adversary of two [Sequential]s, and add
// the gradient to that of the second before the backward pass of the first.
type Orthogonality struct {
	grads []Matrix
	rows  []float64
}

// Loss returns the loss and its gradients, one for each of the hidden outputs
// and valid until the next call: 2/n·Σ_{j≠i} (hᵢ·hⱼ)·hⱼ for hᵢ. With fewer than
// two outputs or an empty batch the loss is 0. It panics if their sizes differ.
func (o *Orthogonality) Loss(p *Pool, hidden []Matrix) (float64, []Matrix) {
	if len(hidden) == 0 {
		return 0, nil
	}
	n, cols := hidden[0].Rows, hidden[0].Cols
	for len(o.grads) < len(hidden) {
		o.grads = append(o.grads, Matrix{})
	}
	grads := o.grads[:len(hidden)]
	for i, h := range hidden {
		h.want("hidden output of Orthogonality", n, cols)
		grads[i] = grads[i].Reshape(n, cols)
	}
	o.rows = lengthen(o.rows, n)
	p.rows(n, func(_, lo, hi int) {
		for r := lo; r < hi; r++ {
			o.rows[r] = orthogonality(p, grads, hidden, r)
		}
	})
	return mean(o.rows), grads
}

// orthogonality returns the loss of row r and sets its gradients.
func orthogonality(p *Pool, grads, hidden []Matrix, r int) float64 {
	for i := range grads {
		clear(grads[i].Row(r))
	}
	sum := 0.0
	for i := range hidden {
		for j := range i {
			a, b := hidden[i].Row(r), hidden[j].Row(r)
			d := p.kernels.dot(a, b)
			sum += float64(d * d)
			factor := float32(2 * d / float64(hidden[i].Rows))
			p.kernels.axpy(grads[i].Row(r), b, factor)
			p.kernels.axpy(grads[j].Row(r), a, factor)
		}
	}
	return sum
}

// mean returns the mean of v, summed first to last, and 0 for none.
func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(max(len(v), 1))
}

// lengthen returns a slice of n numbers, s itself if it is large enough.
func lengthen(s []float64, n int) []float64 {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]float64, n)
}
