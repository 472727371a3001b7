package estimate

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"sotto/compute/measure"
	"sotto/promise/mech"
)

// leastRows is how many releases a mean must have: intervals rest on sums of them
// being nearly normal.
const leastRows = 30

// Mean sums up releases of vectors, from which it tells the mean of what was
// released. It holds a few thousand numbers for each coordinate, however many
// releases there are.
type Mean struct {
	m      mech.Averaging
	n      int
	mean   []float64
	square []float64 // Σ (x − mean)², after Welford
	blocks blocks
	row    []float64
}

// NewMean begins to sum up releases of m. It refuses mechanisms of whose releases
// the mean does not tell that of what was released.
func NewMean(m mech.Mechanism) (*Mean, error) {
	a, ok := m.(mech.Averaging)
	if !ok {
		why := "releases answers, of which shares can be told, and no mean"
		if _, few := m.(mech.Finite); few {
			why = "releases one of a few things whose mean is not that of what was released; shares can be told of them, or of public inputs"
		}
		return nil, fmt.Errorf("estimate: the mechanism %s %s", m.Params().Mechanism, why)
	}
	d := a.Average().Width
	return &Mean{m: a, mean: make([]float64, d), square: make([]float64, d), row: make([]float64, d), blocks: blocks{width: d}}, nil
}

// Another begins an empty one of the same mechanism.
func (s *Mean) Another() *Mean {
	d := len(s.mean)
	return &Mean{m: s.m, mean: make([]float64, d), square: make([]float64, d), row: make([]float64, d), blocks: blocks{width: d}}
}

// Add takes one release. What the mechanism cannot have released is an error and is
// not taken.
func (s *Mean) Add(y []float64) error {
	if err := s.m.Unbias(s.row, y); err != nil {
		return err
	}
	s.n++
	by := 1 / float64(s.n)
	for i, v := range s.row {
		off := v - s.mean[i]
		s.mean[i] += float64(off * by)
		s.square[i] += float64(off * (v - s.mean[i]))
	}
	s.blocks.add(s.row)
	return nil
}

// N returns how many releases were taken.
func (s *Mean) N() int { return s.n }

// Of says in words of what the mean is.
func (s *Mean) Of() string { return s.m.Average().Of }

// Interval is a number and the interval that holds it.
type Interval struct {
	Value float64        `json:"value"`
	Low   measure.Number `json:"low"` // undefined in results of whom intervals say nothing
	High  measure.Number `json:"high"`
	Error measure.Number `json:"standard_error"`
}

// Average is the mean of what was released.
type Average struct {
	Coordinates []Interval `json:"coordinates"`
	Norm        Interval   `json:"norm"` // of the mean
}

// Average estimates the mean of what was released, and its length.
//
// A coordinate is the mean of its numbers, with Student's interval, widened by what
// rounding leaves: it holds as far as a mean of n numbers is normal, which noise sees
// to from n = 30 on but for inputs of which very few are very different
// (TestMeanCoverage).
//
// The length of a noisy mean is mostly noise. Products of different releases are
// free of it: the mean of ⟨x, y⟩ over all pairs of two of B blocks of releases is the
// square of the length on average. Its interval is from the jackknife over blocks,
// which errs on the wide side where the length is near 0.
func (s *Mean) Average(confidence float64) (*Average, error) {
	if err := checkConfidence(confidence); err != nil {
		return nil, err
	}
	if s.n < leastRows {
		return nil, fmt.Errorf("%w: there are %d releases, must be at least %d for a mean", ErrNothing, s.n, leastRows)
	}
	a := &Average{Coordinates: make([]Interval, len(s.mean))}
	t, bias := student(confidence, float64(s.n-1)), s.m.Average().Bias
	for i, v := range s.mean {
		e := s.errorOf(i)
		a.Coordinates[i] = around(v, e, float64(t*e)+bias)
	}
	l := best(s.n)
	a.Norm = norm(s.blocks.at(l), float64(int(1)<<l), confidence)
	return a, nil
}

// Covers reports whether the interval holds a number.
func (i Interval) Covers(v float64) bool { return float64(i.Low) <= v && v <= float64(i.High) }

// around is the interval that far on both sides of a number.
func around(value, deviation, far float64) Interval {
	return Interval{Value: value, Low: measure.Number(value - far), High: measure.Number(value + far), Error: measure.Number(deviation)}
}

// errorOf returns the standard error of coordinate i.
func (s *Mean) errorOf(i int) float64 {
	return math.Sqrt(s.square[i] / float64(s.n-1) / float64(s.n))
}

// student returns the quantile of Student's law at which it is inside with that
// confidence.
func student(confidence, free float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: free}.Quantile((1 + confidence) / 2)
}

// norm estimates the length of the mean from sums of blocks of equal size.
func norm(sums [][]float64, size, confidence float64) Interval {
	b := float64(len(sums))
	all, own := make([]float64, len(sums[0])), make([]float64, len(sums))
	total := 0.0
	for i, sum := range sums {
		for j, v := range sum {
			all[j] += v
		}
		own[i] = dot(sum, sum)
		total += own[i]
	}
	square := dot(all, all)
	whole := (square - total) / (b * (b - 1)) // of all pairs
	without := make([]float64, len(sums))     // of pairs without one block
	mean := 0.0
	for i, sum := range sums {
		left := square - 2*dot(all, sum) + own[i]
		without[i] = (left - (total - own[i])) / ((b - 1) * (b - 2))
		mean += without[i] / b
	}
	variance := 0.0
	for _, v := range without {
		variance += (v - mean) * (v - mean) * (b - 1) / b
	}
	e := math.Sqrt(variance)
	root := func(v float64) float64 { return math.Sqrt(max(v, 0)) / size }
	t := student(confidence, b-1)
	r := Interval{Value: root(whole), Low: measure.Number(root(whole - t*e)), High: measure.Number(root(whole + t*e))}
	if r.Value > 0 {
		r.Error = measure.Number(e / size / size / (2 * r.Value)) // of the root of a number
	}
	return r
}

// errUnlike is returned where two means are not of the same mechanism.
var errUnlike = errors.New("estimate: the two were released by different mechanisms, or with different parameters, must be alike to be compared")
