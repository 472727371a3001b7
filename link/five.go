package link

import (
	"cmp"
	"math/bits"
	"slices"
)

// Five nodes have ten pairs, and can be divided in 52 ways: for each, the pairs
// that share a cluster as bits.
var (
	pairsOfFive = [10][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}}
	waysOfFive  = divisionsOfFive()
)

func divisionsOfFive() []uint16 {
	var out []uint16
	var label [5]int
	var divide func(i, k int)
	divide = func(i, k int) {
		if i == len(label) {
			way := uint16(0)
			for b, p := range pairsOfFive {
				if label[p[0]] == label[p[1]] {
					way |= 1 << b
				}
			}
			out = append(out, way)
			return
		}
		for l := range k + 1 {
			label[i] = l
			divide(i+1, max(k, l+1))
		}
	}
	divide(0, 0)
	return out
}

// fives are sets of five nodes that a relaxation sees as a whole, as it does
// triangles: what triangles alone take for three halves of a pair, they see is one.
type fives struct {
	place  []int32 // ten pairs of each
	cost   []int64 // what each of them has there
	barred []uint16
	known  map[[5]int]struct{}
}

// least returns what the cheapest way to divide costs, if the pair of a slot is
// apart and if it is together.
func (f *fives) least(s int32) (apart, together int64) {
	k, bit := s/10, uint16(1)<<(s%10)
	cost := f.cost[k*10 : k*10+10]
	apart, together = never, never
	for _, way := range waysOfFive {
		if way&f.barred[k] != 0 {
			continue
		}
		var sum int64
		for left := way; left != 0; left &= left - 1 {
			sum += cost[bits.TrailingZeros16(left)]
		}
		if way&bit == 0 {
			apart = min(apart, sum)
		} else {
			together = min(together, sum)
		}
	}
	return apart, together
}

// lowest returns what the cheapest way to divide the k-th costs.
func (f *fives) lowest(k int) int64 {
	apart, together := f.least(int32(k * 10))
	return min(apart, together)
}

// enrich enters sets of five nodes that lift the bound. It looks among the pairs of
// which the relaxation cannot tell whether they are apart or together: at nodes
// with three or four such pairs, and at rings of five. Call it after sweep. It
// returns how many it entered, and how many it tried.
func (r *relaxation) enrich(doubt int64, limit int) (added, tries int) {
	near := make([][]int, r.m.n)
	for k, e := range r.active {
		if up, down := r.rises(k); max(up, down) <= doubt {
			i, j := int(e)/r.m.n, int(e)%r.m.n
			near[i] = append(near[i], j)
			near[j] = append(near[j], i)
		}
	}
	type candidate struct {
		nodes [5]int
		gain  int64
	}
	var all []candidate
	tried := map[[5]int]bool{}
	calls := 0
	try := func(set [5]int) bool {
		calls++
		slices.Sort(set[:])
		_, known := r.five.known[set]
		if known || tried[set] || set[0] == set[1] || set[1] == set[2] || set[2] == set[3] || set[3] == set[4] {
			return calls < triesPerNode
		}
		tried[set] = true
		if gain := r.gain(set); gain > 0 {
			all = append(all, candidate{set, gain})
		}
		return calls < triesPerNode
	}
	for a := range r.m.n {
		calls = 0
		stars(a, near, try)
		calls = 0
		rings(a, near, try)
	}
	slices.SortFunc(all, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(y.gain, x.gain), slices.Compare(x.nodes[:], y.nodes[:]))
	})
	all = all[:min(len(all), limit)]
	sets := make([][5]int, len(all))
	for k, c := range all {
		sets[k] = c.nodes
	}
	r.addFives(sets)
	return len(all), len(tried)
}

// triesPerNode limits the sets that are tried at a node, of either kind: where
// almost every pair is in doubt there are millions.
const triesPerNode = 500

// stars tries a node with four in doubt, and with three and one that is in doubt
// with one of them, until try has had enough.
func stars(a int, near [][]int, try func([5]int) bool) {
	doubt := near[a]
	for x, b := range doubt {
		for y, c := range doubt[x+1:] {
			for _, d := range doubt[x+1+y+1:] {
				for _, of := range [4]int{a, b, c, d} {
					for _, e := range near[of] {
						if !try([5]int{a, b, c, d, e}) {
							return
						}
					}
				}
			}
		}
	}
}

// rings tries ways of five nodes that come from a node in both directions, until
// try has had enough.
func rings(a int, near [][]int, try func([5]int) bool) {
	for x, b := range near[a] {
		for _, e := range near[a][x+1:] {
			for _, c := range near[b] {
				for _, d := range near[e] {
					if !try([5]int{a, b, c, d, e}) {
						return
					}
				}
			}
		}
	}
}

// triangles calls f with each triangle of a set that the relaxation has, and with
// the places of its pairs among the ten of the set.
func (r *relaxation) triangles(set [5]int, f func(t int32, at [3]int)) {
	place := func(x, y int) int { return [5]int{0, 3, 5, 6, 6}[x] + y - 1 }
	for x := range 5 {
		for y := x + 1; y < 5; y++ {
			for z := y + 1; z < 5; z++ {
				if t, ok := r.known[[3]int32{r.index(set[x], set[y]), r.index(set[x], set[z]), r.index(set[y], set[z])}]; ok {
					f(t, [3]int{place(x, y), place(x, z), place(y, z)})
				}
			}
		}
	}
}

// gain returns how much the bound rises if a set is seen as a whole.
func (r *relaxation) gain(set [5]int) int64 {
	one := fives{cost: make([]int64, 10), barred: []uint16{0}}
	var before int64
	for b, p := range pairsOfFive {
		e := r.index(set[p[0]], set[p[1]])
		if r.m.cost[e] >= never {
			one.barred[0] |= 1 << b
			continue
		}
		one.cost[b] = r.pair[e]
		before += min(0, r.pair[e])
	}
	r.triangles(set, func(t int32, at [3]int) {
		for x, b := range at {
			if one.barred[0]>>b&1 == 0 {
				one.cost[b] += r.cost[t*3+int32(x)]
			}
		}
		before += r.triangle(t)
	})
	return one.lowest(0) - before
}

// addFives enters sets, and gives them what their triangles have: to each its
// share, if several hold a triangle.
func (r *relaxation) addFives(sets [][5]int) {
	holders := map[int32]int64{}
	for _, set := range sets {
		r.triangles(set, func(t int32, _ [3]int) { holders[t]++ })
	}
	whole := map[int32][3]int64{}
	for t := range holders {
		whole[t] = [3]int64(r.cost[t*3 : t*3+3])
	}
	for _, set := range sets {
		r.five.known[set] = struct{}{}
		k := len(r.five.barred)
		r.five.barred = append(r.five.barred, 0)
		for b, p := range pairsOfFive {
			e := r.index(set[p[0]], set[p[1]])
			r.five.place = append(r.five.place, e)
			r.five.cost = append(r.five.cost, 0)
			if r.m.cost[e] >= never {
				r.five.barred[k] |= 1 << b
			}
		}
		r.triangles(set, func(t int32, at [3]int) {
			for x, b := range at {
				if r.five.barred[k]>>b&1 == 0 {
					share := whole[t][x] / holders[t]
					r.cost[t*3+int32(x)] -= share
					r.five.cost[k*10+b] += share
				}
			}
		})
	}
}
