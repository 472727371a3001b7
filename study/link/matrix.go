package link

// A matrix is a division that is to be found, with the cost of every pair: what is
// left of a component of a graph after some of its nodes have become one.
type matrix struct {
	n    int
	cost []int64 // n×n, symmetric, in units; never for a pair that may not share a cluster
}

func newMatrix(n int) *matrix { return &matrix{n: n, cost: make([]int64, n*n)} }

func (m *matrix) at(i, j int) int64 { return m.cost[i*m.n+j] }

func (m *matrix) set(i, j int, c int64) { m.cost[i*m.n+j], m.cost[j*m.n+i] = c, c }

// row returns the costs of one node with all others.
func (m *matrix) row(i int) []int64 { return m.cost[i*m.n : (i+1)*m.n] }

// add joins two costs of which either may be never.
func add(a, b int64) int64 {
	if a >= never || b >= never {
		return never
	}
	return a + b
}

// value returns the cost of a division, which is never if a forbidden pair shares a
// cluster.
func (m *matrix) value(labels []int) int64 {
	var sum int64
	for i := range m.n {
		row := m.row(i)
		for j := i + 1; j < m.n; j++ {
			if labels[i] == labels[j] {
				sum = add(sum, row[j])
			}
		}
	}
	return sum
}

// below sums the costs below zero: no division costs less.
func (m *matrix) below() int64 {
	var sum int64
	for i := range m.n {
		row := m.row(i)
		for j := i + 1; j < m.n; j++ {
			sum += min(0, row[j])
		}
	}
	return sum
}

// merge returns the division of groups of nodes, each of which is one from now on.
// Groups are 0, …, k−1. It also returns what the groups cost inside, which is never
// if a forbidden pair became one.
func (m *matrix) merge(group []int, k int) (*matrix, int64) {
	out := newMatrix(k)
	var inside int64
	for i := range m.n {
		row := m.row(i)
		for j := i + 1; j < m.n; j++ {
			a, b := group[i], group[j]
			if a == b {
				inside = add(inside, row[j])
				continue
			}
			out.set(a, b, add(out.at(a, b), row[j]))
		}
	}
	return out, inside
}

// part returns the division of some of the nodes.
func (m *matrix) part(nodes []int) *matrix {
	out := newMatrix(len(nodes))
	for a, i := range nodes {
		for b, j := range nodes {
			out.cost[a*out.n+b] = m.at(i, j)
		}
	}
	return out
}

// components lists the nodes that pairs below zero connect. Clusters of a best
// division need not cross them: a cluster that does costs no more when it is cut
// there.
func (m *matrix) components() [][]int {
	var out [][]int
	seen := make([]bool, m.n)
	for i := range m.n {
		if seen[i] {
			continue
		}
		seen[i] = true
		nodes := []int{i}
		for k := 0; k < len(nodes); k++ {
			for j, c := range m.row(nodes[k]) {
				if c < 0 && !seen[j] {
					seen[j] = true
					nodes = append(nodes, j)
				}
			}
		}
		out = append(out, nodes)
	}
	return out
}
