package nn

import "math"

// Schedule is a learning rate that rises evenly over the first steps and then
// falls evenly to 0, as transformers are tuned.
type Schedule struct {
	Warm  int `json:"warm"`  // steps until the rate is whole
	Total int `json:"total"` // steps until it is 0
}

// At returns the share of the rate in a step, counted from 0.
func (s Schedule) At(step int) float64 {
	if step < s.Warm {
		return float64(step+1) / float64(s.Warm+1)
	}
	return max(0, float64(s.Total-step)/float64(max(1, s.Total-s.Warm)))
}

// ClipNorm scales the gradients of all parameters together, so that their
// Euclidean length is at most limit, and returns the length that they had. It
// leaves gradients that are not finite as they are.
func (p *Pool) ClipNorm(params []Param, limit float64) float64 {
	square := 0.0
	for _, q := range params {
		square += p.square(q.grad().Data)
	}
	norm := math.Sqrt(square)
	if !(norm > limit && norm <= math.MaxFloat64) {
		return norm
	}
	for _, q := range params {
		g := q.grad().Data
		p.chunks(len(g), func(lo, hi int) { p.kernels.scale(g[lo:hi], g[lo:hi], limit/norm) })
	}
	return norm
}

// grad returns the numbers of the gradient, of whichever rows.
func (q Param) grad() Matrix {
	if q.Touched != nil {
		return q.Touched.Grad
	}
	return q.Grad
}

// square returns Σ v², added up chunk by chunk whoever computes one.
func (p *Pool) square(v []float32) float64 {
	sums := make([]float64, (len(v)+chunk-1)/chunk)
	p.chunks(len(v), func(lo, hi int) { sums[lo/chunk] = p.kernels.dot(v[lo:hi], v[lo:hi]) })
	sum := 0.0
	for _, s := range sums {
		sum += s
	}
	return sum
}
