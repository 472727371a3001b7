package link

import (
	"cmp"
	"slices"
)

// listed is a node and the pair that it makes with another.
type listed struct{ to, pair int32 }

// What stands in the place of a pair.
const (
	apart    int32 = -1 // two nodes are never together
	unlisted int32 = -2 // nothing is said of them, or too much of others
)

// A grid knows the pairs of a program by their nodes.
type grid struct {
	near   [][]listed             // of each node, the pairs that it has
	at     func(j, k int32) int32 // the pair of two nodes, apart if they are never together, or unlisted
	sparse bool                   // not all pairs are listed
}

// enter lists a pair.
func (g *grid) enter(i, j, pair int32) {
	g.near[i] = append(g.near[i], listed{j, pair})
	g.near[j] = append(g.near[j], listed{i, pair})
}

// triangles enters rows that say that two pairs of a triangle are not together without
// the third, where that is broken.
func (g *grid) triangles(p *program, x []float64, tolerance float64, stop func(work int64) bool) int {
	added := 0
	var some []listed
	for i := range g.near {
		some = some[:0]
		for _, l := range g.near[i] {
			if int(l.pair) < len(x) && x[l.pair] > tolerance {
				some = append(some, l)
			}
		}
		if stop(int64(len(some) * len(some) / 8)) {
			return added
		}
		for u, a := range some {
			for _, b := range some[u+1:] {
				over := x[a.pair] + x[b.pair] - 1
				if over <= tolerance {
					continue
				}
				c := g.at(a.to, b.to)
				if c == unlisted || c >= 0 && int(c) < len(x) && over-x[c] <= tolerance {
					continue
				}
				terms := []int32{a.pair, b.pair, ^c}
				if c < 0 {
					terms = terms[:2]
				}
				if p.add(1, terms...) {
					added++
				}
			}
		}
	}
	return added
}

// mostPoints is how many nodes a star has besides its centre.
const mostPoints = 24

// stars enters rows that say that a node is together with one of several nodes that are
// apart, as far as they are: what it has with them, less what they have among each
// other, is at most 1 (Grötschel and Wakabayashi, Facets of the clique partitioning
// polytope, 1990). They are looked for from each pair in doubt.
func (g *grid) stars(p *program, x []float64, tolerance float64, stop func(work int64) bool) int {
	added := 0
	var some, points []listed
	var terms []int32
	value := func(e int32) float64 {
		switch {
		case e == unlisted:
			return 2 // more than there is to gain
		case e == apart || int(e) >= len(x):
			return 0
		}
		return x[e]
	}
	for i := range g.near {
		some = some[:0]
		for _, l := range g.near[i] {
			if v := value(l.pair); v > 0.01 && v < 0.999 {
				some = append(some, l)
			}
		}
		slices.SortStableFunc(some, func(a, b listed) int { return cmp.Compare(x[b.pair], x[a.pair]) })
		if stop(int64(len(some) * len(some))) {
			return added
		}
		for u := range some {
			points = append(points[:0], some[u])
			sum := x[some[u].pair]
			for v := range some {
				w := some[(u+1+v)%len(some)]
				if len(points) == mostPoints || w == some[u] {
					continue
				}
				gain := x[w.pair]
				for _, t := range points {
					gain -= value(g.at(w.to, t.to))
				}
				if gain > 1e-6 {
					points = append(points, w)
					sum += gain
				}
			}
			if sum <= 1+tolerance || len(points) < 3 {
				continue
			}
			terms = terms[:0]
			for k, a := range points {
				terms = append(terms, a.pair)
				for _, b := range points[:k] {
					if e := g.at(a.to, b.to); e >= 0 {
						terms = append(terms, ^e)
					}
				}
			}
			if p.add(1, terms...) {
				added++
			}
		}
	}
	return added
}

// relax solves a program: triangles first, longer cycles where not all pairs are listed,
// and stars where few of these are broken.
func (g *grid) relax(p *program, look func(x []float64) int64, stop func(work int64) bool) {
	p.solve(func(x []float64, tolerance float64) int {
		added := g.triangles(p, x, tolerance, stop)
		if g.sparse && added < len(g.near) {
			added += g.cycles(p, x, tolerance, stop)
		}
		if added < len(g.near) {
			added += g.stars(p, x, tolerance, stop)
		}
		return added
	}, look, stop)
}

// polish lifts the bound by a linear program, looks for a division where that is in
// doubt, and returns it.
func (s *search) polish(m *matrix, best *division, limit int64) (*program, []Pair) {
	id := make([]int32, m.n*m.n)
	g := &grid{near: make([][]listed, m.n), at: func(j, k int32) int32 { return id[int(j)*m.n+int(k)] }}
	var cost []int64
	var ends []Pair
	for i := range m.n {
		for j := i; j < m.n; j++ {
			e := apart
			if c := m.at(i, j); c < never && i != j {
				e = int32(len(cost))
				cost, ends = append(cost, c), append(ends, Pair{i, j})
				g.enter(int32(i), int32(j), e)
			}
			id[i*m.n+j], id[j*m.n+i] = e, e
		}
	}
	p := newProgram(cost)
	g.relax(p, func(x []float64) int64 {
		if x != nil {
			s.round(m, x, ends, best)
		}
		return min(limit, best.cost)
	}, s.stop)
	best.bound = max(best.bound, p.bound)
	return p, ends
}

// round looks for a division along the numbers of a program.
func (s *search) round(m *matrix, numbers []float64, ends []Pair, best *division) {
	left := newMatrix(m.n)
	for k := range left.cost {
		left.cost[k] = never
	}
	for e, x := range numbers {
		left.set(ends[e][0], ends[e][1], int64((0.5-x)*(1<<40)))
	}
	label := m.improve(left.greedy(), s.stop)
	if c := m.value(label); c < best.cost {
		best.labels, best.cost = label, c
	}
}

// settle reads from a program which pairs share a cluster, and which do not, in every
// division that costs less than the limit: groups of nodes, and pairs apart. It also
// returns the pair on which to branch.
func (p *program) settle(n int, ends []Pair, limit int64) (group []int, k int, cut []Pair, pick Pair) {
	group = identity(n)
	high := -1.0 // of the pair to branch on
	for e, c := range p.left {
		i, j := ends[e][0], ends[e][1]
		switch {
		case c < 0 && p.bound-c >= limit:
			join(group, i, j)
		case c > 0 && p.bound+c >= limit:
			cut = append(cut, ends[e])
		case len(p.hx) > 0:
			if v := min(p.hx[e], 1-p.hx[e]) + float64(1e-3*max(p.c[e], -p.c[e])); v > high {
				high, pick = v, ends[e]
			}
		}
	}
	for i := range group {
		group[i] = union(group, i)
	}
	group, k = dense(group)
	return group, k, cut, pick
}
