package decoy

import (
	"cmp"
	"maps"
	"math"
	weakrand "math/rand/v2"
	"slices"
)

// direction is an explanation as a vector of length 1: a number for each of its words.
type direction map[string]float64

// direction returns the vector of a reading's strongest words.
func (r reading) direction() direction {
	d, sum := direction{}, 0.0
	for i, w := range r.words[:min(shown, len(r.words))] {
		d[w] = r.weights[i]
		sum += float64(r.weights[i] * r.weights[i])
	}
	if sum > 0 {
		d.scale(1 / math.Sqrt(sum))
	}
	return d
}

func (d direction) scale(by float64) {
	for w := range d {
		d[w] *= by
	}
}

// cosine is the product of a reading's direction and a centre. The words are taken in
// the reading's order, so that sums have one.
func (r reading) cosine(d, centre direction) float64 {
	sum := 0.0
	for _, w := range r.words[:min(shown, len(r.words))] {
		sum += float64(d[w] * centre[w])
	}
	return sum
}

// clusters returns an order of reading: explanations are divided by spherical k-means,
// k = √(n/2), and read in rounds, the most central one of each cluster first, large
// clusters before small ones.
func clusters(all []reading, rng *weakrand.Rand) []int {
	n := len(all)
	k := max(1, int(math.Ceil(math.Sqrt(float64(n)/2))))
	vectors := make([]direction, n)
	for i, r := range all {
		vectors[i] = r.direction()
	}
	centres := seedCentres(all, vectors, k, rng)
	home, near := make([]int, n), make([]float64, n)
	for range 20 {
		moved := false
		for i, r := range all {
			best := 0
			near[i] = math.Inf(-1)
			for c, centre := range centres {
				if v := r.cosine(vectors[i], centre); v > near[i] {
					best, near[i] = c, v
				}
			}
			moved = moved || home[i] != best
			home[i] = best
		}
		if !moved {
			break
		}
		centres = means(all, vectors, home, len(centres))
	}
	return rounds(home, near, len(centres))
}

// seedCentres draws centres as k-means++ does, far ones more likely.
func seedCentres(all []reading, vectors []direction, k int, rng *weakrand.Rand) []direction {
	n := len(all)
	if n == 0 {
		return nil
	}
	centres := []direction{vectors[rng.IntN(n)]}
	far := make([]float64, n)
	for i := range far {
		far[i] = math.Inf(1)
	}
	for len(centres) < k {
		total := 0.0
		for i, r := range all {
			far[i] = min(far[i], max(0, 1-r.cosine(vectors[i], centres[len(centres)-1])))
			total += far[i]
		}
		if total == 0 {
			break
		}
		at := rng.Float64() * total
		pick := n - 1
		for i, v := range far {
			if at -= v; at < 0 {
				pick = i
				break
			}
		}
		centres = append(centres, vectors[pick])
	}
	return centres
}

// means returns the direction of the sum of each cluster.
func means(all []reading, vectors []direction, home []int, k int) []direction {
	centres := make([]direction, k)
	for c := range centres {
		centres[c] = direction{}
	}
	for i, r := range all {
		for _, w := range r.words[:min(shown, len(r.words))] {
			centres[home[i]][w] += vectors[i][w]
		}
	}
	for _, c := range centres {
		// In the order of words, because sums of another order differ.
		sum := 0.0
		for _, w := range slices.Sorted(maps.Keys(c)) {
			sum += float64(c[w] * c[w])
		}
		if sum > 0 {
			c.scale(1 / math.Sqrt(sum))
		}
	}
	return centres
}

// rounds returns the members of clusters in rounds.
func rounds(home []int, near []float64, k int) []int {
	members := make([][]int, k)
	for i, c := range home {
		members[c] = append(members[c], i)
	}
	for _, m := range members {
		slices.SortStableFunc(m, func(a, b int) int { return cmp.Compare(near[b], near[a]) })
	}
	slices.SortStableFunc(members, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	var order []int
	for round := 0; len(order) < len(home); round++ {
		for _, m := range members {
			if round < len(m) {
				order = append(order, m[round])
			}
		}
	}
	return order
}
