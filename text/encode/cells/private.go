package cells

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"sotto/compute/nn"
	"sotto/promise/dp"
	"sotto/promise/mech"
)

// MakePrivate makes cells that suit private texts: it counts how many of these lie in
// each of a set of public cells, releases the counts with noise (see [mech.Counts]) and
// joins public cells into fewer by the noisy counts alone. So the centres are means of
// public centres, and all that is told of the texts is told by the counts.
//
// The guarantee is that of the counts, between any two lists of texts of the same
// length that differ in one text, which moves one count down and another up.
// epsilon is that of the counts; s.Epsilon that of releases to come; s.Direction that of
// the public cells, which is public.
func MakePrivate(ctx context.Context, x nn.Matrix, public []Cell, epsilon float64, s Settings, src rand.Source) (*Set, dp.Guarantee, error) {
	promise, err := Promised(epsilon, 1)
	if err != nil {
		return nil, promise, err
	}
	if err = s.Validate(); err != nil {
		return nil, promise, err
	}
	if len(public) < 4 || x.Rows == 0 || len(public[0].Y) != x.Cols {
		return nil, promise, fmt.Errorf("cells: there are %d texts of %d numbers and %d public cells, must be some texts, and four cells at least of as many numbers", x.Rows, x.Cols, len(public))
	}
	release, err := mech.NewCounts(replaced, epsilon)
	if err != nil {
		return nil, promise, err
	}
	centres := nn.NewMatrix(len(public), x.Cols)
	for c, cell := range public {
		for j, v := range cell.Y {
			centres.Row(c)[j] = float32(v)
		}
	}
	m := &maker{width: x.Cols, pool: nn.NewPool(s.Workers), settings: s}
	if m.x, err = along(centres, s.Direction); err != nil {
		return nil, promise, err
	}
	wide, err := along(x, s.Direction)
	if err != nil {
		return nil, promise, err
	}
	counts, err := release.Release(m.tally(wide), src)
	if err != nil {
		return nil, promise, err
	}
	set, err := m.join(ctx, counts, release.Scale())
	return set, promise, err
}

// Replacement is between which lists of texts the promise of private cells holds: two of
// the same length that differ in one text. It is no promise of whether a text is there.
const Replacement = "replacement"

// replaced is by how much counts change in all where one text is replaced.
const replaced = 2

// Promised returns what so many sets promise together that are made by [MakePrivate] of
// the same texts, each with its part of ε. It is known before anything is drawn, so that
// it can be paid for first.
func Promised(epsilon float64, sets int) (dp.Guarantee, error) {
	release, err := mech.NewCounts(replaced, epsilon/float64(sets))
	if err != nil {
		return dp.Guarantee{}, err
	}
	return dp.Guarantee{
		Unit: dp.Text, Epsilon: release.Epsilon() * dp.Epsilon(sets),
		Assumptions: []string{"a text is one row; for a person with k rows ε is k times as large", "how many texts there are is public", "neither the public cells nor the encoder depend on these texts"},
	}, nil
}

// tally counts in which of the maker's rows, taken for centres, each row of x lies.
func (m *maker) tally(x nn.Matrix) []int64 {
	d := &division{centres: m.x, of: make([]int, x.Rows)}
	all := make([]int, x.Rows)
	for i := range all {
		all[i] = i
	}
	m.assign(d, x, all)
	counts := make([]int64, m.x.Rows)
	for _, c := range d.of {
		counts[c]++
	}
	return counts
}

// join joins public cells by released counts. A count that noise alone may have given
// counts as none: of N counts of nothing one is above ln(50N) times the noise's scale
// once in a hundred times.
func (m *maker) join(ctx context.Context, counts []int64, scale float64) (*Set, error) {
	m.weights = make([]float64, len(counts))
	var rows []int
	for c, n := range counts {
		if float64(n) > float64(scale*math.Log(50*float64(len(counts)))) {
			m.weights[c] = float64(n)
			rows = append(rows, c)
		}
	}
	if len(rows) < 2 {
		return nil, errors.New("cells: fewer than two public cells have more texts than noise alone may give, must be two: give more texts, or more ε (--epsilon-cells)")
	}
	set := &Set{Epsilon: m.settings.Epsilon}
	best := Trial{Cells: min(m.settings.Count, len(rows))}
	if m.settings.Count == 0 {
		for _, n := range numbers(m.settings.Epsilon, len(rows)) {
			t, err := m.try(ctx, rows, rows, n, false)
			if err != nil {
				return nil, err
			}
			set.Tried = append(set.Tried, t)
		}
		best = fewest(set.Tried)
	}
	d, err := m.divide(ctx, rows, best, m.settings.Least)
	if err != nil {
		return nil, err
	}
	set.Chosen = m.judge(d, rows)
	set.take(d, m.width)
	return set, nil
}
