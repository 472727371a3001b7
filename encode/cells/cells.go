// Package cells makes public cells of texts' vectors, for the mechanism that releases
// in which of them a vector lies. How many cells serve best depends on ε: more are
// finer, and a release hits the right one less often. [Make] tries several numbers and
// keeps the one with the least expected distortion on texts that it held out.
//
// The centres are means of texts' vectors, and examples are texts: whatever goes in
// must be public. Nothing here is differentially private.
package cells

import (
	"context"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/nn"
)

// Settings say how cells are made.
type Settings struct {
	Epsilon float64 // of the releases
	Count   int     // cells; 0 tries several numbers
	Least   int     // texts that each cell must have
	Seed    uint64  // of the first centres
	Workers int
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
	rounds  = 10     // of moving centres
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
}

// Set is what [Make] made.
type Set struct {
	Centres [][]float64 // of each cell
	Texts   []int       // how many texts each cell has
	Example []int       // which text lies nearest to each centre
	Chosen  Trial
	Tried   []Trial
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
	result := &Set{}
	best := s.Count
	if best == 0 {
		counts := numbers(s.Epsilon, len(fit)/s.Least)
		for _, n := range counts {
			d, err := divide(ctx, x, every(fit, trying), n, 1, s)
			if err != nil {
				return nil, err
			}
			result.Tried = append(result.Tried, d.judge(x, every(out, trying/held), s.Epsilon))
		}
		best = slices.MinFunc(result.Tried, func(a, b Trial) int { return compare(a.Distortion, b.Distortion) }).Cells
	}
	if best*s.Least > len(fit) {
		return nil, fmt.Errorf("cells: %d cells of %d texts have %d each on average, must have at least %d: give more texts, or fewer cells", best, len(fit), len(fit)/best, s.Least)
	}
	d, err := divide(ctx, x, fit, best, s.Least, s)
	if err != nil {
		return nil, err
	}
	result.Chosen = d.judge(x, out, s.Epsilon)
	for c, centre := range d.centres {
		wide := make([]float64, len(centre))
		for i, v := range centre {
			wide[i] = float64(v)
		}
		result.Centres, result.Texts = append(result.Centres, wide), append(result.Texts, d.texts[c])
		result.Example = append(result.Example, d.example[c])
	}
	return result, nil
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
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

// start returns the vectors of n different rows that a seed draws, fewer if there are
// not as many different ones.
func start(x nn.Matrix, rows []int, n int, seed uint64) [][]float32 {
	rng := weakrand.New(weakrand.NewPCG(seed, 0x63656c6c73))
	seen := map[string]bool{}
	var centres [][]float32
	for _, i := range rng.Perm(len(rows)) {
		v := x.Row(rows[i])
		if key := fmt.Sprint(v); !seen[key] {
			seen[key] = true
			centres = append(centres, slices.Clone(v))
		}
		if len(centres) == n {
			break
		}
	}
	return centres
}
