package audit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Domain describes the inputs of a foreign mechanism: vectors of Dim numbers
// between Low and High.
type Domain struct {
	Dim       int
	Low, High float64
}

// Validate reports a domain that holds no two inputs.
func (d Domain) Validate() error {
	if d.Dim < 1 || d.Dim > 1<<20 {
		return fmt.Errorf("audit: dim is %d, must be at least 1 and at most %d", d.Dim, 1<<20)
	}
	if !(d.Low < d.High) || math.IsInf(d.High-d.Low, 0) {
		return fmt.Errorf("audit: range is %v to %v, must be two finite numbers in increasing order", d.Low, d.High)
	}
	return nil
}

// Pairs returns pairs of inputs that careless mechanisms tell apart: all
// coordinates at opposite ends, alternating, or only the first, the last or
// the middle one different, and with zeros against none.
func (d Domain) Pairs() []Pair {
	all := func(v float64) []float64 { return slices.Repeat([]float64{v}, d.Dim) }
	// but returns the vector of v with another value at one place.
	but := func(v float64, place int, other float64) []float64 {
		x := all(v)
		x[place] = other
		return x
	}
	alternating := func(first, second float64) []float64 {
		return slices.Repeat([]float64{first, second}, (d.Dim+1)/2)[:d.Dim]
	}
	pairs := []Pair{
		{Name: "all low against all high", X: all(d.Low), X2: all(d.High)},
		{Name: "alternating ends", X: alternating(d.High, d.Low), X2: alternating(d.Low, d.High)},
		{Name: "only the first coordinate differs", X: but(d.Low, 0, d.High), X2: but(d.Low, d.Dim-1, d.High)},
		{Name: "only the last coordinate differs", X: but(d.Low, d.Dim-1, d.High), X2: all(d.Low)},
		{Name: "only the middle coordinate differs", X: but(d.High, d.Dim/2, d.Low), X2: all(d.High)},
		{Name: "one coordinate at opposite ends", X: but(d.middle(), 0, d.High), X2: but(d.middle(), 0, d.Low)},
	}
	if d.Low <= 0 && d.High >= 0 {
		away := cmp.Or(d.High, d.Low)
		pairs = append(pairs,
			Pair{Name: "a last zero against none", X: but(away, d.Dim-1, 0), X2: all(away)},
			Pair{Name: "all zero against none", X: all(0), X2: all(away)},
			Pair{Name: "every second zero against the others", X: alternating(away, 0), X2: alternating(0, away)},
		)
	}
	// In one dimension some of these are one input twice.
	pairs = slices.DeleteFunc(pairs, func(p Pair) bool { return slices.Equal(p.X, p.X2) })
	for i := range pairs {
		pairs[i].Distance = 1
	}
	return pairs
}

// middle is 0 where the range holds it, else its centre.
func (d Domain) middle() float64 {
	if d.Low <= 0 && d.High >= 0 {
		return 0
	}
	return d.Low + (d.High-d.Low)/2
}

func euclid(a, b []float64) float64 {
	sum := 0.0
	for i := range a {
		sum += (a[i] - b[i]) * (a[i] - b[i])
	}
	return math.Sqrt(sum)
}
