package link

// SolveSparse divides a graph that is one component as if it were too large for a
// matrix, and returns labels, cost and bound in the units of the graph.
func SolveSparse(g Graph) (labels []int, cost, bound float64, err error) {
	b, err := newBuild(g)
	if err != nil {
		return nil, 0, 0, err
	}
	labels = make([]int, g.Nodes)
	next := 0
	units, low := b.inside, b.inside
	for _, p := range b.parts() {
		d := p.sparse.solve(func(int64) bool { return false })
		units, low = units+d.cost, low+d.bound
		for x, k := range p.nodes {
			for _, i := range b.members[k] {
				labels[i] = next + d.labels[x]
			}
		}
		next += len(p.nodes)
	}
	return Canonical(labels), b.units.float(units), b.units.float(low), nil
}
