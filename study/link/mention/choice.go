package mention

import (
	"math"
	weakrand "math/rand/v2"
)

// weights of features, by their names.
type weights []float64

// dot is the sum of what features say. Products are rounded before they are added, so
// that it is the same on every machine.
func (w weights) dot(x []float64) float64 {
	var sum float64
	for i, v := range x {
		if v != 0 {
			sum += float64(w[i] * v)
		}
	}
	return sum
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// example is a choice that was made: between rows of features, of which those in right
// are right ones. The last row may be that of none of them.
type example struct {
	rows  [][]float64
	right []bool
}

// fit finds weights under which the right rows are likely: the probability of a row is
// in proportion to exp(weights·row), and that of a choice is the sum over right rows.
// It takes a fixed number of steps, in an order that follows from the seed.
func fit(examples []example, features, passes int, seed uint64) weights {
	const (
		rate  = 0.3
		ridge = 1e-5
	)
	w, squares := make(weights, features), make([]float64, features)
	sum := make(weights, features) // of the second half of the passes: their mean is steadier than the last
	order := make([]int, len(examples))
	for i := range order {
		order[i] = i
	}
	rng := weakrand.New(weakrand.NewPCG(seed, 19))
	gradient := make([]float64, features)
	counted := 0
	for pass := range passes {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, k := range order {
			e := examples[k]
			p, q := e.probabilities(w)
			clear(gradient)
			for r, row := range e.rows {
				d := p[r] - q[r]
				if d == 0 {
					continue
				}
				for i, v := range row {
					if v != 0 {
						gradient[i] += float64(d * v)
					}
				}
			}
			for i, g := range gradient {
				if g == 0 {
					continue
				}
				g += float64(ridge * w[i])
				squares[i] += float64(g * g)
				w[i] -= float64(rate*g) / math.Sqrt(squares[i]+1e-8)
			}
		}
		if pass >= passes/2 {
			counted++
			for i := range w {
				sum[i] += w[i]
			}
		}
	}
	for i := range sum {
		sum[i] = math.Round(sum[i]/float64(counted)*1e4) / 1e4
	}
	return sum
}

// probabilities of rows, and those given that the choice is right.
func (e example) probabilities(w weights) (p, q []float64) {
	p, q = make([]float64, len(e.rows)), make([]float64, len(e.rows))
	top := math.Inf(-1)
	for r, row := range e.rows {
		p[r] = w.dot(row)
		top = max(top, p[r])
	}
	var all, right float64
	for r := range p {
		p[r] = math.Exp(p[r] - top)
		all += p[r]
		if e.right[r] {
			right += p[r]
		}
	}
	for r := range p {
		if e.right[r] {
			q[r] = p[r] / right
		}
		p[r] /= all
	}
	return p, q
}
