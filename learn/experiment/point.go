package experiment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sotto/internal/layout"
	"sotto/promise/mech"
	"sotto/text/encode/cells"
)

// Point is one configuration of a grid.
type Point struct {
	Method    string  `json:"method"`
	Mechanism string  `json:"mechanism,omitempty"`
	Variant   string  `json:"variant,omitempty"`
	Epsilon   float64 `json:"epsilon,omitempty"` // as it is claimed
	Lambda    float64 `json:"lambda,omitempty"`
	Dim       int     `json:"dim,omitempty"` // 0: the shape's own
	// Companion says that nobody asked for it: it is the honest configuration
	// beside one whose claim is false.
	Companion bool `json:"companion,omitempty"`

	standardise bool // decided by the data
	within      bool // the mechanism must keep the number of coordinates
}

// Name is short, unique within a Spec, and fit for a folder.
func (p Point) Name() string {
	name := p.Method
	for _, part := range []struct {
		given bool
		text  string
	}{
		{p.Mechanism != "", p.Mechanism},
		{p.Variant != "", p.Variant},
		{p.Epsilon != 0, fmt.Sprintf("e%v", p.Epsilon)},
		{p.Lambda != 0, fmt.Sprintf("l%v", p.Lambda)},
		{p.Dim != 0, fmt.Sprintf("d%d", p.Dim)},
	} {
		if part.given {
			name += "-" + part.text
		}
	}
	return name
}

// Grid lists the configurations that s trains, companions included.
func (s Spec) Grid(ctx context.Context) ([]Point, error) {
	s, err := s.Filled(ctx)
	if err != nil {
		return nil, err
	}
	return s.points()
}

// points lists the grid. Parameters that no method of the Spec reads are
// refused, so that none is silently ignored.
func (s Spec) points() ([]Point, error) {
	unread := slices.DeleteFunc(s.Fields(), func(f Field) bool { return !f.ofMethod || !f.Given() })
	var points []Point
	for _, name := range s.Methods {
		f, err := findMethod(name)
		if err != nil {
			return nil, err
		}
		if s.Reserve != 0 && !f.uses("reserve", "") { // it changes what all are trained for
			return nil, fmt.Errorf("experiment: reserve has no meaning for method %s", name)
		}
		mine, err := s.pointsOf(f)
		if err != nil {
			return nil, err
		}
		unread = slices.DeleteFunc(unread, func(given Field) bool { return f.uses(given.Name, mine[0].Mechanism) })
		points = append(points, mine...)
	}
	if len(unread) > 0 {
		return nil, fmt.Errorf("experiment: %s has no meaning for method %s", unread[0].Flag, strings.Join(s.Methods, ", "))
	}
	return unique(points), nil
}

// unique drops repetitions, such as a companion that was also asked for.
func unique(points []Point) []Point {
	seen := map[string]bool{}
	return slices.DeleteFunc(points, func(p Point) bool {
		was := seen[p.Name()]
		seen[p.Name()] = true
		return was
	})
}

// pointsOf lists the configurations of one method.
func (s Spec) pointsOf(f family) ([]Point, error) {
	base := Point{Method: f.Name, within: f.within}
	if f.Mechanisms != nil {
		base.Mechanism, base.Variant = cmp.Or(s.Mechanism, f.Mechanisms[0]), s.Variant
		if !slices.Contains(f.Mechanisms, base.Mechanism) {
			return nil, fmt.Errorf("experiment: mechanism of %s is %q, must be one of %s%s", f.Name, base.Mechanism, strings.Join(f.Mechanisms, ", "), layout.Hint(base.Mechanism, f.Mechanisms))
		}
		if len(s.Epsilons) == 0 {
			return nil, fmt.Errorf("experiment: method %s needs an epsilon (--epsilon)", f.Name)
		}
	}
	points := []Point{base}
	if f.uses("epsilons", base.Mechanism) {
		points = cross(points, s.Epsilons, func(p *Point, v float64) { p.Epsilon = v })
	}
	if f.uses("lambdas", base.Mechanism) {
		points = cross(points, s.Lambdas, func(p *Point, v float64) { p.Lambda = v })
	}
	if f.uses("dims", base.Mechanism) {
		points = cross(points, s.Dims, func(p *Point, v int) { p.Dim = v })
	}
	if f.Mechanisms == nil {
		return points, nil
	}
	var all []Point
	for _, p := range points {
		honest, companion, err := s.companion(f, p)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
		if !honest && !s.Alone {
			all = append(all, companion)
		}
	}
	return all, nil
}

// cross makes a copy of each point for each value.
func cross[V any](points []Point, values []V, set func(*Point, V)) []Point {
	if len(values) == 0 {
		return points
	}
	var all []Point
	for _, p := range points {
		for _, v := range values {
			q := p
			set(&q, v)
			all = append(all, q)
		}
	}
	return all
}

// companion reports whether what p claims is true, and returns the
// configuration that keeps the same claim. It also refuses parameters that the
// mechanism does not take, at a width that stands for those to come.
func (s Spec) companion(f family, p Point) (honest bool, companion Point, err error) {
	if mech.Uses(p.Mechanism, "cells") {
		if _, err = cells.ShippedFor(string(s.Cells), string(cmp.Or(s.Encoder, "default")), p.Epsilon); err != nil {
			return false, Point{}, err
		}
	}
	params := p.release(s)
	encoder := s.shape(p.Dim).Encoder
	width := encoder[len(encoder)-1]
	if mech.VariantOf(params).Form == mech.FormCode {
		width, params.Dim = max(params.Dim, s.Selected+1, 2), 0
	}
	statement, err := mech.Describe(params.Assume().Fit(width), 0)
	if err != nil {
		return false, Point{}, err
	}
	companion = p
	companion.Companion = true
	companion.Mechanism, companion.Variant = params.Honest()
	if !f.uses("lambdas", companion.Mechanism) {
		companion.Lambda = 0
	}
	return statement.Honest(), companion, nil
}
