package direction

import "slices"

// Merge joins two clusters. Clusters 0 to n−1 are the n items, and the merge
// with index k makes cluster n+k.
type Merge struct {
	A      int     `json:"a"`
	B      int     `json:"b"`
	Height float64 `json:"height"` // the distance at which they were joined
	Size   int     `json:"size"`   // items of both
}

// Linkage clusters items by average linkage: again and again it joins the two
// clusters with the smallest mean distance between their items, of equal ones
// those that come first. The distances must be a square matrix, symmetric and
// without NaN; it panics if a row is shorter than there are rows.
func Linkage(distance [][]float64) []Merge {
	n := len(distance)
	clusters := make([][]int, n, 2*n)
	var open []int
	for i := range n {
		clusters[i] = []int{i}
		open = append(open, i)
	}
	var merges []Merge
	for len(open) > 1 {
		m := Merge{A: -1}
		atA, atB := 0, 0
		for b := range open {
			for a := range b {
				d := between(distance, clusters[open[a]], clusters[open[b]])
				if m.A < 0 || d < m.Height {
					m, atA, atB = Merge{A: open[a], B: open[b], Height: d}, a, b
				}
			}
		}
		open[atA] = len(clusters)
		open = slices.Delete(open, atB, atB+1)
		clusters = append(clusters, slices.Concat(clusters[m.A], clusters[m.B]))
		m.Size = len(clusters[len(clusters)-1])
		merges = append(merges, m)
	}
	return merges
}

// between is the mean distance between the items of two clusters.
func between(distance [][]float64, a, b []int) float64 {
	sum := 0.0
	for _, i := range a {
		for _, j := range b {
			sum += distance[i][j]
		}
	}
	return sum / float64(len(a)*len(b))
}
