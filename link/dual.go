package link

import (
	"math/bits"
	"slices"
)

// A relaxation bounds a division from below. It splits the costs of pairs among
// the pairs themselves and triangles of them, in each of which the cheapest
// division is seen at once, so that the sum of those is at most what any division
// of all costs: where it is 1 that a pair shares a cluster, a triangle is one of
// 000, 100, 010, 001 and 111. Moving cost between a pair and its triangles never
// changes the cost of a division, and is done so that the bound never falls:
// message passing as in Swoboda and Andres, A message passing algorithm for the
// minimum cost multicut problem, CVPR 2017.
//
// All is in whole units, so that no rounding lifts a bound above the truth.
type relaxation struct {
	m     *matrix
	pair  []int64            // what a pair i < j keeps, at i·n+j
	place []int32            // three pairs of each triangle
	cost  []int64            // what each of them has there; never for a forbidden pair
	known map[[3]int32]int32 // which triangle has those pairs
	five  fives

	active []int32 // pairs that are in a triangle and not forbidden
	first  []int32 // where those triangles begin in slots, one more than active
	slots  []int32 // places in cost, and ^places in five.cost

	bottleneck []int64 // scratch of widest
	parent     []int32
	done       []bool
}

func newRelaxation(m *matrix) *relaxation {
	return &relaxation{m: m, pair: slices.Clone(m.cost), known: make(map[[3]int32]int32), five: fives{known: make(map[[5]int]struct{})}}
}

// index is the place of a pair.
func (r *relaxation) index(i, j int) int32 { return int32(min(i, j)*r.m.n + max(i, j)) }

// addTriangle enters a triangle, unless it is there.
func (r *relaxation) addTriangle(i, j, k int) bool {
	t := [3]int32{r.index(i, j), r.index(i, k), r.index(j, k)}
	slices.Sort(t[:])
	if _, ok := r.known[t]; ok {
		return false
	}
	r.known[t] = int32(len(r.cost) / 3)
	for _, e := range t {
		c := int64(0)
		if r.m.cost[e] >= never {
			c = never
		}
		r.place = append(r.place, e)
		r.cost = append(r.cost, c)
	}
	return true
}

// arrange finds the triangles of every pair.
func (r *relaxation) arrange() {
	degree := make([]int32, len(r.pair))
	for _, places := range [][]int32{r.place, r.five.place} {
		for _, e := range places {
			degree[e]++
		}
	}
	r.active, r.first = r.active[:0], r.first[:0]
	at := make([]int32, len(r.pair))
	total := int32(0)
	for e, d := range degree {
		if d == 0 || r.m.cost[e] >= never {
			continue
		}
		r.active = append(r.active, int32(e))
		r.first = append(r.first, total)
		at[e] = total
		total += d
	}
	r.first = append(r.first, total)
	r.slots = slices.Grow(r.slots[:0], int(total))[:total]
	enter := func(e, slot int32) {
		if r.m.cost[e] < never {
			r.slots[at[e]] = slot
			at[e]++
		}
	}
	for s, e := range r.place {
		enter(e, int32(s))
	}
	for s, e := range r.five.place {
		enter(e, ^int32(s))
	}
}

// others returns what the other two pairs of a triangle have there.
func (r *relaxation) others(s int32) (b, c int64) {
	switch s % 3 {
	case 0:
		return r.cost[s+1], r.cost[s+2]
	case 1:
		return r.cost[s-1], r.cost[s+1]
	}
	return r.cost[s-2], r.cost[s-1]
}

// least returns what the cheapest division of a triangle, or of a set of five,
// costs, if a pair of it is apart and if it is together.
func (r *relaxation) least(s int32) (apart, together int64) {
	if s < 0 {
		return r.five.least(^s)
	}
	b, c := r.others(s)
	return min(0, b, c), r.cost[s] + min(0, b+c)
}

// give adds to what a pair has in a triangle or set of five.
func (r *relaxation) give(s int32, c int64) {
	if s < 0 {
		r.five.cost[^s] += c
		return
	}
	r.cost[s] += c
}

// pull gives a pair what it costs in its triangles.
func (r *relaxation) pull(k int) int64 {
	have := r.pair[r.active[k]]
	for _, s := range r.slots[r.first[k]:r.first[k+1]] {
		apart, together := r.least(s)
		if apart >= never || together >= never {
			continue // settled there
		}
		r.give(s, apart-together)
		have += together - apart
	}
	r.pair[r.active[k]] = have
	return have
}

// collect gives every pair what it costs in its triangles, one after another.
func (r *relaxation) collect() {
	for k := range r.active {
		r.pull(k)
	}
}

// sweep gives every pair what it costs in its triangles, and then shares it among
// them alike: once there and, if back, once back.
func (r *relaxation) sweep(back bool) {
	for x := range r.active {
		k := x
		if back {
			k = len(r.active) - 1 - x
		}
		have := r.pull(k)
		slots := r.slots[r.first[k]:r.first[k+1]]
		share := have / int64(len(slots))
		for _, s := range slots {
			r.give(s, share)
		}
		r.pair[r.active[k]] = have - share*int64(len(slots))
	}
}

// bound returns what every division costs at least.
func (r *relaxation) bound() int64 {
	var sum int64
	n := r.m.n
	for i := range n {
		for _, c := range r.pair[i*n+i+1 : (i+1)*n] {
			sum += min(0, c)
		}
	}
	for t := range len(r.cost) / 3 {
		sum += r.triangle(int32(t))
	}
	for k := range r.five.barred {
		sum += r.five.lowest(k)
	}
	return sum
}

// triangle returns what the cheapest division of a triangle costs.
func (r *relaxation) triangle(t int32) int64 {
	a, b, c := r.cost[t*3], r.cost[t*3+1], r.cost[t*3+2]
	return min(0, a, b, c, a+b+c)
}

// apart and together return how much the bound rises at least if the active pair
// k is kept apart, and if it is put together.
func (r *relaxation) rises(k int) (apart, together int64) {
	p := r.pair[r.active[k]]
	apart, together = -min(0, p), p-min(0, p)
	for _, s := range r.slots[r.first[k]:r.first[k+1]] {
		zero, one := r.least(s)
		low := min(zero, one)
		apart += zero - low
		together += one - low
	}
	return apart, together
}

// separate enters triangles that lift the bound: those with two pairs below zero
// and one above, at most limit of them, those that lift it the most first. It must
// be called after collect. It returns how many there are now that were not.
func (r *relaxation) separate(limit int) int {
	var count [65]int
	r.wedges(func(_, _, _ int, gain int64) { count[bits.Len64(uint64(gain))]++ })
	least := 64
	for total := 0; least > 0 && (total == 0 || total+count[least] <= limit); least-- {
		total += count[least]
	}
	added := 0
	r.wedges(func(i, j, k int, gain int64) {
		if bits.Len64(uint64(gain)) > least && added < 2*limit && r.addTriangle(i, j, k) {
			added++
		}
	})
	return added
}

// wedges calls f with every triangle that lifts the bound, and by how much.
func (r *relaxation) wedges(f func(i, j, k int, gain int64)) {
	n := r.m.n
	near := make([]int, 0, n)
	for i := range n {
		near = near[:0]
		for j := range n {
			if j != i && r.pair[r.index(i, j)] < 0 {
				near = append(near, j)
			}
		}
		for x, j := range near {
			a := -r.pair[r.index(i, j)]
			row := r.pair[j*n : (j+1)*n]
			for _, k := range near[x+1:] {
				if c := row[k]; c > 0 {
					f(i, j, k, min(a, -r.pair[r.index(i, k)], c))
				}
			}
		}
	}
}

// cycles enters the triangles of cycles with one pair above zero and all others
// below, which no triangle alone finds: from every node the widest way to each
// other, cut into triangles at that node.
func (r *relaxation) cycles(limit int) int {
	added := 0
	for i := range r.m.n {
		wanted := false
		for j := range r.m.n {
			wanted = wanted || i < j && r.pair[r.index(i, j)] > 0
		}
		if !wanted {
			continue
		}
		r.widest(i)
		for j := i + 1; j < r.m.n; j++ {
			if r.pair[r.index(i, j)] <= 0 || r.bottleneck[j] <= 0 {
				continue
			}
			for k := j; int(r.parent[k]) != i; k = int(r.parent[k]) {
				if r.addTriangle(i, k, int(r.parent[k])) {
					added++
				}
			}
			if added > limit {
				return added
			}
		}
	}
	return added
}

// widest finds the way from one node to every other on which the weakest pull is
// the strongest.
func (r *relaxation) widest(from int) {
	n := r.m.n
	r.bottleneck = slices.Grow(r.bottleneck[:0], n)[:n]
	r.parent = slices.Grow(r.parent[:0], n)[:n]
	r.done = slices.Grow(r.done[:0], n)[:n]
	for j := range n {
		r.bottleneck[j], r.parent[j], r.done[j] = 0, int32(from), false
	}
	r.bottleneck[from] = never
	for {
		at := -1
		for j := range n {
			if !r.done[j] && r.bottleneck[j] > 0 && (at < 0 || r.bottleneck[j] > r.bottleneck[at]) {
				at = j
			}
		}
		if at < 0 {
			return
		}
		r.done[at] = true
		for j := range n {
			if j == at || r.done[j] {
				continue
			}
			if w := min(r.bottleneck[at], -r.pair[r.index(at, j)]); w > r.bottleneck[j] {
				r.bottleneck[j], r.parent[j] = w, int32(at)
			}
		}
	}
}
