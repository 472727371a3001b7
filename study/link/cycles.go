package link

import (
	"cmp"
	"container/heap"
)

// mostReached is how many nodes a way is followed to from one.
const mostReached = 500

// cycles enters rows that say that two nodes are together if all pairs of a way between
// them are, where that is broken: what those pairs have, less what the two have, is at
// most one less than there are pairs on the way. They are found by the shortest ways, a
// pair being as long as it is apart.
func (g *grid) cycles(p *program, x []float64, tolerance float64, stop func(work int64) bool) int {
	added := 0
	w := wayfinder{grid: g, x: x, place: make([]int32, len(g.near))}
	for i := range g.near {
		wanted := false
		for _, l := range g.near[i] {
			wanted = wanted || int(l.to) > i && int(l.pair) < len(x) && x[l.pair] < 1-tolerance
		}
		if !wanted {
			continue
		}
		w.from(int32(i), 1-tolerance)
		if stop(int64(100 * len(w.reached))) {
			return added
		}
		for _, l := range g.near[i] {
			at := w.place[l.to]
			if int(l.to) < i || int(l.pair) >= len(x) || at == 0 || w.reached[at-1].far >= 1-x[l.pair]-tolerance {
				continue
			}
			terms := []int32{^l.pair}
			for r := w.reached[at-1]; r.node != int32(i); r = w.reached[r.before] {
				terms = append(terms, r.pair)
			}
			if p.add(float64(len(terms)-2), terms...) {
				added++
			}
		}
	}
	return added
}

// reach is a node, how far it is, and how it was reached.
type reach struct {
	far    float64
	hops   int32
	node   int32
	before int32 // place of the node before it
	pair   int32
}

// wayfinder finds the shortest ways from a node.
type wayfinder struct {
	*grid
	x       []float64
	reached []reach
	place   []int32 // of a node in reached, counted from 1; 0 if it was not reached
	queue   reaches
}

// from finds the ways from a node that are shorter than a length.
func (w *wayfinder) from(start int32, most float64) {
	for _, r := range w.reached {
		w.place[r.node] = 0
	}
	w.reached = w.reached[:0]
	w.queue = append(w.queue[:0], reach{node: start})
	for len(w.queue) > 0 && len(w.reached) < mostReached {
		r := heap.Pop(&w.queue).(reach)
		if w.place[r.node] > 0 {
			continue
		}
		at := int32(len(w.reached))
		w.reached = append(w.reached, r)
		w.place[r.node] = at + 1
		for _, l := range w.near[r.node] {
			if w.place[l.to] > 0 || int(l.pair) >= len(w.x) {
				continue
			}
			if far := r.far + 1 - w.x[l.pair]; far < most {
				heap.Push(&w.queue, reach{far, r.hops + 1, l.to, at, l.pair})
			}
		}
	}
}

// reaches is a queue, the nearest first.
type reaches []reach

func (q reaches) Len() int { return len(q) }
func (q reaches) Less(a, b int) bool {
	return cmp.Or(cmp.Compare(q[a].far, q[b].far), cmp.Compare(q[a].hops, q[b].hops), cmp.Compare(q[a].node, q[b].node), cmp.Compare(q[a].before, q[b].before)) < 0
}
func (q reaches) Swap(a, b int) { q[a], q[b] = q[b], q[a] }
func (q *reaches) Push(r any)   { *q = append(*q, r.(reach)) }
func (q *reaches) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
