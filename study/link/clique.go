package link

import (
	"errors"
	"math/bits"
)

// This part of the package divides a graph in the published two phases of xER (Vadrevu and
// others, TrustNLP 2021): first all maximal cliques of the pairs that are known,
// then an assignment of each node to at most one part of one clique, where a clique
// has at most M parts.
//
// It is the same problem as that of package link with unknown pairs forbidden, as
// long as M is large enough: every part is a cluster, and every cluster lies in a
// maximal clique. [TwoPhase] says whether it was. The direct form needs neither M
// nor the cliques, and is what everything else uses.

// ErrManyCliques is returned for a graph with more cliques than were allowed.
var ErrManyCliques = errors.New("clique: the graph has more cliques than the limit, must have fewer: raise the limit or drop edges")

// set is a set of nodes, a bit each.
type set []uint64

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }
func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) drop(i int)     { s[i/64] &^= 1 << (i % 64) }

func (s set) count() int {
	n := 0
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// each calls f with every node, in order, until f returns false.
func (s set) each(f func(i int) bool) {
	for k, w := range s {
		for ; w != 0; w &= w - 1 {
			if !f(k*64 + bits.TrailingZeros64(w)) {
				return
			}
		}
	}
}

// and returns what two sets share.
func (s set) and(t set) set {
	out := make(set, len(s))
	for k, w := range s {
		out[k] = w & t[k]
	}
	return out
}

func (s set) shared(t set) int {
	n := 0
	for k, w := range s {
		n += bits.OnesCount64(w & t[k])
	}
	return n
}

// neighbours returns the nodes that have an edge with each node.
func neighbours(g Graph) []set {
	words := (g.Nodes + 63) / 64
	all := make([]uint64, g.Nodes*words)
	out := make([]set, g.Nodes)
	for i := range out {
		out[i] = all[i*words : (i+1)*words]
	}
	for _, e := range g.Edges {
		out[e.I].add(e.J)
		out[e.J].add(e.I)
	}
	return out
}

// MaximalCliques lists the maximal cliques of a graph, in each of which the nodes ascend,
// by the algorithm of Bron and Kerbosch with a pivot, from nodes in an order of
// degeneracy. It returns [ErrMany] if there are more than limit.
func MaximalCliques(g Graph, limit int) ([][]int, error) {
	b := &bron{near: neighbours(g), limit: limit}
	words := (g.Nodes + 63) / 64
	left := make(set, words)
	for i := range g.Nodes {
		left.add(i)
	}
	done := make(set, words)
	for range g.Nodes {
		next, least := -1, 0
		left.each(func(i int) bool {
			if d := left.shared(b.near[i]); next < 0 || d < least {
				next, least = i, d
			}
			return true
		})
		left.drop(next)
		if err := b.extend([]int{next}, left.and(b.near[next]), done.and(b.near[next])); err != nil {
			return nil, err
		}
		done.add(next)
	}
	return b.found, nil
}

type bron struct {
	near  []set
	limit int
	found [][]int
}

// extend lists the maximal cliques that hold some nodes, any of may, and none of
// done.
func (b *bron) extend(nodes []int, may, done set) error {
	pivot, most := -1, -1
	for _, from := range []set{may, done} {
		from.each(func(i int) bool {
			if n := may.shared(b.near[i]); n > most {
				pivot, most = i, n
			}
			return true
		})
	}
	if pivot < 0 {
		if len(b.found) == b.limit {
			return ErrManyCliques
		}
		all := make(set, len(may))
		for _, i := range nodes {
			all.add(i)
		}
		clique := make([]int, 0, len(nodes))
		all.each(func(i int) bool { clique = append(clique, i); return true })
		b.found = append(b.found, clique)
		return nil
	}
	var err error
	try := append(set(nil), may...)
	for k, w := range b.near[pivot] {
		try[k] &^= w
	}
	try.each(func(i int) bool {
		err = b.extend(append(nodes[:len(nodes):len(nodes)], i), may.and(b.near[i]), done.and(b.near[i]))
		may.drop(i)
		done.add(i)
		return err == nil
	})
	return err
}

// CountCliques counts all cliques of two nodes and more, which the classic set packing has
// to list, or returns [ErrMany] if there are more than limit.
func CountCliques(g Graph, limit int) (int, error) {
	near := neighbours(g)
	total := 0
	var grow func(may set) bool
	grow = func(may set) bool {
		ok := true
		may.each(func(i int) bool {
			may.drop(i) // each clique once, by its least node first
			total++
			ok = total <= limit && grow(may.and(near[i]))
			return ok
		})
		return ok
	}
	for i := range near {
		after := append(set(nil), near[i]...)
		near[i].each(func(j int) bool {
			if j < i {
				after.drop(j)
			}
			return true
		})
		if !grow(after) {
			return 0, ErrManyCliques
		}
	}
	return total, nil
}

// CliqueCoefficient returns the mean over all nodes of the part of their neighbours'
// pairs that are edges themselves; 0 for a node with fewer than two neighbours.
func CliqueCoefficient(g Graph) float64 {
	near := neighbours(g)
	var sum float64
	for _, s := range near {
		d := s.count()
		if d < 2 {
			continue
		}
		closed := 0
		s.each(func(j int) bool { closed += s.shared(near[j]); return true })
		sum += float64(closed) / float64(d*(d-1))
	}
	if g.Nodes == 0 {
		return 0
	}
	return sum / float64(g.Nodes)
}
