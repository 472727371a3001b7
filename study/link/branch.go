package link

import "slices"

// A search looks for the best division of a matrix by branch and bound: pairs that
// the bound settles become one node or forbidden, what falls apart is searched part
// by part, and where nothing is settled a pair is tried together and apart.
type search struct {
	work  int64       // done so far
	most  int64       // where the search gives up
	ended func() bool // whether it must end at once
}

// stop counts work and reports whether there has been enough of it.
func (s *search) stop(work int64) bool {
	s.work += work
	return s.over()
}

func (s *search) over() bool { return s.work >= s.most || s.ended() }

// A division is what a search returns: labels, what they cost, and a bound. Either
// the bound is what they cost, or it is at least the limit that the search was
// given, or the search gave up.
type division struct {
	labels []int
	cost   int64
	bound  int64
}

// solve divides, and need not look for divisions that cost limit or more.
func (s *search) solve(m *matrix, limit int64) division {
	parts := m.components()
	if len(parts) == 1 {
		return s.connected(m, limit)
	}
	// Each part alone, first cheaply, so that the bounds of all others tell how
	// much a part may cost.
	found := make([]division, len(parts))
	low := int64(0)
	for k, nodes := range parts {
		found[k] = s.first(m.part(nodes))
		low += found[k].bound
	}
	for k, nodes := range parts {
		if found[k].bound == found[k].cost {
			continue
		}
		if low >= limit {
			break
		}
		d := s.connected(m.part(nodes), limit-low+found[k].bound)
		if d.cost > found[k].cost {
			d.labels, d.cost = found[k].labels, found[k].cost
		}
		d.bound = max(d.bound, found[k].bound)
		low += d.bound - found[k].bound
		found[k] = d
	}
	out := division{labels: make([]int, m.n), bound: low}
	next := 0
	for k, nodes := range parts {
		out.cost += found[k].cost
		high := 0
		for x, i := range nodes {
			out.labels[i] = next + found[k].labels[x]
			high = max(high, found[k].labels[x]+1)
		}
		next += high
	}
	return out
}

// first finds a division and a bound without any search.
func (s *search) first(m *matrix) division {
	if d, ok := m.plain(); ok {
		return d
	}
	s.work += int64(m.n * m.n)
	label := m.greedy()
	return division{labels: label, cost: m.value(label), bound: m.below()}
}

// plain solves what needs no search: one or two nodes, and nodes of which no pair
// costs more than nothing, which are one cluster.
func (m *matrix) plain() (division, bool) {
	for i := range m.n {
		for _, c := range m.row(i)[i+1:] {
			if c > 0 {
				return division{}, false
			}
		}
	}
	low := m.below()
	return division{labels: make([]int, m.n), cost: low, bound: low}, true
}

// connected divides what pairs below zero connect.
func (s *search) connected(m *matrix, limit int64) division {
	if d, ok := m.plain(); ok {
		return d
	}
	best := division{labels: m.improve(m.greedy(), s.stop)}
	best.cost = m.value(best.labels)
	best.bound = m.below()
	p, ends := s.polish(m, &best, min(limit, best.cost))
	if cut := min(limit, best.cost); best.bound >= cut || s.over() {
		best.bound = min(best.bound, best.cost)
		return best
	}
	group, k, apart, pick := p.settle(m.n, ends, min(limit, best.cost))
	if k < m.n || len(apart) > 0 {
		// A division that is better than the best known is one of these.
		d := s.restricted(m, group, k, apart, min(limit, best.cost))
		return best.or(d, d.bound)
	}
	return s.branch(m, best, pick, limit)
}

// branch tries a pair together and apart, first as it is in the best division.
func (s *search) branch(m *matrix, best division, pick Pair, limit int64) division {
	i, j := pick[0], pick[1]
	joined := identity(m.n)
	joined[j] = i
	joined, k := dense(joined)
	low := never
	for _, join := range []bool{best.labels[i] == best.labels[j], best.labels[i] != best.labels[j]} {
		var d division
		if join {
			d = s.restricted(m, joined, k, nil, min(limit, best.cost))
		} else {
			d = s.restricted(m, identity(m.n), m.n, []Pair{pick}, min(limit, best.cost))
		}
		low = min(low, d.bound)
		if d.cost < best.cost {
			best.labels, best.cost = d.labels, d.cost
		}
	}
	best.bound = min(max(best.bound, low), best.cost)
	return best
}

// or returns the cheaper of two divisions, with a bound.
func (d division) or(e division, bound int64) division {
	if e.cost < d.cost {
		d.labels, d.cost = e.labels, e.cost
	}
	d.bound = min(max(d.bound, bound), d.cost)
	return d
}

// restricted divides with groups of nodes that are one, and pairs apart.
func (s *search) restricted(m *matrix, group []int, k int, apart []Pair, limit int64) division {
	small, inside := m.merge(group, k)
	if inside >= never {
		return division{cost: never, bound: never}
	}
	for _, p := range apart {
		a, b := group[p[0]], group[p[1]]
		if a == b {
			return division{cost: never, bound: never}
		}
		small.set(a, b, never)
	}
	d := s.solve(small, limit-inside)
	labels := make([]int, m.n)
	for i, g := range group {
		labels[i] = d.labels[g]
	}
	return division{labels: labels, cost: d.cost + inside, bound: d.bound + inside}
}

// identity returns 0, …, n−1.
func identity(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// dense renumbers labels and says how many there are.
func dense(label []int) ([]int, int) {
	out := Canonical(label)
	if len(out) == 0 {
		return out, 0
	}
	return out, slices.Max(out) + 1
}
