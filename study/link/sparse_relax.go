package link

import (
	"maps"
	"slices"
)

// relax bounds what a division costs by a linear program, in which a pair that is not
// listed has a number only if it costs something and a row asks for it, and looks for a
// better division along the numbers.
func (c *sparse) relax(best *division, stop func(work int64) bool) {
	place := make(map[[2]int32]int32)
	g := &grid{sparse: true, near: make([][]listed, len(c.cost))}
	var cost []int64
	for i, row := range c.cost {
		for _, j := range slices.Sorted(maps.Keys(row)) {
			if int(j) < i {
				continue
			}
			e := apart
			if w := row[j]; w < never {
				e = int32(len(cost))
				cost = append(cost, w)
				g.enter(int32(i), j, e)
			}
			place[[2]int32{int32(i), j}] = e
		}
	}
	p := newProgram(cost)
	most := 2*len(cost) + 1000 // one new pair asks for the next, and there are too many
	if c.unknown == 0 {
		most = 0
	}
	var ends [][2]int32
	for i := range g.near {
		for _, l := range g.near[i] {
			if int(l.to) > i {
				ends = append(ends, [2]int32{int32(i), l.to}) // in the order of cost
			}
		}
	}
	g.at = func(j, k int32) int32 {
		key := [2]int32{min(j, k), max(j, k)}
		if e, ok := place[key]; ok {
			return e
		}
		w := c.unlisted(c.weight[j], c.weight[k])
		switch {
		case w >= never:
			return apart
		case len(p.cost) >= most:
			return unlisted
		}
		e := p.pair(w)
		g.enter(j, k, e)
		place[key] = e
		return e
	}
	g.relax(p, func(x []float64) int64 {
		if x != nil {
			c.round(x, ends, best, stop)
		}
		return best.cost
	}, stop)
	best.bound = min(max(best.bound, p.bound), best.cost)
}

// round looks for a division along the numbers of pairs: greedily, as if those were
// what pairs cost that are listed, and then with moves by what they do cost.
func (c *sparse) round(x []float64, ends [][2]int32, best *division, stop func(work int64) bool) {
	left := newSparse(c.weight, c.unknown)
	if c.unknown < never && c.unknown > 0 {
		left.unknown = 1 << 39 / max(1, slices.Max(c.weight))
	}
	for i, row := range c.cost {
		for j, cost := range row {
			if cost >= never {
				left.cost[i][j] = never
			}
		}
	}
	for e, p := range ends {
		left.set(int(p[0]), int(p[1]), int64((0.5-x[e])*(1<<40)))
	}
	label := c.move(left.greedy(stop), stop)
	if cost := c.value(label); cost < best.cost {
		best.labels, best.cost = label, cost
	}
}
