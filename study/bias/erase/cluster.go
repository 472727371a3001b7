package erase

import (
	"fmt"
	"maps"
	"math"
	weakrand "math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Limits of [Clusters]: how often it begins anew, and how many steps it takes.
const (
	clusterStarts = 10
	clusterSteps  = 300
)

// Clusters divides rows that lie one after the other, dim numbers each, into k
// clusters by k-means: ten times from centres that are drawn far apart (Arthur
// and Vassilvitskii, SODA 2007), of which that with the smallest sum of squares
// is returned. It panics if rows are not whole or fewer than k.
func Clusters(rows []float64, dim, k int, seed uint64) []int {
	if dim < 1 || k < 1 || len(rows)%dim != 0 || len(rows)/dim < k {
		panic(fmt.Sprintf("erase: %d clusters of %d numbers in rows of %d, want as many rows at least", k, len(rows), dim))
	}
	var best []int
	least := math.Inf(1)
	for start := range clusterStarts {
		// The second word keeps this stream apart from others of the same seed.
		rng := weakrand.New(weakrand.NewPCG(seed, 0x6b6d65616e<<8+uint64(start)))
		c := &clustering{rows: rows, dim: dim, of: make([]int, len(rows)/dim)}
		c.begin(k, rng)
		if sum := c.run(); best == nil || sum < least {
			best, least = c.of, sum
		}
	}
	return best
}

type clustering struct {
	rows    []float64
	dim     int
	of      []int
	centres [][]float64
}

func (c *clustering) row(i int) []float64 { return c.rows[i*c.dim : (i+1)*c.dim] }

// begin draws the centres: the first among all rows, each other with the square
// of its distance to the nearest as weight.
func (c *clustering) begin(k int, rng *weakrand.Rand) {
	near := slices.Repeat([]float64{math.Inf(1)}, len(c.of))
	next := rng.IntN(len(c.of))
	for {
		c.centres = append(c.centres, slices.Clone(c.row(next)))
		if len(c.centres) == k {
			return
		}
		total := 0.0
		for i := range near {
			near[i] = min(near[i], square(c.row(i), c.centres[len(c.centres)-1]))
			total += near[i]
		}
		at := rng.Float64() * total
		next = len(near) - 1
		for i, v := range near {
			if at -= v; at < 0 {
				next = i
				break
			}
		}
	}
}

// run moves the centres until no row changes its cluster, and returns the sum of
// squared distances.
func (c *clustering) run() float64 {
	sum := 0.0
	for range clusterSteps {
		changed := false
		sum = 0
		for i := range c.of {
			best, least := 0, math.Inf(1)
			for k, centre := range c.centres {
				if d := square(c.row(i), centre); d < least {
					best, least = k, d
				}
			}
			changed = changed || c.of[i] != best
			c.of[i] = best
			sum += least
		}
		if !c.move() && !changed {
			break
		}
	}
	return sum
}

// move sets each centre to the mean of its rows, and reports whether one moved.
// A centre without rows stays.
func (c *clustering) move() bool {
	moved := false
	counts, sums := make([]float64, len(c.centres)), make([]float64, len(c.centres)*c.dim)
	for i, k := range c.of {
		counts[k]++
		floats.Add(sums[k*c.dim:(k+1)*c.dim], c.row(i))
	}
	for k, n := range counts {
		if n == 0 {
			continue
		}
		mean := sums[k*c.dim : (k+1)*c.dim]
		floats.Scale(1/n, mean)
		moved = moved || !floats.Equal(mean, c.centres[k])
		copy(c.centres[k], mean)
	}
	return moved
}

func square(a, b []float64) float64 {
	d := floats.Distance(a, b, 2)
	return d * d
}

// VMeasure says how far clusters and classes agree (Rosenberg and Hirschberg,
// EMNLP 2007): the harmonic mean of homogeneity, 1 if each cluster has rows of
// one class only, and completeness, 1 if each class lies in one cluster. It is 0
// if knowing the one says nothing of the other, and 1 for no rows and where
// there is one class and one cluster. It panics if the lengths differ.
func VMeasure(class, cluster []int) float64 {
	if len(class) != len(cluster) {
		panic(fmt.Sprintf("erase: VMeasure of %d classes and %d clusters, want as many", len(class), len(cluster)))
	}
	both, classes, clusters := map[[2]int]float64{}, map[int]float64{}, map[int]float64{}
	for i, c := range class {
		both[[2]int{c, cluster[i]}]++
		classes[c]++
		clusters[cluster[i]]++
	}
	n := float64(len(class))
	hc, hk := entropy(classes, n), entropy(clusters, n)
	mutual := hc + hk - entropy(both, n)
	homogeneity, completeness := 1.0, 1.0
	if hc > 0 {
		homogeneity = mutual / hc
	}
	if hk > 0 {
		completeness = mutual / hk
	}
	if !(homogeneity+completeness > 0) {
		return 0
	}
	return min(1, max(0, 2*homogeneity*completeness/(homogeneity+completeness)))
}

// entropy of counts that sum to n, in nats, added in an order that does not
// change from run to run.
func entropy[K comparable](counts map[K]float64, n float64) float64 {
	sum := 0.0
	for _, c := range slices.Sorted(maps.Values(counts)) {
		sum -= c / n * math.Log(c/n)
	}
	return sum
}
