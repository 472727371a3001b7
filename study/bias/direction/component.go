package direction

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// component is the first principal component of pairs, each member taken from
// the mean of its pair.
type component struct {
	g         []float64 // of length 1, female words on the positive side
	explained []float64 // shares of variance, largest first
}

// principal finds it. The two rows of a pair are h and −h, h half their
// difference, so that their mean is zero and their scatter is twice that of the
// rows h alone: the singular vectors are the same, and so are the shares.
func principal(pairs []foundPair) (component, error) {
	dim := len(pairs[0].half)
	largest := 0.0 // so that no square overflows or vanishes
	for _, p := range pairs {
		largest = max(largest, floats.Norm(p.half, math.Inf(1)))
	}
	rows := mat.NewDense(len(pairs), dim, nil)
	for i, p := range pairs {
		for j, v := range p.half {
			rows.Set(i, j, v/largest)
		}
	}
	var svd mat.SVD
	if !svd.Factorize(rows, mat.SVDThinV) {
		return component{}, errors.New("direction: the singular values of the pairs do not converge")
	}
	c := component{explained: svd.Values(nil)}
	for i, s := range c.explained {
		c.explained[i] = s * s
	}
	floats.Scale(1/floats.Sum(c.explained), c.explained)
	var v mat.Dense
	svd.VTo(&v)
	c.g = mat.Col(nil, 0, &v)
	side := 0.0
	for _, p := range pairs {
		side += floats.Dot(p.half, c.g) / largest
	}
	if side < 0 {
		floats.Scale(-1, c.g)
	}
	return c, nil
}

// confidence is the share of the first component less that of the second,
// undefined for fewer than two different pairs: one has all by itself.
func (c component) confidence(pairs []foundPair) float64 {
	if distinct(pairs) < 2 || len(c.explained) < 2 {
		return math.NaN()
	}
	return c.explained[0] - c.explained[1]
}

// cosine is that of the angle between a vector and one of length 1.
func cosine(v, unit []float64) float64 {
	n := norm2(v)
	if n == 0 {
		return math.NaN()
	}
	sum := 0.0
	for i, x := range v {
		sum += x / n * unit[i] // no product overflows
	}
	return max(-1, min(1, sum))
}

func norm2(v []float64) float64 { return floats.Norm(v, 2) }
