package measure

import (
	"math"

	"sotto/compute/nn"
)

// square is an n×n matrix of float64, row by row.
type square struct {
	n    int
	data []float64
}

func newSquare(n int) square { return square{n, make([]float64, n*n)} }

func (s square) row(i int) []float64 { return s.data[i*s.n : (i+1)*s.n] }

// distances returns the squared distances between the rows of x, divided by
// the largest, so that their scale does not matter.
func distances(p *nn.Pool, x nn.Matrix) square {
	d := newSquare(x.Rows)
	p.Each(x.Rows, func(_, i int) {
		a := x.Row(i)
		for j := range i { // each pair once, so no element is written twice
			var sum float64
			b := x.Row(j)[:len(a)]
			for k, v := range a {
				diff := float64(v) - float64(b[k])
				sum += diff * diff
			}
			d.row(i)[j], d.row(j)[i] = sum, sum
		}
	})
	var top float64
	for _, v := range d.data {
		top = max(top, v)
	}
	if top > 0 {
		p.Each(x.Rows, func(_, i int) {
			row := d.row(i)
			for j := range row {
				row[j] /= top
			}
		})
	}
	return d
}

// affinities returns the joint probabilities p_ij of t-SNE: the mean of p_j|i
// and p_i|j, divided by the number of rows, so that all of them sum to 1.
func affinities(p *nn.Pool, x nn.Matrix, perplexity float64) square {
	d := distances(p, x)
	p.Each(d.n, func(_, i int) { neighbours(d.row(i), i, perplexity) })
	joint := newSquare(d.n)
	p.Each(d.n, func(_, i int) {
		row := joint.row(i)
		for j := range row {
			row[j] = (d.row(i)[j] + d.row(j)[i]) / (2 * float64(d.n))
		}
	})
	return joint
}

// entropyTolerance is how far the logarithm of a row's perplexity may be off,
// and searchSteps how often it is tried: distances that span more than
// 2^searchSteps, such as those of repeated rows, get as near as that.
const (
	entropyTolerance = 1e-5
	searchSteps      = 100
)

// neighbours replaces the squared distances of row i by the probabilities
// p_j|i ∝ exp(−β·d_j), and p_i|i = 0, with the β for which 2 to their entropy in
// bits is the perplexity. Where more rows than that are equally near, these
// share the probability.
func neighbours(row []float64, i int, perplexity float64) {
	nearest := math.Inf(1)
	for j, d := range row {
		if j != i {
			nearest = min(nearest, d)
		}
	}
	scratch := make([]float64, len(row))
	want := math.Log(perplexity)
	low, high, beta := 0.0, math.Inf(1), 1.0
	for range searchSteps {
		off := kernel(scratch, row, i, nearest, beta) - want
		if math.Abs(off) < entropyTolerance {
			break
		}
		if off > 0 { // too flat
			low = beta
		} else {
			high = beta
		}
		if beta = (low + high) / 2; math.IsInf(high, 1) {
			beta = 2 * low
		}
	}
	copy(row, scratch)
}

// kernel sets p to exp(−β·(d − nearest)), with p_i = 0, scaled to sum 1, and
// returns the entropy in nats.
func kernel(p, d []float64, i int, nearest, beta float64) float64 {
	var sum, moment float64
	for j, v := range d {
		p[j] = 0
		if j == i {
			continue
		}
		e := math.Exp(-beta * (v - nearest))
		p[j] = e
		sum += e
		moment += e * (v - nearest)
	}
	for j := range p {
		p[j] /= sum // at least 1, by the nearest
	}
	return math.Log(sum) + beta*moment/sum
}
