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
	r := newRelaxation(m)
	s.tighten(r, &best, min(limit, best.cost))
	if cut := min(limit, best.cost); best.bound >= cut || s.over() {
		best.bound = min(best.bound, best.cost)
		return best
	}
	group, k, apart, pick := r.settle(min(limit, best.cost))
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

// Effort of a bound.
const (
	sweepsPerRound = 12
	rounds         = 80
)

// tighten lifts the bound of a relaxation until it passes the limit or rises no
// more.
func (s *search) tighten(r *relaxation, best *division, limit int64) {
	n := r.m.n
	rich := false
	for round := range rounds {
		added := 0
		if rich {
			tries := 0
			added, tries = r.enrich((limit-best.bound)/20, 20*n)
			s.work += 100 * int64(tries)
		}
		r.collect()
		added += r.separate(max(500, 4*n*n))
		s.work += int64(n * n * 4)
		if added < n && n <= 1000 {
			added += r.cycles(n * n)
		}
		r.arrange()
		before := best.bound
		for k := range sweepsPerRound {
			r.sweep(k%2 == 1)
			if s.stop(int64(len(r.slots) + 20*len(r.five.place))) {
				break
			}
		}
		best.bound = max(best.bound, r.bound())
		if rich || round%4 == 3 {
			s.round(r, best)
			limit = min(limit, best.cost)
		}
		if rich || round%4 == 3 {
			s.round(r, best)
			limit = min(limit, best.cost)
		}
		if best.bound >= limit || s.over() {
			return
		}
		// A round that closes little of what is missing calls for more than
		// triangles, and then for branching.
		rise, missing := best.bound-before, limit-before
		switch {
		case !rich && rise < missing/200 && added < n:
			rich = true
		case rich && rise < missing/50:
			return
		}
	}
}

// round looks for a division along what is left of the costs where a relaxation
// has taken all that it can bound.
func (s *search) round(r *relaxation, best *division) {
	r.collect()
	left := newMatrix(r.m.n)
	for i := range r.m.n {
		for j := i + 1; j < r.m.n; j++ {
			left.set(i, j, r.pair[r.index(i, j)])
		}
	}
	label := r.m.improve(left.greedy(), s.stop)
	if c := r.m.value(label); c < best.cost {
		best.labels, best.cost = label, c
	}
}

// settle reads from a relaxation which pairs share a cluster, and which do not, in
// every division that costs less than the limit: groups of nodes, and pairs apart.
// It also returns the pair on which to branch, if there are none.
func (r *relaxation) settle(limit int64) (group []int, k int, apart []Pair, pick Pair) {
	n := r.m.n
	group = identity(n)
	root := func(i int) int {
		for group[i] != i {
			group[i] = group[group[i]]
			i = group[i]
		}
		return i
	}
	low := r.bound()
	high := int64(-1)
	for x, e := range r.active {
		i, j := int(e)/n, int(e)%n
		up, down := r.rises(x)
		switch {
		case low+up >= limit:
			a, b := root(i), root(j)
			group[max(a, b)] = min(a, b)
		case low+down >= limit:
			apart = append(apart, Pair{i, j})
		default:
			if v := min(up, down) + 1; v > high {
				high, pick = v, Pair{i, j}
			}
		}
	}
	for i := range n {
		group[i] = root(i)
	}
	group, k = dense(group)
	return group, k, apart, pick
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
