// Package retrieval measures what is left of neighbours: of the k vectors that are
// nearest to one before a release, how many are among the k nearest after it.
//
// It looks at all vectors, without an index, block by block, so that memory does
// not grow with their number. It trains nothing and promises nothing. The smallest
// use is
//
//	result, err := retrieval.Measure(ctx, pool, raw, private, retrieval.Options{})
package retrieval

import (
	"context"
	"errors"
	"fmt"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"sotto/compute/measure"
	"sotto/compute/nn"
)

// Metric says which vectors are near: those of the largest value.
type Metric string

// The metrics. Both rank by products, so that a release that is scaled, or unbiased
// up to a factor, ranks as it would without.
const (
	Cosine Metric = "cosine"
	Dot    Metric = "dot"
)

// Blocks yields the rows of a table in order, the same ones each time it is
// called. A block holds until yield returns.
type Blocks func(yield func(block nn.Matrix) error) error

// Options say what to measure. The zero value takes 1,000 rows and their 1, 10 and
// 100 nearest by cosine.
type Options struct {
	K       []int  // nil means those of 1, 10 and 100 that are below the number of rows less one
	Metric  Metric // "" means Cosine
	Queries int    // rows whose neighbours are compared, drawn by the seed; 0 means 1000, or all of fewer
	Seed    uint64
}

// Neighbours is what is left of the k nearest.
type Neighbours struct {
	K int `json:"k"`
	// Recall is the share of the k raw neighbours that are among the k private
	// ones, the mean over queries.
	Recall measure.Number `json:"recall"`
	Low    measure.Number `json:"low"` // 95 % interval of the mean over all rows, after Hoeffding
	High   measure.Number `json:"high"`
	Chance measure.Number `json:"chance"` // recall of whoever names any k: k/(rows − 1)
}

// Format is the format of a stored [Result].
const Format = "sotto-retrieval-1"

// maxK bounds the neighbours that are kept of each query.
const maxK = 10_000

// Measure compares the neighbours of rows before and after their release, each
// among all other rows of its own table. The tables have the same rows in the same
// order, of whatever widths. The result has the same bits for every number of
// workers.
func Measure(ctx context.Context, p *nn.Pool, raw, private Blocks, o Options) (*Result, error) {
	if o.Metric == "" {
		o.Metric = Cosine
	}
	if o.Metric != Cosine && o.Metric != Dot {
		return nil, fmt.Errorf("retrieval: metric is %q, must be %s or %s", o.Metric, Cosine, Dot)
	}
	if o.Queries == 0 {
		o.Queries = 1000
	}
	if o.Queries < 1 || o.Queries > 20_000 {
		return nil, fmt.Errorf("retrieval: queries is %d, must be from 1 to 20,000", o.Queries)
	}
	places, rows, err := draw(ctx, raw, o)
	if err != nil {
		return nil, err
	}
	if o.K, err = neighbours(o.K, rows); err != nil {
		return nil, err
	}
	before := search{metric: o.Metric, k: slices.Max(o.K), places: places}
	after := before
	for _, s := range []struct {
		*search
		name string
		of   Blocks
	}{{&before, "raw", raw}, {&after, "private", private}} {
		if err := s.run(ctx, p, s.of, rows); err != nil {
			return nil, fmt.Errorf("the %s vectors: %w", s.name, err)
		}
	}
	r := &Result{Format: Format, Rows: rows, Queries: len(places), Metric: o.Metric, Dim: before.width, PrivateDim: after.width, Seed: o.Seed}
	for _, k := range o.K {
		r.Recalls = append(r.Recalls, compare(&before, &after, k, rows))
	}
	return r, nil
}

// neighbours checks how many are asked for, or fills in the default.
func neighbours(k []int, rows int) ([]int, error) {
	if rows < 3 {
		return nil, fmt.Errorf("retrieval: there are %d rows, must be at least 3 for a neighbour to be chosen", rows)
	}
	if k == nil {
		return slices.DeleteFunc([]int{1, 10, 100}, func(v int) bool { return v > 1 && v >= rows-1 }), nil
	}
	k = slices.Compact(slices.Sorted(slices.Values(k)))
	if len(k) == 0 || k[0] < 1 || k[len(k)-1] >= rows-1 || k[len(k)-1] > maxK {
		return nil, fmt.Errorf("retrieval: k is %v, must be at least 1, below %d, the number of other rows, and at most %d", k, rows-1, maxK)
	}
	return k, nil
}

// draw returns how many rows there are, and the places of the queries, in order.
func draw(ctx context.Context, of Blocks, o Options) (places []int, rows int, err error) {
	rng := weakrand.New(weakrand.NewPCG(o.Seed, 0x6e656172))
	err = of(func(block nn.Matrix) error {
		for range block.Rows { // each set of that many is as likely
			if len(places) < o.Queries {
				places = append(places, rows)
			} else if at := rng.IntN(rows + 1); at < o.Queries {
				places[at] = rows
			}
			rows++
		}
		return ctx.Err()
	})
	slices.Sort(places)
	return places, rows, err
}

// search finds the nearest rows of some.
type search struct {
	metric  Metric
	k       int
	places  []int
	width   int
	queries nn.Matrix
	nearest [][]neighbour // of each query, the nearest first
}

type neighbour struct {
	row   int
	value float32
}

// run takes the queries from the table in one pass and searches it in another.
func (s *search) run(ctx context.Context, p *nn.Pool, of Blocks, rows int) error {
	if err := s.take(ctx, of, rows); err != nil {
		return err
	}
	s.nearest = make([][]neighbour, len(s.places))
	from := 0
	var values nn.Matrix
	return of(func(block nn.Matrix) error {
		block, err := s.scaled(block)
		if err != nil {
			return err
		}
		values = values.Reshape(s.queries.Rows, block.Rows)
		p.MulNT(values, s.queries, block)
		p.Each(s.queries.Rows, func(_, q int) { s.enter(q, values.Row(q), from) })
		from += block.Rows
		return ctx.Err()
	})
}

// take copies the queries, scaled, and counts the rows.
func (s *search) take(ctx context.Context, of Blocks, rows int) error {
	seen, taken := 0, 0
	err := of(func(block nn.Matrix) error {
		if seen == 0 {
			s.width, s.queries = block.Cols, nn.NewMatrix(len(s.places), block.Cols)
		}
		if block.Cols != s.width {
			return fmt.Errorf("row %d has %d numbers, must have %d", seen, block.Cols, s.width)
		}
		for taken < len(s.places) && s.places[taken] < seen+block.Rows {
			copy(s.queries.Row(taken), block.Row(s.places[taken]-seen))
			taken++
		}
		seen += block.Rows
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if seen != rows {
		return fmt.Errorf("there are %d rows, must be those of the raw vectors, %d", seen, rows)
	}
	s.queries, err = s.scaled(s.queries)
	return err
}

// scaled returns rows of length 1 for the cosine, and refuses numbers that are not
// finite.
func (s *search) scaled(x nn.Matrix) (nn.Matrix, error) {
	if err := x.Finite(); err != nil {
		return x, errors.New("a number is NaN or infinite, must be finite")
	}
	if s.metric != Cosine {
		return x, nil
	}
	x = x.Clone()
	for i := range x.Rows {
		row, square := x.Row(i), 0.0
		for _, v := range row {
			square += float64(v) * float64(v)
		}
		if square == 0 {
			continue // as far from all
		}
		factor := 1 / math.Sqrt(square)
		for j := range row {
			row[j] = float32(float64(row[j]) * factor)
		}
	}
	return x, nil
}

// enter takes in what is nearer to a query than the farthest that is kept. Of
// equally near rows the first counts.
func (s *search) enter(q int, values []float32, from int) {
	kept := s.nearest[q]
	for i, v := range values {
		if len(kept) == s.k && !(v > kept[s.k-1].value) || from+i == s.places[q] {
			continue
		}
		at, _ := slices.BinarySearchFunc(kept, v, func(n neighbour, v float32) int {
			if n.value >= v {
				return -1
			}
			return 1
		})
		if len(kept) == s.k {
			kept = kept[:s.k-1]
		}
		kept = slices.Insert(kept, at, neighbour{from + i, v})
	}
	s.nearest[q] = kept
}

// compare returns what is left of the k nearest.
func compare(before, after *search, k, rows int) Neighbours {
	hits := 0
	for q := range before.places {
		mine := map[int]bool{}
		for _, n := range before.nearest[q][:k] {
			mine[n.row] = true
		}
		for _, n := range after.nearest[q][:k] {
			if mine[n.row] {
				hits++
			}
		}
	}
	mean := float64(hits) / float64(k*len(before.places))
	low, high := mean, mean
	if len(before.places) < rows { // else there is nothing to estimate
		low, high = measure.Hoeffding(mean, len(before.places), 0.95)
	}
	return Neighbours{K: k, Recall: measure.Number(mean), Low: measure.Number(low), High: measure.Number(high), Chance: measure.Number(float64(k) / float64(rows-1))}
}
