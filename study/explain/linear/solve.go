package linear

import (
	"context"
	"errors"
	"math"
)

// problem is logistic regression of one class against the others:
//
//	½‖w‖² + C·Σ log(1 + exp(−t(w·x + b))) + ½λ·Σ (w·δ)²,  t = ±1,
//
// which is scikit-learn's with its C, and beside it a penalty on attributions: δ is what
// a text has above the same text without some words, so that w·δ is what these words
// are worth to it. The last variable is b, which is not penalised.
type problem struct {
	x       *Rows
	yes     []bool
	c       float64
	against *Rows // nil for none
	lambda  float64
}

// scores returns w·x + b of each row.
func (q *problem) scores(w []float64) []float64 {
	s := make([]float64, q.x.Len())
	for i := range s {
		s[i] = q.x.dot(i, w) + w[q.x.Width]
	}
	return s
}

// value is the objective.
func (q *problem) value(w, scores []float64) float64 {
	sum := 0.0
	for i, s := range scores {
		if !q.yes[i] {
			s = -s
		}
		sum += float64(q.c * softplus(-s))
	}
	for _, v := range w[:q.x.Width] {
		sum += float64(v * v / 2)
	}
	if q.against != nil {
		for i := range q.against.Len() {
			d := q.against.dot(i, w)
			sum += float64(q.lambda * d * d / 2)
		}
	}
	return sum
}

// softplus is log(1 + exp(x)).
func softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}

// sigmoid is 1/(1 + exp(−x)).
func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// gradient returns the gradient, and the second derivative of each row's loss.
func (q *problem) gradient(w, scores []float64) (g, bend []float64) {
	n := q.x.Width
	g, bend = make([]float64, n+1), make([]float64, len(scores))
	copy(g, w[:n])
	for i, s := range scores {
		p := sigmoid(s)
		bend[i] = q.c * p * (1 - p)
		if q.yes[i] {
			p--
		}
		q.x.add(i, q.c*p, g)
		g[n] += float64(q.c * p)
	}
	if q.against != nil {
		for i := range q.against.Len() {
			q.against.add(i, q.lambda*q.against.dot(i, w), g)
		}
	}
	return g, bend
}

// curvature is the Hessian of a problem at a point, by what it does to vectors.
type curvature struct {
	*problem
	bend     []float64
	diagonal []float64
}

func (q *problem) curvature(bend []float64) *curvature {
	h := &curvature{problem: q, bend: bend, diagonal: make([]float64, q.x.Width+1)}
	for j := range q.x.Width {
		h.diagonal[j] = 1
	}
	for i, d := range bend {
		index, value := q.x.Row(i)
		for k, j := range index {
			h.diagonal[j] += float64(d * value[k] * value[k])
		}
		h.diagonal[q.x.Width] += d
	}
	if q.against != nil {
		for k, j := range q.against.Index {
			h.diagonal[j] += float64(q.lambda * q.against.Value[k] * q.against.Value[k])
		}
	}
	// Where every answer is certain, b has no curvature at all.
	h.diagonal[q.x.Width] = max(h.diagonal[q.x.Width], 1e-12)
	return h
}

// times fills to with the product of the Hessian and v.
func (h *curvature) times(v, to []float64) {
	n := h.x.Width
	copy(to, v)
	to[n] = 1e-12 * v[n]
	for i, d := range h.bend {
		d *= h.x.dot(i, v) + v[n]
		h.x.add(i, d, to)
		to[n] += d
	}
	if h.against != nil {
		for i := range h.against.Len() {
			h.against.add(i, h.lambda*h.against.dot(i, v), to)
		}
	}
}

// solve returns a v for which the Hessian times v is b up to a part of b's length, by
// conjugate gradients that are preconditioned by the diagonal.
func (h *curvature) solve(b []float64, part float64, most int) []float64 {
	n := len(b)
	x, r, z, hd := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	copy(r, b)
	for j := range z {
		z[j] = r[j] / h.diagonal[j]
	}
	d := append([]float64(nil), z...)
	rz, goal := product(r, z), part*math.Sqrt(product(b, b))
	for range most {
		if !(math.Sqrt(product(r, r)) > goal) {
			break
		}
		h.times(d, hd)
		bend := product(d, hd)
		if !(bend > 0) {
			break
		}
		step := rz / bend
		for j := range x {
			x[j] += float64(step * d[j])
			r[j] -= float64(step * hd[j])
			z[j] = r[j] / h.diagonal[j]
		}
		next := product(r, z)
		for j := range d {
			d[j] = z[j] + float64(next/rz*d[j])
		}
		rz = next
	}
	return x
}

func product(a, b []float64) float64 {
	sum := 0.0
	for j, v := range a {
		sum += float64(v * b[j])
	}
	return sum
}

// precise is the part of the first gradient that may be left.
const precise = 1e-7

var errStuck = errors.New("linear: logistic regression did not reach its minimum: rows hold numbers that differ too much in size")

// minimise returns the minimum, by Newton's method with steps from conjugate gradients,
// halved until they descend.
func (q *problem) minimise(ctx context.Context) ([]float64, error) {
	w := make([]float64, q.x.Width+1)
	scores := q.scores(w)
	value := q.value(w, scores)
	first := 0.0
	for range 100 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g, bend := q.gradient(w, scores)
		size := math.Sqrt(product(g, g))
		if first == 0 {
			first = size
		}
		if !(size > precise*first) {
			return w, nil
		}
		step := q.curvature(bend).solve(g, min(0.1, math.Sqrt(size/first)), 500)
		slope := product(g, step)
		next, halves := make([]float64, len(w)), 0
		for scale := 1.0; ; scale /= 2 {
			for j := range next {
				next[j] = w[j] - float64(scale*step[j])
			}
			scores = q.scores(next)
			if v := q.value(next, scores); v <= value-1e-4*scale*slope {
				value = v
				break
			}
			if halves++; halves > 40 {
				if size > 1e-4*first {
					return nil, errStuck
				}
				return w, nil // rounding leaves nothing to gain
			}
		}
		w = next
		for _, v := range w {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, errors.New("linear: a weight is not finite: rows hold numbers that are too large")
			}
		}
	}
	return nil, errStuck
}
