package link

import "fmt"

// A build turns a graph into components that are searched alone.
type build struct {
	g       Graph
	units   units
	super   []int   // the group of nodes that must share a cluster, of each node
	members [][]int // of each group
	inside  int64   // what the groups cost inside
	known   map[Pair]*knownPair
	unknown int64 // what a pair costs of which nothing is known
}

// knownPair is what is known of two groups.
type knownPair struct {
	cost   int64
	pairs  int // of nodes, that have an edge
	cannot bool
}

// A part is a component: groups of nodes, and their costs.
type part struct {
	nodes  []int // groups
	size   int   // nodes of the graph
	sparse *sparse
}

func newBuild(g Graph) (*build, error) {
	b := &build{g: g, known: make(map[Pair]*knownPair, len(g.Edges))}
	b.group()
	for k, p := range g.Cannot {
		if b.super[p[0]] == b.super[p[1]] {
			return nil, fmt.Errorf("link: cannot link %d, of nodes %d and %d, contradicts the must links, which make them one", k, p[0], p[1])
		}
	}
	if err := b.scale(); err != nil {
		return nil, err
	}
	for _, e := range g.Edges {
		if k := b.between(e.I, e.J); k != nil {
			k.cost += b.units.of(e.Weight)
			k.pairs++
		} else {
			b.inside += b.units.of(e.Weight)
		}
	}
	for _, p := range g.Cannot {
		b.between(p[0], p[1]).cannot = true
	}
	return b, nil
}

// union follows a node to the one that stands for its set.
func union(set []int, i int) int {
	for set[i] != i {
		set[i] = set[set[i]]
		i = set[i]
	}
	return i
}

// join makes one set of two.
func join(set []int, i, j int) {
	a, b := union(set, i), union(set, j)
	set[max(a, b)] = min(a, b)
}

// group finds the nodes that must share a cluster.
func (b *build) group() {
	super, k := dense(Groups(b.g.Nodes, b.g.Must))
	b.super, b.members = super, make([][]int, k)
	for i, s := range super {
		b.members[s] = append(b.members[s], i)
	}
}

// between returns what is known of the groups of two nodes, or nil if they are one.
func (b *build) between(i, j int) *knownPair {
	x, y := b.super[i], b.super[j]
	if x == y {
		return nil
	}
	p := Pair{min(x, y), max(x, y)}
	if b.known[p] == nil {
		b.known[p] = &knownPair{}
	}
	return b.known[p]
}

// scale chooses the unit, with room for every penalty that a division can pay, and
// enters what unknown pairs cost.
func (b *build) scale() error {
	weights := make([]float64, 0, len(b.g.Edges)+1)
	var sum float64
	set := identity(len(b.members))
	edges := 0
	for _, e := range b.g.Edges {
		weights = append(weights, e.Weight)
		if e.Weight < 0 {
			sum -= e.Weight
			join(set, b.super[e.I], b.super[e.J])
		} else {
			sum += e.Weight
		}
		if b.super[e.I] == b.super[e.J] {
			edges++
		}
	}
	pairs, size := 0, make(map[int]int)
	for k, members := range b.members {
		size[union(set, k)] += len(members)
		pairs += len(members) * (len(members) - 1) / 2
	}
	if b.g.Unknown == Penalty {
		weights = append(weights, b.g.Penalty)
		for _, n := range size {
			sum += float64(b.g.Penalty * float64(n) * float64(n-1) / 2)
		}
	}
	var err error
	if b.units, err = newUnits(weights, sum); err != nil {
		return err
	}
	switch b.g.Unknown {
	case Neutral:
	case Penalty:
		b.unknown = b.units.of(b.g.Penalty)
		b.inside = int64(pairs-edges) * b.unknown
	default:
		b.unknown = never
	}
	return nil
}

// parts finds the components of groups that attract each other.
func (b *build) parts() []part {
	set := identity(len(b.members))
	cost := make(map[Pair]int64, len(b.known))
	for p, k := range b.known {
		cost[p] = k.cost
		missing := len(b.members[p[0]])*len(b.members[p[1]]) - k.pairs
		if k.cannot || missing > 0 && b.unknown >= never {
			cost[p] = never
		} else {
			cost[p] += int64(missing) * b.unknown
		}
		if cost[p] < 0 {
			join(set, p[0], p[1])
		}
	}
	var out []part
	place, at := make(map[int]int), make([]int, len(b.members))
	for k, members := range b.members {
		root := union(set, k)
		x, ok := place[root]
		if !ok {
			x = len(out)
			place[root] = x
			out = append(out, part{})
		}
		at[k] = len(out[x].nodes)
		out[x].nodes = append(out[x].nodes, k)
		out[x].size += len(members)
	}
	for x := range out {
		weight := make([]int64, len(out[x].nodes))
		for y, k := range out[x].nodes {
			weight[y] = int64(len(b.members[k]))
		}
		out[x].sparse = newSparse(weight, b.unknown)
	}
	for p, c := range cost {
		if x := place[union(set, p[0])]; x == place[union(set, p[1])] {
			out[x].sparse.set(at[p[0]], at[p[1]], c)
		}
	}
	return out
}

// slack is what rounding to units can have added to a bound: half a unit for each
// pair inside a component.
func (b *build) slack(parts []part) float64 {
	pairs := len(b.g.Edges)
	if b.g.Unknown == Penalty {
		for _, p := range parts {
			pairs += p.size * (p.size - 1) / 2
		}
	}
	return float64(pairs) * 0.5 * b.units.float(1) * (1 + 1e-12)
}
