package weat

import (
	"context"
	"math"
	weakrand "math/rand/v2"
)

const (
	// tolerance is the relative difference up to which two sums are equal:
	// thousands of times the rounding of a sum of a hundred numbers.
	tolerance = 1e-12
	// maxEnumerated is the most partitions of which all are looked at.
	maxEnumerated = 200_000
	// maxSamples keeps the memory of those drawn below a gigabyte.
	maxSamples = 10_000_000
	// askEvery is after how many partitions the context is asked whether to go on.
	askEvery = 4096
)

// chance is what the partitions say of one list of scores.
type chance struct {
	scores   []float64 // oriented so that the stereotype is great
	twoSided bool

	total    float64
	observed float64 // what the partition that was found is compared by
	slack    float64 // difference that counts as none
	greater  int
	equal    int // the observed partition among them
}

func newChance(scores []float64, nx int, sign float64, twoSided bool) *chance {
	c := &chance{scores: make([]float64, len(scores)), twoSided: twoSided}
	size, x := 0.0, 0.0
	for i, v := range scores {
		c.scores[i] = sign * v
		c.total += sign * v
		size += math.Abs(v)
		if i < nx {
			x += sign * v
		}
	}
	c.slack = tolerance * size
	c.observed = c.value(x, nx)
	return c
}

// value is what partitions are compared by: the sum over X, with which the
// difference of means rises; two-sided, how far it is from what chance expects,
// with which the magnitude of that difference rises.
func (c *chance) value(x float64, nx int) float64 {
	if c.twoSided {
		return math.Abs(x - c.total*float64(nx)/float64(len(c.scores)))
	}
	return x
}

// count takes a partition whose sum over X is x.
func (c *chance) count(x float64, nx int) {
	switch d := c.value(x, nx) - c.observed; {
	case math.Abs(d) <= c.slack:
		c.equal++
	case d > 0:
		c.greater++
	}
}

// binomial returns how many ways there are to choose k of n, at most limit+1.
func binomial(n, k, limit int) int {
	k = min(k, n-k)
	ways := 1.0 // exact as long as it does not exceed the limit
	for i := range k {
		ways = ways * float64(n-i) / float64(i+1)
		if ways > float64(limit) {
			return limit + 1
		}
	}
	return int(math.Round(ways))
}

// enumerate counts every partition of n words with nx in X, for all scores at
// once. The sum over the words before is kept, so that no error builds up. It
// ends early, with what it has, when the context is done.
func enumerate(ctx context.Context, all []*chance, n, nx int) {
	sums := make([][]float64, nx+1) // after as many words
	for k := range sums {
		sums[k] = make([]float64, len(all))
	}
	passed, stopped := 0, false
	var choose func(k, from int)
	choose = func(k, from int) {
		if k == nx {
			if passed++; passed%askEvery == 0 {
				stopped = ctx.Err() != nil
			}
			for v, c := range all {
				c.count(sums[nx][v], nx)
			}
			return
		}
		for i := from; i <= n-(nx-k) && !stopped; i++ {
			for v, c := range all {
				sums[k+1][v] = sums[k][v] + c.scores[i]
			}
			choose(k+1, i+1)
		}
	}
	choose(0, 0)
}

// draw counts distinct partitions other than the observed one. It ends early,
// with what it has, when the context is done.
func draw(ctx context.Context, all []*chance, n, nx, samples int, seed uint64) {
	rng := weakrand.New(weakrand.NewPCG(seed, uint64(n)<<32|uint64(nx)))
	order := make([]int, n)
	in := make([]bool, n)
	for i := range order {
		order[i], in[i] = i, i < nx
	}
	seen := map[string]bool{key(in): true}
	for k := range samples {
		if k%askEvery == 0 && ctx.Err() != nil {
			return
		}
		for again := true; again; {
			for i := range nx { // the first steps of a shuffle choose X
				j := i + rng.IntN(n-i)
				order[i], order[j] = order[j], order[i]
			}
			clear(in)
			for _, i := range order[:nx] {
				in[i] = true
			}
			packed := key(in)
			again = seen[packed]
			seen[packed] = true
		}
		for _, c := range all {
			x := 0.0
			for _, i := range order[:nx] {
				x += c.scores[i]
			}
			c.count(x, nx)
		}
	}
}

// key packs a partition.
func key(in []bool) string {
	packed := make([]byte, (len(in)+7)/8)
	for i, x := range in {
		if x {
			packed[i/8] |= 1 << (i % 8)
		}
	}
	return string(packed)
}
