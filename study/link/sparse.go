package link

import (
	"cmp"
	"container/heap"
	"slices"
)

// A sparse component lists the pairs of which something is known, for graphs of
// any size. Its nodes stand for one node of the graph or for several that must
// share a cluster.
type sparse struct {
	weight  []int64           // how many nodes of the graph each stands for
	cost    []map[int32]int64 // of listed pairs, both ways, in units
	unknown int64             // cost of a pair of the graph that is not listed
}

func newSparse(weight []int64, unknown int64) *sparse {
	c := &sparse{weight: weight, cost: make([]map[int32]int64, len(weight)), unknown: unknown}
	for i := range c.cost {
		c.cost[i] = make(map[int32]int64)
	}
	return c
}

func (c *sparse) set(i, j int, cost int64) { c.cost[i][int32(j)], c.cost[j][int32(i)] = cost, cost }

// at returns the cost of a pair.
func (c *sparse) at(i, j int) int64 {
	if cost, ok := c.cost[i][int32(j)]; ok {
		return cost
	}
	return c.unlisted(c.weight[i], c.weight[j])
}

// unlisted returns what two groups cost of whose pairs nothing is known.
func (c *sparse) unlisted(a, b int64) int64 {
	if c.unknown >= never {
		return never
	}
	return c.unknown * a * b
}

// matrix lists all pairs.
func (c *sparse) matrix() *matrix {
	m := newMatrix(len(c.weight))
	for i := range m.n {
		for j := range i {
			m.set(i, j, c.at(i, j))
		}
	}
	return m
}

// below sums the costs below zero.
func (c *sparse) below() int64 {
	var sum int64
	for i, row := range c.cost {
		for j, cost := range row {
			if int(j) > i {
				sum += min(0, cost)
			}
		}
	}
	return sum
}

// solve divides a component that is too large for a matrix: greedily, with moves of
// single nodes, and with a bound from triangles that share no pair, or from the linear
// program of triangles as far as the work allows.
func (c *sparse) solve(stop func(work int64) bool) division {
	d := division{labels: c.move(c.greedy(stop), stop)}
	d.cost = c.value(d.labels)
	d.bound = min(c.pack(stop), d.cost)
	if d.bound < d.cost && !stop(0) {
		c.relax(&d, stop)
	}
	return d
}

// value returns the cost of a division.
func (c *sparse) value(labels []int) int64 {
	sums := make(map[int]*gathered)
	var total int64
	for i, l := range labels {
		if sums[l] == nil {
			sums[l] = &gathered{}
		}
		total = add(total, sums[l].costWith(c, i))
		sums[l].nodes = append(sums[l].nodes, i)
		sums[l].weight += c.weight[i]
	}
	return total
}

// gathered is a cluster while nodes are added to it.
type gathered struct {
	nodes  []int
	weight int64
}

// costWith returns what a node costs with the nodes of a cluster.
func (g *gathered) costWith(c *sparse, i int) int64 {
	var sum, listed int64
	for _, j := range g.nodes {
		if cost, ok := c.cost[i][int32(j)]; ok {
			sum = add(sum, cost)
			listed += c.weight[j]
		}
	}
	if rest := g.weight - listed; rest > 0 {
		sum = add(sum, c.unlisted(c.weight[i], rest))
	}
	return sum
}

// An offer is two clusters that gain from being one.
type offer struct {
	cost int64
	a, b int32
	age  int32 // of the two clusters together: an older one is out of date
}

type offers []offer

func (o offers) Len() int { return len(o) }
func (o offers) Less(x, y int) bool {
	return cmp.Or(cmp.Compare(o[x].cost, o[y].cost), cmp.Compare(o[x].a, o[y].a), cmp.Compare(o[x].b, o[y].b)) < 0
}
func (o offers) Swap(x, y int) { o[x], o[y] = o[y], o[x] }
func (o *offers) Push(x any)   { *o = append(*o, x.(offer)) }
func (o *offers) Pop() any {
	last := (*o)[len(*o)-1]
	*o = (*o)[:len(*o)-1]
	return last
}

// greedy is that of a matrix, on what is listed.
func (c *sparse) greedy(stop func(work int64) bool) []int {
	n := len(c.weight)
	rows := make([]map[int32]int64, n)
	weight := slices.Clone(c.weight)
	label := identity(n)
	age := make([]int32, n)
	var queue offers
	for i, row := range c.cost {
		rows[i] = make(map[int32]int64, len(row))
		for j, cost := range row {
			rows[i][j] = cost
			if int(j) > i && cost < 0 {
				queue = append(queue, offer{cost: cost, a: int32(i), b: j})
			}
		}
	}
	heap.Init(&queue)
	for len(queue) > 0 {
		o := heap.Pop(&queue).(offer)
		a, b := o.a, o.b
		if label[a] != int(a) || label[b] != int(b) || o.age != age[a]+age[b] {
			continue
		}
		if stop(int64(len(rows[a]) + len(rows[b]))) {
			break
		}
		if len(rows[b]) > len(rows[a]) {
			a, b = b, a
		}
		// What is listed of either is listed of both.
		for k, cost := range rows[b] {
			if k == a {
				continue
			}
			have, ok := rows[a][k]
			if !ok {
				have = c.unlisted(weight[a], weight[k])
			}
			rows[a][k] = add(have, cost)
			delete(rows[k], b)
		}
		delete(rows[a], b)
		for k := range rows[a] {
			if _, ok := rows[b][k]; !ok {
				rows[a][k] = add(rows[a][k], c.unlisted(weight[b], weight[k]))
			}
		}
		rows[b] = nil
		label[b] = int(a)
		weight[a] += weight[b]
		age[a] += age[b] + 1
		for k, cost := range rows[a] {
			rows[k][a] = cost
			if cost < 0 {
				heap.Push(&queue, offer{cost: cost, a: min(a, k), b: max(a, k), age: age[a] + age[k]})
			}
		}
	}
	return smallest(label)
}

// move moves every node to where it costs the least, until none moves.
func (c *sparse) move(label []int, stop func(work int64) bool) []int {
	label = slices.Clone(label)
	weight := make(map[int]int64)
	fresh := 0
	for i, l := range label {
		weight[l] += c.weight[i]
		fresh = max(fresh, l+1)
	}
	for moved := true; moved; {
		moved = false
		for i, row := range c.cost {
			sum, listed := make(map[int]int64), make(map[int]int64)
			for j, cost := range row {
				l := label[j]
				sum[l] = add(sum[l], cost)
				listed[l] += c.weight[j]
			}
			from := label[i]
			with := func(l int) int64 {
				others := weight[l]
				if l == from {
					others -= c.weight[i]
				}
				if rest := others - listed[l]; rest > 0 {
					return add(sum[l], c.unlisted(c.weight[i], rest))
				}
				return sum[l]
			}
			to, low := from, with(from)
			if low > 0 {
				to, low = fresh, 0
			}
			for l := range sum {
				if cost := with(l); cost < low || cost == low && l < to && to != from {
					to, low = l, cost
				}
			}
			if to == from {
				continue
			}
			fresh = max(fresh, to+1)
			weight[from] -= c.weight[i]
			weight[to] += c.weight[i]
			label[i] = to
			moved = true
			if stop(int64(len(row))) {
				return Canonical(label)
			}
		}
	}
	return Canonical(label)
}

// pack bounds what any division costs: every triangle with two pairs below zero and
// one above costs more than its pairs alone let hope, and triangles that share no
// part of a cost add up.
func (c *sparse) pack(stop func(work int64) bool) int64 {
	bound := c.below()
	left := make([]map[int32]int64, len(c.cost))
	for i, row := range c.cost {
		left[i] = make(map[int32]int64, len(row))
		for j, cost := range row {
			left[i][j] = cost
		}
	}
	change := func(i, j int32, by int64) {
		if cost, ok := left[i][j]; ok && cost < never {
			left[i][j], left[j][i] = cost+by, cost+by
		} else if !ok && c.unknown < never {
			cost = c.unlisted(c.weight[i], c.weight[j])
			left[i][j], left[j][i] = cost+by, cost+by
		}
	}
	var near []int32
	for i := range left {
		near = near[:0]
		for j, cost := range left[i] {
			if cost < 0 {
				near = append(near, j)
			}
		}
		slices.Sort(near)
		if stop(int64(len(near)) * int64(len(near)) / 2) {
			return bound
		}
		for x, j := range near {
			for _, k := range near[x+1:] {
				apart, ok := left[j][k]
				if !ok {
					apart = c.unlisted(c.weight[j], c.weight[k])
				}
				gain := min(apart, -left[i][j], -left[i][k])
				if gain <= 0 {
					continue
				}
				bound += gain
				change(int32(i), j, gain)
				change(int32(i), k, gain)
				change(j, k, -gain)
			}
		}
	}
	return bound
}
