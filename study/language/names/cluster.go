package names

import (
	"math"
	weakrand "math/rand/v2"

	"sotto/compute/nn/vector"
)

// Words fall into groups of words used alike, and each group into leaves. A
// cluster is group·leaves + leaf + 1, so that its upper bits tell the group.
const (
	groups   = 64
	leafBits = 5
	leaves   = 1 << leafBits
)

// cluster puts vectors into groups and leaves, by k-means on the sphere, twice.
func cluster(vectors [][]float32) []uint16 {
	for _, v := range vectors {
		normalise(v)
	}
	all := make([]int, len(vectors))
	for i := range all {
		all[i] = i
	}
	top := kmeans(vectors, all, groups)
	members := make([][]int, groups)
	for i, g := range top {
		members[g] = append(members[g], i)
	}
	out := make([]uint16, len(vectors))
	for g, m := range members {
		for k, leaf := range kmeans(vectors, m, leaves) {
			out[m[k]] = uint16(g*leaves+leaf) + leaves // group 0 begins at leaves, so that 0 is no cluster
		}
	}
	return out
}

func normalise(v []float32) {
	sum := 0.0
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	if sum == 0 {
		return
	}
	inv := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= inv
	}
}

// kmeans puts the chosen vectors into k groups. It begins with k of them that a
// fixed seed draws, and is the same on every machine.
func kmeans(vectors [][]float32, chosen []int, k int) []int {
	const rounds = 12
	out := make([]int, len(chosen))
	if len(chosen) <= k {
		for i := range out {
			out[i] = i
		}
		return out
	}
	dim := len(vectors[chosen[0]])
	centres := make([][]float32, k)
	for c, i := range weakrand.New(weakrand.NewPCG(18, uint64(k))).Perm(len(chosen))[:k] {
		centres[c] = append([]float32(nil), vectors[chosen[i]]...)
	}
	for range rounds {
		next := make([][]float32, k)
		for c := range next {
			next[c] = make([]float32, dim)
		}
		for i, v := range chosen {
			best, high := 0, float32(math.Inf(-1))
			for c, centre := range centres {
				if d := vector.Dot(vectors[v], centre); d > high {
					best, high = c, d
				}
			}
			out[i] = best
			for d, x := range vectors[v] {
				next[best][d] += x
			}
		}
		for c := range next {
			normalise(next[c])
		}
		centres = next
	}
	return out
}
