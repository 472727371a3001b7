package records

import (
	"context"
	"slices"
)

// chunkRows is how many rows a chunk has. Two chunks are in memory at a time.
const chunkRows = 1 << 15

// A chunk is rows that are near each other in the table, those that were asked for.
type chunk struct {
	lo   int
	rows []*row
}

// fill makes those of the rows comparable that are needed.
func (e *engine) fill(c *chunk, need []bool) error {
	hi := min(e.n, c.lo+len(c.rows))
	var at []int
	var texts [][]string
	lo := c.lo
	for lo < hi && !need[lo-c.lo] {
		lo++
	}
	for hi > lo && !need[hi-1-c.lo] {
		hi--
	}
	err := e.read(lo, hi, func(i int, fields []string) error {
		if k := i - c.lo; need[k] && c.rows[k] == nil {
			at = append(at, k)
			texts = append(texts, slices.Clone(fields))
		}
		return nil
	})
	if err != nil {
		return err
	}
	e.parallel(len(at), func(k int) {
		r := e.parse(texts[k])
		c.rows[at[k]] = &r
	})
	if e.vectors == nil {
		return nil
	}
	return e.vectors.Read(lo, hi, func(i int, fields []string) error {
		if r := c.rows[i-c.lo]; r != nil {
			r.vector = fields[0]
		}
		return nil
	})
}

// tiles calls visit with the wanted pairs of every tile, and their rows, tile by tile
// in order.
func (e *engine) tiles(ctx context.Context, what string, wants func(entry) bool, visit func(pairs []entry, at func(i uint32) *row) error) error {
	var first chunk
	var buf []entry
	done := 0
	for p, tile := range e.found.Tiles {
		if err := ctx.Err(); err != nil {
			return err
		}
		pairs, err := e.found.Read(p, buf)
		if err != nil {
			return err
		}
		buf = pairs
		done += len(pairs)
		pairs = slices.DeleteFunc(pairs, func(x entry) bool { return !wants(x) })
		if len(pairs) == 0 {
			continue
		}
		if first.lo != tile.I || first.rows == nil {
			first = chunk{tile.I, make([]*row, tile.Rows)}
		}
		second := first
		if tile.J != tile.I {
			second = chunk{tile.J, make([]*row, tile.Rows)}
		}
		needI, needJ := make([]bool, tile.Rows), make([]bool, tile.Rows)
		if tile.I == tile.J {
			needJ = needI
		}
		for _, x := range pairs {
			i, j := Pair(x.Key)
			needI[int(i)-tile.I], needJ[int(j)-tile.J] = true, true
		}
		if err = e.fill(&first, needI); err != nil {
			return err
		}
		if tile.I != tile.J {
			if err = e.fill(&second, needJ); err != nil {
				return err
			}
		}
		err = visit(pairs, func(i uint32) *row {
			if k := int(i) - first.lo; k >= 0 && k < len(first.rows) {
				return first.rows[k]
			}
			return second.rows[int(i)-second.lo]
		})
		if err != nil {
			return err
		}
		e.stage(what, done, e.found.Count)
	}
	return nil
}

// comparisons returns what comparisons of pairs find.
func (e *engine) comparisons(pairs []entry, at func(i uint32) *row) [][]float64 {
	width := Width(len(e.t.Columns))
	out := make([][]float64, len(pairs))
	e.parallel(len(pairs), func(k int) {
		i, j := Pair(pairs[k].Key)
		out[k] = make([]float64, width)
		e.compare(out[k], at(i), at(j))
	})
	return out
}
