package direction

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"sotto/compute/measure"
)

// MinShared is how many professions two languages must share for a correlation.
const MinShared = 3

// Correlation compares the professions' scores of languages.
type Correlation struct {
	Languages []string `json:"languages"`
	// R is Pearson's correlation of the scores of the professions that two
	// languages share, and Shared how many those are. It is undefined for fewer
	// than MinShared, or where all scores of one are the same.
	R      [][]measure.Number `json:"r"`
	Shared [][]int            `json:"shared"`
	// Clustered are the languages that Merges joins, as indices: those that have
	// a correlation with each other.
	Clustered []int   `json:"clustered,omitempty"`
	Merges    []Merge `json:"merges,omitempty"`
}

// Correlate compares results by the scores of their professions. Results
// without scores stay in the table, undefined.
func Correlate(results []*Result) *Correlation {
	n := len(results)
	c := &Correlation{R: make([][]measure.Number, n), Shared: make([][]int, n)}
	for _, r := range results {
		c.Languages = append(c.Languages, r.Language)
	}
	for i := range n {
		c.R[i], c.Shared[i] = make([]measure.Number, n), make([]int, n)
		for j := range i + 1 {
			r, shared := pearson(results[i], results[j])
			c.R[i][j], c.R[j][i] = measure.Number(r), measure.Number(r)
			c.Shared[i][j], c.Shared[j][i] = shared, shared
		}
	}
	c.cluster()
	return c
}

// pearson correlates the scores that two results share.
func pearson(a, b *Result) (r float64, shared int) {
	scores := map[string]float64{}
	for _, p := range a.Professions {
		scores[p.Name] = float64(p.Score)
	}
	var x, y []float64
	for _, p := range b.Professions {
		s, ok := scores[p.Name]
		if ok && !math.IsNaN(s) && !math.IsNaN(float64(p.Score)) {
			x, y = append(x, s), append(y, float64(p.Score))
		}
	}
	if len(x) < MinShared || slices.Min(x) == slices.Max(x) || slices.Min(y) == slices.Max(y) {
		return math.NaN(), len(x)
	}
	return max(-1, min(1, stat.Correlation(x, y, nil))), len(x)
}

// cluster joins the languages whose correlations are all defined. While some is
// not, the language with most undefined ones is left out.
func (c *Correlation) cluster() {
	for i := range c.Languages {
		c.Clustered = append(c.Clustered, i)
	}
	undefined := func(i int) (n int) {
		for _, j := range c.Clustered {
			if math.IsNaN(float64(c.R[i][j])) {
				n++
			}
		}
		return n
	}
	for len(c.Clustered) > 0 {
		worst := slices.MaxFunc(c.Clustered, func(i, j int) int { return undefined(i) - undefined(j) })
		if undefined(worst) == 0 {
			break
		}
		c.Clustered = slices.DeleteFunc(c.Clustered, func(i int) bool { return i == worst })
	}
	distance := make([][]float64, len(c.Clustered))
	for a, i := range c.Clustered {
		for _, j := range c.Clustered {
			distance[a] = append(distance[a], 1-float64(c.R[i][j]))
		}
	}
	c.Merges = Linkage(distance)
}

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
