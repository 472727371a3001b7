package page

import "fmt"

// Merge joins two clusters of a hierarchical clustering of n things: the things
// are the clusters 0 to n−1, and the merge at index i makes the cluster n+i.
type Merge struct {
	A, B   int
	Height float64 // how unlike the two are, at least 0
}

// checkTree refuses merges that do not join n things, each once, to one.
func checkTree(n int, tree []Merge) error {
	if len(tree) == 0 {
		return nil
	}
	if len(tree) != n-1 {
		return fmt.Errorf("page: a tree has %d merges, must have %d to join %d names", len(tree), n-1, n)
	}
	used := make([]bool, n+len(tree))
	for i, m := range tree {
		for _, k := range []int{m.A, m.B} {
			if k < 0 || k >= n+i || used[k] {
				return fmt.Errorf("page: merge %d of a tree joins cluster %d, must join two that exist and are not joined yet", i+1, k)
			}
			used[k] = true
		}
		if !(m.Height >= 0) || !finite(m.Height) {
			return fmt.Errorf("page: merge %d of a tree has height %v, must be finite and at least 0", i+1, m.Height)
		}
	}
	return nil
}

// leaves returns the things in an order in which no branches cross: as they are
// if there is no tree.
func leaves(n int, tree []Merge) []int {
	var order []int
	if len(tree) == 0 {
		for i := range n {
			order = append(order, i)
		}
		return order
	}
	for open := []int{n + len(tree) - 1}; len(open) > 0; {
		k := open[len(open)-1]
		open = open[:len(open)-1]
		if k < n {
			order = append(order, k)
			continue
		}
		open = append(open, tree[k-n].B, tree[k-n].A)
	}
	return order
}

// branches returns the lines of a tree whose leaves stand at the given places:
// for each merge the corners of a bracket, as places along the leaves (X) and
// shares of the greatest height (Y).
func branches(tree []Merge, places []float64) [][4]Point {
	at, high := append([]float64(nil), places...), make([]float64, len(places))
	most := 0.0
	for _, m := range tree {
		most = max(most, m.Height)
	}
	var list [][4]Point
	for _, m := range tree {
		h := 0.0
		if most > 0 {
			h = m.Height / most
		}
		list = append(list, [4]Point{{at[m.A], high[m.A]}, {at[m.A], h}, {at[m.B], h}, {at[m.B], high[m.B]}})
		at, high = append(at, (at[m.A]+at[m.B])/2), append(high, h)
	}
	return list
}
