// Package cells makes public cells of texts' vectors, for the mechanism that releases
// in which of them a vector lies. How many cells serve best depends on ε: more are
// finer, and a release hits the right one less often. [Make] tries several numbers and
// keeps the fewest that tell nearly as much as any number does, by the expected
// distortion of texts that it held out.
//
// The centres are means of texts' vectors, and examples are texts: whatever goes in
// must be public. Nothing here is differentially private.
package cells

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"sotto/compute/nn"
)

// Settings say how cells are made.
type Settings struct {
	Epsilon float64 // of the releases
	Count   int     // cells; 0 tries several numbers
	Least   int     // texts that each cell must have
	Seed    uint64  // of the first centres
	Workers int
	// Direction counts for more than others where texts are divided (see [Direct]); nil
	// means that all count alike. The number of cells is chosen without it, and distortion
	// is that of vectors as they are.
	Direction []float64
}

// Validate refuses settings that make nothing.
func (s Settings) Validate() error {
	switch {
	case !(s.Epsilon > 0 && s.Epsilon <= 50):
		return fmt.Errorf("cells: epsilon is %v, must be above 0 and at most 50", s.Epsilon)
	case s.Count != 0 && (s.Count < 2 || s.Count > most):
		return fmt.Errorf("cells: number of cells is %d, must be from 2 to %d", s.Count, most)
	case s.Least < 1:
		return fmt.Errorf("cells: texts a cell are %d, must be at least 1", s.Least)
	case s.Workers < 1:
		return fmt.Errorf("cells: workers are %d, must be at least 1", s.Workers)
	}
	return nil
}

const (
	most    = 4096   // cells
	held    = 10     // one text of so many is held out
	trying  = 20_000 // texts that numbers of cells are tried on
	rounds  = 12     // of moving centres
	perPair = 8      // the largest number tried is so many times the least
)

// Trial is a number of cells and what was measured of it on texts held out.
type Trial struct {
	Cells int `json:"cells"`
	// Distortion is the expected square of the distance between a vector and the mean
	// that a receiver who knows centres and shares would take for it, as a share of
	// what it is for one who knows nothing but the mean of all.
	Distortion float64 `json:"distortion"`
	Kept       float64 `json:"kept"` // the chance that the right cell is released
	// Whitened says that the first centres were found among half-whitened vectors, in
	// which every direction counts by the root of how far texts spread along it.
	Whitened bool `json:"whitened,omitempty"`
}

// Set is what [Make] made.
type Set struct {
	Epsilon float64     // for which it was made
	Centres [][]float64 // of each cell
	Texts   []int       // how many texts each cell has
	Example []int       // which text lies nearest to each centre
	Of      []int       // in which cell each text lies; −1 for one that was held out
	Chosen  Trial
	Tried   []Trial
	Channel *Channel // nil if there are too many cells to compare channels
}

// Make makes cells of rows of vectors. The result does not depend on the number of
// workers.
func Make(ctx context.Context, x nn.Matrix, s Settings) (*Set, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	var fit, out []int
	for i := range x.Rows {
		if i%held == held-1 {
			out = append(out, i)
		} else {
			fit = append(fit, i)
		}
	}
	if len(out) == 0 || len(fit) < 2*s.Least {
		return nil, fmt.Errorf("cells: there are %d texts, must be at least %d: %d for each of two cells, and one in %d is held out", x.Rows, max(held, (2*s.Least*held+held-2)/(held-1)), s.Least, held)
	}
	wide, err := along(x, s.Direction)
	if err != nil {
		return nil, err
	}
	m := &maker{x: wide, width: x.Cols, pool: nn.NewPool(s.Workers), settings: s}
	plain := &maker{x: x, width: x.Cols, pool: m.pool, settings: s} // by which the number is chosen
	result := &Set{Epsilon: s.Epsilon}
	best := Trial{Cells: s.Count}
	if best.Cells == 0 {
		for _, n := range numbers(s.Epsilon, len(fit)/s.Least) {
			t, failed := plain.try(ctx, every(fit, trying), every(out, trying/held), n, false)
			if failed != nil {
				return nil, failed
			}
			result.Tried = append(result.Tried, t)
		}
		best = fewest(result.Tried)
	}
	if best.Cells*s.Least > len(fit) {
		return nil, fmt.Errorf("cells: %d cells of %d texts have %d each on average, must have at least %d: give more texts, fewer cells, or make them privately (--private), which shows no text", best.Cells, len(fit), len(fit)/best.Cells, s.Least)
	}
	if s.Count == 0 {
		t, failed := plain.try(ctx, every(fit, trying), every(out, trying/held), best.Cells, true)
		if failed != nil {
			return nil, failed
		}
		result.Tried = append(result.Tried, t)
		best.Whitened = t.Distortion < best.Distortion
	}
	d, err := m.divide(ctx, fit, best, s.Least)
	if err != nil {
		return nil, err
	}
	result.Chosen = m.judge(d, out)
	result.Chosen.Whitened = best.Whitened
	if result.Channel, err = m.compare(ctx, d, out); err != nil {
		return nil, err
	}
	result.take(d, m.width)
	result.Of = slices.Repeat([]int{-1}, x.Rows)
	for i, r := range fit {
		result.Of[r] = d.of[i]
	}
	return result, nil
}

// enough is the share of what the best number of cells tells that fewer must tell to be
// taken in its stead.
const enough = 0.97

// fewest returns the least number of cells, of those tried in ascending order, that
// tells nearly as much as the best: the right one of fewer is released more often, and
// each has more texts.
func fewest(tried []Trial) Trial {
	told := 0.0
	for _, t := range tried {
		told = max(told, 1-t.Distortion)
	}
	at := slices.IndexFunc(tried, func(t Trial) bool { return 1-t.Distortion >= enough*told })
	if at < 0 { // nothing is told
		return tried[0]
	}
	return tried[at]
}

// take takes in what was divided, of centres so many numbers.
func (s *Set) take(d *division, width int) {
	for c := range d.centres.Rows {
		wide := make([]float64, width)
		for i, v := range d.centres.Row(c)[:width] {
			wide[i] = rounded(v)
		}
		s.Centres, s.Texts = append(s.Centres, wide), append(s.Texts, int(d.texts[c]))
	}
	s.Example = d.example
}

// rounded keeps four digits of a centre's number: a file has no use for more.
func rounded(v float32) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(float64(v), 'e', 3, 32), 64) // it was written there
	return short
}

// numbers lists the numbers of cells to try at ε, at most n of them: from e^(ε/2),
// below which cells are coarser than the noise, to eight times as many.
func numbers(epsilon float64, n int) []int {
	n = min(n, most)
	least := math.Exp(epsilon / 2)
	var all []int
	for _, factor := range []float64{1, 1.5, 2, 3, 4, 6, perPair} {
		c := max(2, int(math.Round(min(least*factor, most))))
		if c = min(c, n); !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// every returns n of the rows at most, evenly spread.
func every(rows []int, n int) []int {
	if len(rows) <= n {
		return rows
	}
	some := make([]int, n)
	for i := range some {
		some[i] = rows[i*len(rows)/n]
	}
	return some
}
