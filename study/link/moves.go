package link

// A shifter improves a division by moving nodes between clusters, by joining
// clusters, and by exchanging runs of nodes between two of them.
type shifter struct {
	m     *matrix
	label []int
	size  []int   // nodes of each cluster; the last cluster is always empty
	sum   []int64 // n×k: what a node costs with the nodes of a cluster
	bad   []int32 // n×k: how many of them it may not share a cluster with
	k     int
	stop  func(work int64) bool
}

// improve returns a division that costs at most as much.
func (m *matrix) improve(label []int, stop func(work int64) bool) []int {
	s := &shifter{m: m, label: Canonical(label), stop: stop}
	for {
		s.count()
		for s.moveAll() {
			if stop(int64(s.m.n) * int64(s.k)) {
				return Canonical(s.label)
			}
		}
		s.label = Canonical(s.label)
		s.count()
		if !s.joinAll() && !s.exchangeAll() {
			return Canonical(s.label)
		}
		s.label = Canonical(s.label)
	}
}

// count enters what every node costs with every cluster.
func (s *shifter) count() {
	n := s.m.n
	s.k = 1
	for _, l := range s.label {
		s.k = max(s.k, l+2)
	}
	s.size = make([]int, s.k)
	s.sum = make([]int64, n*s.k)
	s.bad = make([]int32, n*s.k)
	for _, l := range s.label {
		s.size[l]++
	}
	for i := range n {
		sum, bad := s.sum[i*s.k:(i+1)*s.k], s.bad[i*s.k:(i+1)*s.k]
		for j, c := range s.m.row(i) {
			switch {
			case i == j:
			case c >= never:
				bad[s.label[j]]++
			default:
				sum[s.label[j]] += c
			}
		}
	}
}

// shift moves a node into a cluster.
func (s *shifter) shift(i, to int) {
	from := s.label[i]
	s.label[i] = to
	s.size[from]--
	s.size[to]++
	for j, c := range s.m.row(i) {
		switch {
		case i == j:
		case c >= never:
			s.bad[j*s.k+from]--
			s.bad[j*s.k+to]++
		default:
			s.sum[j*s.k+from] -= c
			s.sum[j*s.k+to] += c
		}
	}
}

// moveAll moves every node to where it costs the least, once, and reports whether
// any moved. As long as there is one empty cluster, a node can leave for itself.
func (s *shifter) moveAll() bool {
	moved := false
	for i := range s.m.n {
		at := i * s.k
		to, low := -1, s.sum[at+s.label[i]]
		for l := range s.k {
			if l != s.label[i] && s.bad[at+l] == 0 && s.sum[at+l] < low {
				to, low = l, s.sum[at+l]
			}
		}
		if to < 0 {
			continue
		}
		s.shift(i, to)
		moved = true
		if to == s.k-1 { // the empty one is used: make another
			s.count()
		}
	}
	return moved
}

// joinAll joins pairs of clusters that gain from it, and reports whether any did.
func (s *shifter) joinAll() bool {
	k := s.k - 1
	between := newMatrix(k)
	for i := range s.m.n {
		a := s.label[i]
		for b := range k {
			if b == a {
				continue
			}
			c := s.sum[i*s.k+b]
			if s.bad[i*s.k+b] > 0 {
				c = never
			}
			between.cost[a*k+b] = add(between.cost[a*k+b], c)
		}
	}
	to := between.greedy()
	for i, l := range s.label {
		s.label[i] = to[l]
	}
	for c, l := range to {
		if c != l {
			return true
		}
	}
	return false
}

// exchangeAll tries every two clusters that a pair below zero connects, and every
// cluster with an empty one, and reports whether any division became better.
func (s *shifter) exchangeAll() bool {
	better := false
	touch := make([]bool, s.k*s.k)
	for i := range s.m.n {
		touch[s.label[i]*s.k+s.k-1] = true
		for l := range s.k {
			if s.sum[i*s.k+l] < 0 && l != s.label[i] {
				touch[min(l, s.label[i])*s.k+max(l, s.label[i])] = true
			}
		}
	}
	for a := range s.k {
		for b := a + 1; b < s.k; b++ {
			if touch[a*s.k+b] && s.exchange(a, b) {
				better = true
				if b == s.k-1 {
					return true // there is no empty cluster any more
				}
			}
		}
	}
	return better
}

// exchange moves nodes of two clusters to the other, each at most once, always the
// one that costs the least now even if it costs more than before, and keeps the
// moves up to where the sum was best: the step of Kernighan and Lin (1970). Places
// where a forbidden pair shares a cluster are passed through and never kept.
func (s *shifter) exchange(a, b int) bool {
	var nodes []int
	for i, l := range s.label {
		if l == a || l == b {
			nodes = append(nodes, i)
		}
	}
	if s.stop(int64(len(nodes)) * int64(len(nodes)+s.m.n)) {
		return false
	}
	moved := make([]bool, len(nodes))
	var order []int
	var sum, low int64
	keep, broken := 0, int32(0)
	for range nodes {
		pick, cost, breaks := -1, int64(0), int32(0)
		for x, i := range nodes {
			if moved[x] {
				continue
			}
			from, to := s.label[i], a+b-s.label[i]
			c := s.sum[i*s.k+to] - s.sum[i*s.k+from]
			f := s.bad[i*s.k+to] - s.bad[i*s.k+from]
			if pick < 0 || f < breaks || f == breaks && c < cost {
				pick, cost, breaks = x, c, f
			}
		}
		i := nodes[pick]
		moved[pick] = true
		s.shift(i, a+b-s.label[i])
		order = append(order, i)
		sum += cost
		broken += breaks
		if broken == 0 && sum < low {
			low, keep = sum, len(order)
		}
		if len(order)-keep > 50 { // far from any gain
			break
		}
	}
	for _, i := range order[keep:] {
		s.shift(i, a+b-s.label[i])
	}
	return keep > 0
}
