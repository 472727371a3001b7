package link

// greedy divides by joining, again and again, the two clusters that gain the most
// from it, until none gain: greedy additive edge contraction (Keuper and others,
// Efficient decomposition of image and mesh graphs by lifted multicuts, ICCV 2015).
func (m *matrix) greedy() []int {
	n := m.n
	cost := append([]int64(nil), m.cost...)
	label := make([]int, n)
	best := make([]int, n) // the partner of a row that gains the most, or -1
	find := func(i int) {
		best[i] = -1
		low := int64(0)
		for j, c := range cost[i*n : (i+1)*n] {
			if c < low && j != i {
				low, best[i] = c, j
			}
		}
	}
	for i := range n {
		label[i] = i
		find(i)
	}
	for {
		a, low := -1, int64(0)
		for i, b := range best {
			if b >= 0 && cost[i*n+b] < low {
				a, low = i, cost[i*n+b]
			}
		}
		if a < 0 {
			return smallest(label)
		}
		b := best[a]
		label[b] = a
		best[b] = -1
		for j := range n {
			c := add(cost[a*n+j], cost[b*n+j])
			cost[a*n+j], cost[j*n+a] = c, c
			cost[b*n+j], cost[j*n+b] = never, never
		}
		cost[a*n+a] = never
		find(a)
		for j := range n {
			switch {
			case label[j] != j || j == a:
			case best[j] == a || best[j] == b:
				find(j)
			case cost[j*n+a] < 0 && (best[j] < 0 || cost[j*n+a] < cost[j*n+best[j]]):
				best[j] = a
			}
		}
	}
}

// smallest follows each label to the node that stands for its cluster.
func smallest(label []int) []int {
	for i := range label {
		for label[i] != label[label[i]] {
			label[i] = label[label[i]]
		}
	}
	return Canonical(label)
}
